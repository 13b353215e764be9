import type { ContextEntry } from '../context/context-pack.js';
import { columnsOf, type PassageUnit, passageUnits } from '../core/analysis/passage-units.js';
import type { TextRange } from '../core/document.js';
import type { RankedSentence } from './rank-sentences.js';
import { isComment } from './sentence-features.js';

/** Words of a quotation; a single sentence or row may have more. */
export const MOST_WORDS = 80;
/** What goes with it without telling anything of its own, the sentence before a list, may pass the limit by so many. */
const MOST_LEAD_IN_WORDS = 25;
/** A neighbouring block is quoted too where it is at least this likely to answer, against what is quoted already. */
const LEAST_GAIN = 0.05;

/** A row of a long table is quoted beside another one where it is so likely to answer, as a share of that. */
const LIKE_SHARE = 0.5;

/** What can be quoted of a passage and understood on its own. */
export interface Quotation {
  readonly entry: ContextEntry;
  /** Offsets of the stored revision, ascending; the head of a table may stand apart from its rows. */
  readonly ranges: readonly QuotedPart[];
  /** The sentence, item, row or line that answers best. */
  readonly decisive: TextRange;
  /** The likeliest sentence in it. */
  readonly sentence: RankedSentence;
  /** A list, table, paragraph or code goes on before or behind it. */
  readonly isCut: { readonly before: boolean; readonly after: boolean };
}

/** A stretch of an entry's stored revision. */
export interface QuotedRange extends TextRange {
  readonly entry: ContextEntry;
}

/** The stored text of a range; it is part of one piece. */
export function exactText({ entry, start, end }: QuotedRange): string {
  const piece = entry.pieces.find((each) => each.start <= start && end <= each.end);
  return piece?.text.slice(start - piece.start, end - piece.start) ?? '';
}

/** A stretch that is quoted without a gap. */
export interface QuotedPart extends TextRange {
  /** It begins with a line out of a block of code, without the fence that opens it. */
  readonly isInsideCode: boolean;
}

interface Unit extends PassageUnit {
  readonly words: number;
  readonly probability: number;
  /** A heading, a comment, where a link leads, or what speaks to a language model: no quotation goes beyond it. */
  readonly isBorder: boolean;
  /** It ends with a colon. */
  readonly announces: boolean;
  /** A row that names what is asked about. */
  readonly isNamed: boolean;
}

/** Units of one natural block: a paragraph, a list, a table, a block of code, what nothing is quoted across. */
interface Block {
  readonly kind: 'text' | 'list' | 'table' | 'code' | 'fields' | 'border';
  /** Indices into the units, the last one exclusive. */
  readonly first: number;
  readonly end: number;
}

/**
 * Everything that could be quoted, each once: around each sentence the paragraph, list, table or code that it stands in, with the
 * sentence that leads to it, and neighbours that tell something while there is room; where the block is too long, what stands
 * around the sentence, cut between units.
 *
 * @param sentences likeliest first: the first one in a quotation is the one that decides.
 * @param names whether a text names what is asked about: of a table the rows that do are quoted without the others.
 */
export function quotationsOf(
  sentences: readonly RankedSentence[],
  names: (text: string) => boolean = () => false,
): Quotation[] {
  const readers = new Map<string, PieceReader>();
  const found = new Map<string, Quotation>();
  for (const ranked of sentences) {
    const { entry, start, end } = ranked.sentence;
    const index = entry.pieces.findIndex((piece) => piece.start <= start && end <= piece.end);
    const key = `${entry.n}:${index}`;
    const reader = readers.get(key) ?? new PieceReader(entry, index, sentences, names);
    readers.set(key, reader);
    const quotation = reader.around(ranked);
    if (quotation === undefined) continue;
    const place = `${key}:${quotation.ranges.map((range) => `${range.start}-${range.end}`).join()}`;
    if (!found.has(place)) found.set(place, quotation);
  }
  return [...found.values()];
}

