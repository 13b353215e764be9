import { ENGLISH_STOP_WORDS } from '../../core/analysis/english-stop-words.js';
import { isForeignGrammar, isForeignText } from '../../core/analysis/foreign-words.js';
import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import { foldCase, normaliseText } from '../../core/analysis/normalise.js';
import { readQueryText } from '../../core/analysis/query-text.js';
import { forEachWord, partsOf } from '../../core/analysis/tokens.js';
import { compareText } from '../../core/filter.js';
import { editDistance } from '../../core/nearest-name.js';
import type { QueryCorrection } from '../retriever.js';
import { wordsOneMistakeAway } from './edits.js';
import { LONGEST_CORRECTED, type QueryWord, readQueryWords, SHORTEST_CORRECTED } from './query-words.js';
import type { ReadableWords } from './readable-words.js';

export interface CorrectionInput {
  readonly words: ReadableWords;
  /** Terms of words that are no mistakes though no passage holds them: what is searched for in their place is stated. @default none */
  readonly known?: ReadonlySet<string>;
  /** Words of the language, which are no mistakes though no passage holds them; loaded when the first is needed. */
  readonly loadLanguage: () => Promise<ReadonlySet<string>>;
}

/** Words of one query that are looked at, and those of them that are put right, at most. */
const MOST_WORDS = 32;
const MOST_UNKNOWN = 16;
/** Searches for neighbours of one word: a frequent one hides behind many passages with a rare one. */
const MOST_ROUNDS = 3;
/** Letters by which a form in the text may be longer or shorter: `deploymnts` is found through `deployment`. */
const FARTHEST_FORM = 3;
/** Mistakes by which a form that is held may differ, where only its stem is near, and what each but the first costs. */
const FARTHEST_HELD = 3;
const OTHER_FORM = 1;
/** What a form costs that is a word and is in none of the passages that were read; others of its stem are. */
const UNSEEN = 1;
const STOP_WORD_COST = 0.5;
const STOP_WORD_EVIDENCE = Math.log(200);
/** What a mistake costs at most in a question of another language, whose words are near English ones by chance: long ones less often. */
const mostInForeign = ({ folded }: QueryWord): number => (folded.length < LONG_WORD ? 0 : 0.5);
const LONG_WORD = 8;
/** What each letter beyond the shortest adds: long words have few neighbours. */
const PER_LETTER = 0.5;
const LEAST_EVIDENCE = -0.5;

/**
 * A query with its mistyped words put right, or undefined where there is none. A word is mistyped that no readable passage
 * holds and that is none of the language; it becomes the readable word one mistake away that is likeliest by kind of mistake,
 * place of keys and number of passages. A query in a language that the index does not hold is left as it is; in one of another language than
 * English only the likeliest mistakes count, for the words of the language are those of English.
 */
export async function correctQuery(
  query: string,
  input: CorrectionInput,
): Promise<QueryCorrection | undefined> {
  // Nobody typed it.
  if (readQueryText(query.trim()).isPasted) return undefined;
  const { correctable, short } = readQueryWords(query);
  const looked = correctable.filter(({ term }) => term !== '').slice(0, MOST_WORDS);
  const missing = await unheld(looked, input);
  if (missing.length === 0) return undefined;
  const language = await input.loadLanguage();
  const unknown = missing
    .filter(({ text, folded }) => !isOfLanguage(folded, language) && !isForeignGrammar(text))
    .slice(0, MOST_UNKNOWN);
  if (unknown.length === 0 || (await isForeign(short, input))) return undefined;
  const isForeignQuery = isForeignText(query);
  const meant = await Promise.all(
    unknown.map(async (word) => {
      const parts = await partsOfCompound(word, input.words);
      if (parts !== undefined) return [word.text, ...parts].join(' ');
      if (word.folded.length > LONGEST_CORRECTED) return undefined;
      const used = await meantWord(word, { words: input.words, language, isForeignQuery });
      return used === undefined ? undefined : inCaseOf(word.text, used);
    }),
  );
  const words = unknown.flatMap((word, i) => {
    const used = meant[i];
    return used === undefined ? [] : [{ word, used }];
  });
  // Few words of another language are near one that is held, and by chance.
  if (words.length * 2 < unknown.length || words.length === 0) return undefined;
  return {
    searchedFor: replaceWords(query, words),
    words: words.map(({ word, used }) => ({ typed: word.text, used })),
  };
}

async function unheld(words: readonly QueryWord[], { words: readable, known }: CorrectionInput) {
  const open = words.filter(({ term }) => known?.has(term) !== true);
  const held = await readable.held(open.map(({ term }) => term));
  return open.filter(({ term }) => !held.has(term));
}

