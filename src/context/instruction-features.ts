import type { ConceptReader, ReadWord } from './concept-reader.js';
import { unmask } from './unmask.js';

/** What is looked at besides words. */
export const STRUCTURES = [
  'comment',
  'code-line',
  'table-row',
  'list-item',
  'heading',
  'role-mark',
  'block-end',
  'field',
  'setting',
  'hidden-characters',
  'look-alikes',
  'encoded',
  'quotes',
  'address',
  'exclamation',
  'question',
  'short',
  'long',
] as const;
export type Structure = (typeof STRUCTURES)[number];

/** One unit of a passage as the model of flags sees it. */
export interface UnitReading {
  /** What it speaks of, by index; outside of quotation marks. */
  readonly concepts: ReadonlySet<number>;
  readonly quoted: ReadonlySet<number>;
  /** Concepts one of which follows soon on the other, as `first * count + second`. */
  readonly neighbours: ReadonlySet<number>;
  /** Concepts of the first words. */
  readonly opening: ReadonlySet<number>;
  readonly structures: ReadonlySet<Structure>;
  /** Hashes of words and pairs of words. */
  readonly grams: ReadonlySet<number>;
}

const QUOTATION =
  /"[^"\n]{0,300}"|“[^”\n]{0,300}”|„[^“”"\n]{0,300}[“”"]|«[^»\n]{0,300}»|「[^」\n]{0,300}」|`[^`\n]{0,300}`|(?<=[\s([=:])'(?=\p{L})[^'\n]{0,200}'(?!\p{L})/gu;
/** A unit that is nearly all quotation says what it quotes. */
const MOST_QUOTED = 0.7;
const ROLE_MARK =
  /<\|\w{1,20}\|>|\[\/?INST\]|<<\/?SYS>>|(?:^|\n)[^\p{L}\n]{0,4}(?!user":\s?"[\w.@-]{1,40}")(?:system|sistema|système|система|系统|システム|developer|assistant|assistent|assistente|asistente|ассистент|助手|アシスタント|human|user|utilisateur|usuario|пользователь|用户|ユーザー|ai)(?: (?:notice|message|note|prompt|update|override|reminder)|消息)?[^\p{L}\n]{0,3}[:：\])]|["']?role["']?\s{0,3}:\s{0,3}["']?(?:system|assistant|developer)|<\/?(?:system|assistant|instruction)[\w-]{0,20}\b/iu;
const BLOCK_END =
  /<\/?(?:context|documents?|dokument|passages?|sources?|retrieved|data|input|text)\b[^>\n]{0,40}>|\]\]>|(?:-{3,}|={3,}|\*{3,}|【)\s{0,3}(?:end|fin|ende|конец|begin|start)\b|\b(?:end|start|begin) of (?:the )?(?:retrieved|sources?|documents?|context|input)|资料结束|结束】/iu;