/** What somebody wrote beside a text or a cell, as parsers put it behind them: `Comment on B2 (Ann, salary): …`, `Comment AW: …`. */
export const isRemark = (text: string): boolean =>
  /^Comment(?: on (?:a cell|[A-Z]{1,3}\d{1,7})(?: \([^()\n]{1,130}\))?| by [^:\n]{1,80}| \p{Lu}[^:\n]{0,60})?: /u.test(
    text,
  );

/** The first so many that do not overlap. */
export function apart<Each extends Quotation>(quotations: readonly Each[], most: number): Each[] {
  const chosen: Each[] = [];
  for (const each of quotations) {
    if (chosen.length >= most) break;
    if (!chosen.some((other) => overlap(each, other))) chosen.push(each);
  }
  return chosen;
}

/** What is quoted, as it is stored. */
export const textOfQuotation = ({ entry, ranges }: Quotation): string =>
  ranges.map((range) => exactText({ entry, ...range })).join('\n');

/** The stretch of a quotation that holds its deciding words; ranges are apart in a table alone. */
export function wholeStretch({ entry, ranges, decisive }: Quotation): QuotedRange {
  const { start, end } =
    ranges.find((range) => range.start <= decisive.start && decisive.end <= range.end) ?? decisive;
  return { entry, start, end };
}

const overlap = (a: Quotation, b: Quotation): boolean =>
  a.entry.documentId === b.entry.documentId &&
  a.ranges.some((one) => b.ranges.some((other) => one.start < other.end && other.start < one.end));

class PieceReader {
  readonly #entry: ContextEntry;
  readonly #pieceIndex: number;
  readonly #offset: number;
  readonly #units: readonly Unit[];
  readonly #blocks: readonly Block[];