/** A word of the language, or one with a plain ending: `daemons`, `mopping`, `reachable`, `configurable`. */
const isOfLanguage = (word: string, language: ReadonlySet<string>): boolean =>
  [/(?<=[^s])s$/, /(?<=(.))\1(?:ed|ing)$/, /(?<=[^aeiou]{2})(?:ed|ing)$/, DERIVED].some((ending) =>
    language.has(word.replace(ending, '')),
  ) || language.has(word.replace(/able$/, 'e'));

/** Endings that are words, too, so that a word with one of them looks like a compound. */
const DERIVED = /(?:able|less|ness|ship|hood|wise|like|ward)$/;

/**
 * At least two short words and half of them are unknown: articles and prepositions of another language. Those of English have no
 * term and count as known.
 */
async function isForeign(short: readonly QueryWord[], input: CorrectionInput): Promise<boolean> {
  const unknown = await unheld(
    short.filter(({ term }) => term !== ''),
    input,
  );
  return unknown.length >= 2 && unknown.length * 2 >= short.length;
}

/** Words that may have been meant and are one term: those one mistake away, and those that passages hold. */
interface Family {
  readonly neighbours: Map<string, number>;
  readonly seen: Map<string, number>;
}

async function meantWord(
  word: QueryWord,
  {
    words,
    language,
    isForeignQuery,
  }: {
    readonly words: ReadableWords;
    readonly language: ReadonlySet<string>;
    readonly isForeignQuery: boolean;
  },
): Promise<string | undefined> {
  const families = familiesOf(word);
  await findForms(word, families, words);
  const held = [...families.values()].flatMap(({ seen }) => [...seen.keys()]);
  if (held.some((form) => isOtherForm(word.folded, form))) return undefined;
  const allowance = (word.folded.length - SHORTEST_CORRECTED) * PER_LETTER - LEAST_EVIDENCE;
  let best = isForeignQuery ? undefined : likeliestStopWord(word);
  for (const [term, family] of families) {
    const likeliest = likeliestForm(word, family, language);
    if (family.seen.size === 0 || likeliest === undefined) continue;
    const { form, cost } = likeliest;
    if (isForeignQuery && cost > mostInForeign(word)) continue;
    const evidence = Math.log(Math.max(1, await words.count(term))) - cost;
    if (evidence + allowance >= 0 && (best === undefined || evidence > best.evidence))
      best = { form, evidence };
  }
  return best?.form;
}

/** Whether a word is another form of one that passages hold, and no mistake: `parsed` beside `parser`. */
const isOtherForm = (word: string, held: string): boolean =>
  stemsOf(word, VERBAL_ENDINGS).some(
    (stem) => stem === held || stemsOf(held, [...VERBAL_ENDINGS, ...OTHER_ENDINGS]).includes(stem),
  );

const VERBAL_ENDINGS = ['ed', 'er', 'ers', 'ing', 'ings', 'ion', 'ions'];
const OTHER_ENDINGS = ['e', 's', 'es', 'or', 'ors'];
const SHORTEST_OTHER_STEM = 3;

const stemsOf = (word: string, endings: readonly string[]): string[] =>
  endings
    .filter((ending) => word.endsWith(ending) && word.length - ending.length >= SHORTEST_OTHER_STEM)
    .map((ending) => word.slice(0, word.length - ending.length));

interface Meant {
  readonly form: string;
  readonly evidence: number;
}

/** `shoud` is `should`, which no index keeps and every passage holds. */
function likeliestStopWord({ folded, isName }: QueryWord): Meant | undefined {
  if (isName) return undefined;
  const costs = [...wordsOneMistakeAway(folded)].filter(
    ([form, cost]) =>
      form.length >= SHORTEST_CORRECTED && cost <= STOP_WORD_COST && ENGLISH_STOP_WORDS.has(form),
  );
  const [first] = costs.sort(([, a], [, b]) => a - b);
  return first === undefined ? undefined : { form: first[0], evidence: STOP_WORD_EVIDENCE - first[1] };
}

/** The words one mistake away by their terms; none of them is known to be held yet. */
function familiesOf({ folded }: QueryWord): Map<string, Family> {
  const families = new Map<string, Family>();
  for (const [neighbour, cost] of wordsOneMistakeAway(folded))
    for (const term of analyzeText(neighbour)) {
      const family = families.get(term) ?? { neighbours: new Map(), seen: new Map() };
      families.set(term, family);
      family.neighbours.set(neighbour, cost);
    }
  return families;
}

/** Notes the forms of each term in passages that hold one. */
async function findForms(
  word: QueryWord,
  families: ReadonlyMap<string, Family>,
  words: ReadableWords,
): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const missing = [...families].flatMap(([term, { seen }]) => (seen.size === 0 ? [term] : []));
    const texts = await words.textsWith(missing);
    for (const text of texts) noteForms(text, word, families);
    if (!missing.some((term) => (families.get(term)?.seen.size ?? 0) > 0)) return;
  }
}