const FIELD = /^[^\p{L}\n]{0,6}["']?[\p{L}@][\p{L}\d]{0,20}[_-][\p{L}\d_-]{1,30}["']?\s{0,3}[:=]/u;
const SETTING = /^\s{0,12}(?:- )?["'`]?[\p{L}\d_.-]{1,30}["'`]?\s?[:=]\s?\S{0,24}$/u;
const ADDRESS = /https?:\/\//i;
/** `from the alert until noon`, `it took an hour until noon`: a stretch of time that is over, unlike `from now until the end`. */
const STRETCH = /\b((?:from(?! (?:now|here|this|today)\b)|took)(?: [\p{L}\p{N}'’-]+){1,8} )until\b/giu;
const LEAST_HIDDEN = 3;
const OPENING_WORDS = 4;
const SHORT = 40;
const LONG = 220;
/** Words that stand for something are paired with so many such words before them. */
const SPAN = 2;

/** Reads one unit. Linear in its length. */
export function readUnit(original: string, kind: string, reader: ConceptReader): UnitReading {
  const { text: plain, decoded, hiddenCharacters, mixedScriptWords } = unmask(original);
  const text = decoded.length === 0 ? plain : `${plain}\n${decoded.join('\n')}`;
  const { spoken, quoted } = withoutQuotations(text);
  const words = reader.read(spoken.replaceAll(STRETCH, '$1to'));
  const structures = new Set<Structure>();
  const mark = (name: Structure, holds: boolean): void => {
    if (holds) structures.add(name);
  };
  for (const name of STRUCTURES) mark(name, name === kind);
  mark('role-mark', ROLE_MARK.test(text));
  mark('block-end', BLOCK_END.test(text));
  mark('field', FIELD.test(text));
  mark('setting', SETTING.test(text));
  mark('hidden-characters', hiddenCharacters >= LEAST_HIDDEN);
  mark('look-alikes', mixedScriptWords >= LEAST_HIDDEN);
  mark('encoded', decoded.length > 0);
  mark('quotes', quoted !== '');
  mark('address', ADDRESS.test(text));
  mark('exclamation', /[!！]/.test(text));
  mark('question', /[?？]/.test(text));
  mark('short', text.length < SHORT);
  mark('long', text.length > LONG);
  return {
    concepts: conceptsOf(words),
    quoted: conceptsOf(reader.read(quoted)),
    neighbours: neighboursOf(words, reader.names.length),
    opening: conceptsOf(words.slice(0, OPENING_WORDS)),
    structures,
    grams: gramsOf(words),
  };
}

const conceptsOf = (words: readonly ReadWord[]): Set<number> =>
  new Set(words.flatMap(({ concepts }) => concepts));

function withoutQuotations(text: string): { spoken: string; quoted: string } {
  const parts: string[] = [];
  const spoken = text.replace(QUOTATION, (quotation) => {
    parts.push(quotation);
    return ' " ';
  });
  const quoted = parts.join('\n');
  return quoted.length > MOST_QUOTED * text.length ? { spoken: text, quoted: '' } : { spoken, quoted };
}

function neighboursOf(words: readonly ReadWord[], count: number): Set<number> {
  const found = new Set<number>();
  const recent: (readonly number[])[] = [];
  for (const { concepts } of words) {
    if (concepts.length === 0) continue;
    for (const before of recent)
      for (const first of before) for (const second of concepts) found.add(first * count + second);
    recent.push(concepts);
    if (recent.length > SPAN) recent.shift();
  }
  return found;
}

function gramsOf(words: readonly ReadWord[]): Set<number> {
  const grams = new Set<number>();
  let before = 0;
  for (const { word } of words) {
    const hash = hashOf(word);
    grams.add(hash);
    if (before !== 0) grams.add((Math.imul(before, 31) ^ Math.imul(hash, 0x9e3779b1)) >>> 0);
    before = hash;
  }
  return grams;
}

/** FNV-1a */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** A unit between the two that stand around it. */
export interface UnitInContext {
  readonly unit: UnitReading;
  readonly before?: UnitReading | undefined;
  readonly behind?: UnitReading | undefined;
}

// How much each kind of feature may move the sum: chosen by cross-validation over kinds of text (tools/instruction-flags).
const AROUND = 0.5;
const NEIGHBOURS = 0.75;
const IN_STRUCTURE = 0.5;
const GRAMS = 4;

/** Where each feature has its weight: concepts five times over, pairs of them, structures, hashed words. */
export class FeatureLayout {
  readonly width: number;
  readonly #concepts: number;
  readonly #neighbours: number;
  readonly #structures: number;
  readonly #inStructure: number;
  readonly #grams: number;
  readonly #gramMask: number;

  constructor(concepts: number, gramBits: number) {
    this.#concepts = concepts;
    this.#neighbours = 5 * concepts;
    this.#structures = this.#neighbours + concepts * concepts;
    this.#inStructure = this.#structures + STRUCTURES.length;
    this.#grams = this.#inStructure + STRUCTURES.length * concepts;
    this.#gramMask = 2 ** gramBits - 1;
    this.width = this.#grams + 2 ** gramBits;
  }

  visit({ unit, before, behind }: UnitInContext, see: (index: number, value: number) => void): void {
    const count = this.#concepts;
    for (const concept of unit.concepts) see(concept, 1);
    for (const concept of unit.quoted) see(count + concept, 1);
    for (const concept of unit.opening) see(2 * count + concept, 1);
    for (const concept of before?.concepts ?? []) see(3 * count + concept, AROUND);
    for (const concept of behind?.concepts ?? []) see(4 * count + concept, AROUND);
    for (const pair of unit.neighbours) see(this.#neighbours + pair, NEIGHBOURS);
    STRUCTURES.forEach((name, index) => {
      if (!unit.structures.has(name)) return;
      see(this.#structures + index, 1);
      for (const concept of unit.concepts) see(this.#inStructure + index * count + concept, IN_STRUCTURE);
    });
    const share = GRAMS / Math.sqrt(unit.grams.size + 1);
    for (const gram of unit.grams) see(this.#grams + ((gram >>> 3) & this.#gramMask), share);
  }

  /** The concepts and the structure that a feature is about; neither for hashed words. */
  meaningOf(index: number): { concepts: readonly number[]; structure?: Structure | undefined } {
    const count = this.#concepts;
    if (index < this.#neighbours) return { concepts: [index % count] };
    if (index < this.#structures) {
      const pair = index - this.#neighbours;
      return { concepts: [Math.floor(pair / count), pair % count] };
    }
    if (index < this.#inStructure) return { concepts: [], structure: STRUCTURES[index - this.#structures] };
    return { concepts: index < this.#grams ? [(index - this.#inStructure) % count] : [] };
  }
}