  constructor(
    entry: ContextEntry,
    pieceIndex: number,
    sentences: readonly RankedSentence[],
    names: (text: string) => boolean,
  ) {
    const piece = entry.pieces[pieceIndex] ?? { start: 0, end: 0, text: '', line: 1 };
    this.#entry = entry;
    this.#pieceIndex = pieceIndex;
    this.#offset = piece.start;
    const own = new Map(
      sentences
        .filter(({ sentence }) => sentence.entry.n === entry.n)
        .map(({ sentence, probability }) => [sentence.start, probability]),
    );
    const isFlagged = ({ start, end }: TextRange): boolean =>
      entry.flags.some((flag) => flag.start < piece.start + end && flag.end > piece.start + start);
    this.#units = passageUnits(piece.text, entry.metadata).map((unit) => ({
      ...unit,
      words: wordsIn(piece.text.slice(unit.start, unit.end)),
      probability: own.get(piece.start + unit.start) ?? 0,
      isBorder:
        unit.kind === 'heading' ||
        unit.kind === 'definition' ||
        isFlagged(unit) ||
        isComment(piece.text.slice(unit.start, unit.end)),
      announces: unit.kind === 'sentence' && piece.text[unit.end - 1] === ':',
      isNamed: unit.kind === 'table-row' && names(piece.text.slice(unit.start, unit.end)),
    }));
    this.#blocks = blocksOf(this.#units, piece.text);
  }

  around(ranked: RankedSentence): Quotation | undefined {
    const at = this.#units.findIndex(({ start }) => start + this.#offset === ranked.sentence.start);
    const blockAt = this.#blocks.findIndex(({ first, end }) => first <= at && at < end);
    const block = this.#blocks[blockAt];
    if (at < 0 || block === undefined || this.#isBesideNamed(block, at)) return undefined;
    const kept = this.#inside(block, at);
    this.#addLeadIn(kept, blockAt);
    const isApart = block.kind === 'fields' || this.#isOfRecords;
    const isWhole = kept.has(block.first) && kept.has(block.end - 1);
    const isProse = block.kind === 'text' || block.kind === 'list';
    if (isWhole && isProse && !this.#isRemark(block)) this.#addNeighbours(kept, blockAt);
    this.#addAnnounced(kept);
    const quotation = this.#quotationOf(kept, at, ranked);
    // A field stands for itself, and so does a record.
    return isApart ? { ...quotation, isCut: { before: false, after: false } } : quotation;
  }

  /** The whole block where it is short enough, else what stands around the unit, on the likelier side first. */
  #inside({ kind, first, end }: Block, at: number): Set<number> {
    const all = range(first, end);
    if (kind === 'fields') return new Set(this.#isTitle(first) ? [first, at] : [at]);
    const isRow = kind === 'table' && (this.#isOfRecords || this.#isNamed(at));
    if (!isRow && this.#wordsOf(all) <= MOST_WORDS) return new Set(all);
    if (kind === 'table') return this.#rowsLike(at, all);
    const kept = new Set([at]);
    let before = at - 1;
    let after = at + 1;
    for (;;) {
      const sides = [before, after].filter((side) => side >= first && side < end);
      const fitting = sides.filter((side) => this.#wordsOf([...kept, side]) <= MOST_WORDS);
      const next = fitting.sort((a, b) => this.#probability(b) - this.#probability(a) || b - a)[0];
      if (next === undefined) return kept;
      kept.add(next);
      if (next === before) before -= 1;
      else after += 1;
    }
  }

  /** A title says which page its fields are of, and tells nothing alone. */
  #isTitle(index: number): boolean {
    const { start, end } = this.#placed(this.#units[index] ?? { start: 0, end: 0 });
    return /^["']?(?:title|name)\b/i.test(exactText({ entry: this.#entry, start, end }));
  }

  /** A row that names nothing asked about, of a table of which another one does. */
  #isBesideNamed({ first, end }: Block, at: number): boolean {
    return !this.#isNamed(at) && range(first, end).some((each) => this.#isNamed(each));
  }

  /** A table as text is no part of a page that is read as a whole. */
  get #isOfRecords(): boolean {
    return columnsOf(this.#entry.metadata) !== undefined;
  }

  #isRemark({ first }: Block): boolean {
    return isRemark(
      exactText({ entry: this.#entry, ...this.#placed(this.#units[first] ?? { start: 0, end: 0 }) }),
    );
  }

  /** Of a table its head and the rows that are nearly as likely to answer, the likeliest while there is room. */
  #rowsLike(at: number, all: readonly number[]): Set<number> {
    const kept = new Set([at, ...all.filter((each) => this.#isHead(each))]);
    const likely = all
      .filter((each) => this.#isNamed(each) === this.#isNamed(at))
      .filter((each) => this.#probability(each) >= LIKE_SHARE * this.#probability(at))
      .sort((a, b) => this.#probability(b) - this.#probability(a) || Math.abs(a - at) - Math.abs(b - at));
    for (const each of likely) if (this.#wordsOf([...kept, each]) <= MOST_WORDS) kept.add(each);
    return kept;
  }

  /** The sentence that a list, table or code follows on. */
  #addLeadIn(kept: Set<number>, blockAt: number): void {
    const block = this.#blocks[blockAt];
    const before = this.#blocks[blockAt - 1];
    if (block === undefined || block.kind === 'text' || before?.kind !== 'text') return;
    const lead = before.end - 1;
    const room = MOST_WORDS + MOST_LEAD_IN_WORDS;
    if (kept.has(block.first) && this.#wordsOf([...kept, lead]) <= room) kept.add(lead);
  }

  /** Blocks beside it under the same heading, as long as they tell something and there is room. */
  #addNeighbours(kept: Set<number>, blockAt: number): void {
    for (const step of [1, -1]) {
      for (let at = blockAt + step; ; at += step) {
        const block = this.#blocks[at];
        if (block === undefined || block.kind === 'border' || this.#isRemark(block)) break;
        const added = range(block.first, block.end).filter((each) => !kept.has(each));
        const gain = this.#massOf(added);
        // What stands before a quotation leads to it only if it is prose.
        if (step < 0 && block.kind !== 'text') break;
        if (step < 0 && gain < LEAST_GAIN * this.#massOf([...kept])) break;
        if (this.#wordsOf([...kept, ...added]) > MOST_WORDS) break;
        for (const each of added) kept.add(each);
      }
    }
  }

  /** What a last sentence with a colon announces: as much of the next block as there is room for. */
  #addAnnounced(kept: Set<number>): void {
    const last = Math.max(...kept);
    const next = this.#blocks.find(({ first }) => first === last + 1);
    if (next === undefined || next.kind === 'border' || this.#units[last]?.announces !== true) return;
    for (const each of range(next.first, next.end)) {
      if (this.#wordsOf([...kept, each]) > MOST_WORDS + MOST_LEAD_IN_WORDS) return;
      kept.add(each);
    }
  }

  #quotationOf(kept: ReadonlySet<number>, at: number, sentence: RankedSentence): Quotation {
    const indices = [...kept].sort((a, b) => a - b);
    const first = indices[0] ?? at;
    const last = indices.at(-1) ?? at;
    const blockOf = (index: number) =>
      this.#blocks.find((block) => block.first <= index && index < block.end);
    return {
      entry: this.#entry,
      ranges: [
        ...(blockOf(first)?.first === 0 ? this.#headAbove(first) : []),
        ...partsOf(indices, this.#units).map((part) => ({ ...part, ...this.#placed(part) })),
      ],
      decisive: this.#placed(this.#units[at] ?? { start: 0, end: 0 }),
      sentence,
      isCut: { before: blockOf(first)?.first !== first, after: blockOf(last)?.end !== last + 1 },
    };
  }

  /** The head of a table whose rows the piece begins with, where it is the piece before. */
  #headAbove(index: number): QuotedPart[] {
    const before = this.#entry.pieces[this.#pieceIndex - 1];
    if (before === undefined || this.#units[index]?.kind !== 'table-row') return [];
    const isHead = passageUnits(before.text, this.#entry.metadata).every(({ kind }) => kind === 'table-head');
    return isHead ? [{ start: before.start, end: before.end, isInsideCode: false }] : [];
  }

  #placed = ({ start, end }: TextRange): TextRange => ({
    start: start + this.#offset,
    end: end + this.#offset,
  });
  #isNamed = (index: number): boolean => this.#units[index]?.isNamed === true;
  #isHead = (index: number): boolean => this.#units[index]?.kind === 'table-head';
  #probability = (index: number): number => this.#units[index]?.probability ?? 0;
  #massOf = (indices: readonly number[]): number =>
    indices.reduce((sum, index) => sum + this.#probability(index), 0);
  #wordsOf = (indices: readonly number[]): number =>
    indices.reduce((sum, index) => sum + (this.#units[index]?.words ?? 0), 0);
}

const range = (first: number, end: number): number[] =>
  Array.from({ length: end - first }, (_, index) => first + index);

const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

const BLOCK_KINDS: Readonly<Record<PassageUnit['kind'], Block['kind']>> = {
  sentence: 'text',
  'list-item': 'list',
  'table-head': 'table',
  'table-row': 'table',
  'code-line': 'code',
  field: 'fields',
  fence: 'code',
  heading: 'border',
  definition: 'border',
};

function blocksOf(units: readonly Unit[], text: string): Block[] {
  const blocks: { kind: Block['kind']; first: number; end: number }[] = [];
  units.forEach((unit, index) => {
    const kind = unit.isBorder ? 'border' : BLOCK_KINDS[unit.kind];
    const last = blocks.at(-1);
    const previous = units[index - 1];
    const between = previous === undefined ? '' : text.slice(previous.end, unit.start);
    const isHeld = kind === 'list' || kind === 'code' || kind === 'fields' || unit.kind === 'table-row';
    const isParted = !isHeld && /\n[^\S\n]*\n/.test(between);
    const isClosed = previous?.kind === 'fence' && unit.kind === 'fence' && isParted;
    if (last === undefined || last.kind !== kind || kind === 'border' || isParted || isClosed)
      blocks.push({ kind, first: index, end: index + 1 });
    else last.end = index + 1;
  });
  return blocks;
}

/** Units that follow each other are one range. */
function partsOf(indices: readonly number[], units: readonly Unit[]): QuotedPart[] {
  const parts: { start: number; end: number; isInsideCode: boolean }[] = [];
  indices.forEach((index, position) => {
    const unit = units[index];
    const last = parts.at(-1);
    if (unit === undefined) return;
    if (last !== undefined && indices[position - 1] === index - 1) last.end = unit.end;
    else parts.push({ start: unit.start, end: unit.end, isInsideCode: unit.kind === 'code-line' });
  });
  return parts;
}