function noteForms(text: string, word: QueryWord, families: ReadonlyMap<string, Family>): void {
  forEachWord(normaliseText(text), (compound) => {
    const parts = partsOf(compound);
    for (const part of parts.length === 0 ? [compound] : parts) {
      const form = foldCase(part).replace(/'s$/, '');
      if (Math.abs(form.length - word.folded.length) > FARTHEST_FORM) continue;
      // A name is meant as a name: `Scala` is not `scale`.
      if (word.isName && part.charAt(0) === form.charAt(0)) continue;
      const [term = ''] = analyzeText(form);
      const seen = families.get(term)?.seen;
      if (seen !== undefined) seen.set(form, (seen.get(form) ?? 0) + 1);
    }
  });
}

/** The likeliest word one mistake away; a form that is held and farther away where none of those is a word. */
function likeliestForm(
  { folded }: QueryWord,
  { neighbours, seen }: Family,
  language: ReadonlySet<string>,
): { readonly form: string; readonly cost: number } | undefined {
  const near = [...neighbours]
    .filter(([form]) => seen.has(form) || language.has(form))
    .map(([form, cost]) => ({ form, cost: cost + (seen.has(form) ? 0 : UNSEEN), seen: seen.get(form) ?? 0 }))
    .sort((a, b) => a.cost - b.cost || b.seen - a.seen || compareText(a.form, b.form));
  const [nearest] = near;
  if (nearest !== undefined) return nearest;
  const [farther] = [...seen.keys()]
    .map((form) => ({ form, distance: editDistance(form, folded) }))
    .filter(({ distance }) => distance <= FARTHEST_HELD)
    .sort((a, b) => a.distance - b.distance || compareText(a.form, b.form));
  const least = Math.min(...neighbours.values());
  if (farther === undefined) return undefined;
  return { form: farther.form, cost: least + OTHER_FORM * (farther.distance - 1) };
}

const inCaseOf = (typed: string, used: string): string =>
  typed.charAt(0) === typed.charAt(0).toLowerCase() ? used : used.charAt(0).toUpperCase() + used.slice(1);

function replaceWords(
  query: string,
  words: readonly { readonly word: QueryWord; readonly used: string }[],
): string {
  let text = '';
  let at = 0;
  for (const { word, used } of words) {
    text += query.slice(at, word.start) + used;
    at = word.start + word.text.length;
  }
  return text + query.slice(at);
}

/** Shorter words are seldom compounds, and shorter parts are in many words by chance. */
const SHORTEST_COMPOUND = 9;
const SHORTEST_PART = 4;
/** What joins the parts of a German compound. */
const LINKS = ['es', 'en', 'er', 's', 'n', 'e', ''] as const;
const ROUNDS = 2;

interface Split {
  readonly parts: readonly [string, string];
  readonly terms: readonly [string, string];
}

/** The two words that an unknown compound is made of, where passages hold both; undefined where it is none. */
async function partsOfCompound(
  { text, folded }: QueryWord,
  words: ReadableWords,
): Promise<readonly [string, string] | undefined> {
  if (folded.length < SHORTEST_COMPOUND) return undefined;
  const shown = text.length === folded.length ? text : folded;
  const splits = splitsOf(folded, shown);
  const wanted = new Set(splits.flatMap(({ terms }) => terms));
  const seen = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const open = [...wanted].filter((term) => !seen.has(term));
    for (const passage of open.length === 0 ? [] : await words.textsWith(open))
      forEachWord(normaliseText(passage), (word) => {
        for (const term of analyzeText(foldCase(word))) if (wanted.has(term)) seen.add(term);
      });
  }
  const held = splits.filter(({ terms }) => terms.every((term) => seen.has(term)));
  // The more even, the likelier: `Rechnung` and `Adresse` before `Rech` and `nungsadresse`.
  const evenness = ({ parts }: Split): number => Math.min(...parts.map(({ length }) => length));
  return held.toSorted((a, b) => evenness(b) - evenness(a))[0]?.parts;
}

function splitsOf(folded: string, shown: string): Split[] {
  const splits: Split[] = [];
  for (let at = SHORTEST_PART; at <= folded.length - SHORTEST_PART; at++)
    for (const link of LINKS) {
      const end = at - link.length;
      if (end < SHORTEST_PART || !folded.slice(0, at).endsWith(link)) continue;
      const [first] = analyzeText(folded.slice(0, end));
      const [second] = analyzeText(folded.slice(at));
      if (first !== undefined && second !== undefined)
        splits.push({ parts: [shown.slice(0, end), shown.slice(at)], terms: [first, second] });
    }
  return splits;
}
