import type { StoredChunk } from '../../core/chunk.js';
import { countCommon } from '../../core/count-common.js';
import { literalPattern } from '../../core/literal-pattern.js';
import { areAlternatives, areOpposite } from '../../relations/conflicts/opposites.js';
import { quantitiesOf } from '../../relations/conflicts/quantities.js';
import { statementWords } from '../../relations/conflicts/words.js';
import type { Candidate } from '../candidate.js';
import type { RemovedCandidate } from '../retriever.js';
import { isCollapsible } from './collapse.js';

export interface NearDuplicateOptions {
  /** Jaccard similarity of word triples, in (0, 1]. */
  readonly threshold: number;
  /** So many are kept; what follows is only counted. */
  readonly limit: number;
}

export interface DistinctCandidates {
  /** Each with how many were left out for it. */
  readonly kept: readonly Candidate[];
  readonly removed: readonly RemovedCandidate[];
  /** Some are near copies, so that more of them may follow. */
  readonly areCopied: boolean;
}

/** Of two releases each may be wanted; more are what a list of releases repeats. */
const LEAST_COPIES = 2;

/** A candidate that is kept, and what was left out for it. */
interface Original {
  readonly candidate: Candidate;
  readonly repeated: Candidate[];
  /** Other releases that say the same, which count when there are enough of them. */
  readonly alike: Original[];
  /** Read when another one is nearly the same. */
  facts?: ToldFacts;
}

/**
 * Keeps the best of passages that say the same in the same words: a candidate is dropped where its word triples overlap at least
 * `threshold` with a kept one, and tell the same numbers, names and denials. Releases that say the same are dropped where several do, but none that holds an identifier of the
 * query. Order is kept.
 */
export function removeNearDuplicates(
  candidates: readonly Candidate[],
  { threshold, limit }: NearDuplicateOptions,
): DistinctCandidates {
  const originals: Original[] = [];
  const seen = new SimilarSets<Original>(threshold);
  const releases = new Map<string, Original>();
  for (const candidate of candidates) {
    const shingles = wordShingles(candidate.chunk.content);
    let facts: ToldFacts | undefined;
    const repeats = seen.find(shingles, (original) => {
      facts ??= factsOf(candidate.chunk.content);
      original.facts ??= factsOf(original.candidate.chunk.content);
      return tellTheSame(facts, original.facts);
    });
    if (repeats !== undefined) {
      repeats.repeated.push(candidate);
      continue;
    }
    const original: Original = {
      candidate,
      repeated: [],
      alike: [],
      ...(facts === undefined ? {} : { facts }),
    };
    const said = saidByRelease(candidate);
    const like = said === undefined ? undefined : releases.get(said);
    if (said !== undefined && like === undefined) releases.set(said, original);
    like?.alike.push(original);
    originals.push(original);
    seen.add(shingles, original);
  }
  const dropped = new Set(originals.flatMap(({ alike }) => (alike.length < LEAST_COPIES ? [] : alike)));
  const kept = originals.filter((original) => !dropped.has(original)).slice(0, limit);
  const leftOut = ({ repeated, alike }: Original): readonly Candidate[] => [
    ...repeated,
    ...(alike.length < LEAST_COPIES ? [] : alike.flatMap((each) => [each.candidate, ...each.repeated])),
  ];
  return {
    kept: kept.map((original) => withAlike(original.candidate, leftOut(original).length)),
    removed: kept.flatMap((original) =>
      leftOut(original).map(({ chunk }) => ({
        id: chunk.id,
        step: 'near-duplicate' as const,
        detail: `of ${original.candidate.chunk.id}`,
      })),
    ),
    areCopied: originals.some(({ repeated, alike }) => repeated.length + alike.length > 0),
  };
}

const withAlike = (candidate: Candidate, alike: number): Candidate =>
  alike === 0 ? candidate : { ...candidate, more: { passages: 0, copies: 0, ...candidate.more, alike } };

/** Undefined for what is of no release, holds what the query names, or is an item of a backlog, which stands for itself. */
const saidByRelease = ({ chunk, identifierHits }: Candidate): string | undefined =>
  identifierHits > 0 || isCollapsible(chunk, 'items') ? undefined : wordsBesidesRelease(chunk);

/** What of a text its readers must not miss where another one says nearly the same. */
interface ToldFacts {
  /** Numbers, amounts and denials, in one spelling; ideographs, of which none tells a name from another word. */
  readonly exact: string;
  readonly names: readonly string[];
  readonly terms: ReadonlySet<string>;
}

/** A number of the copy, or the day of it, on a line or in a sentence of its own. */
const COPY_LABEL =
  /(?<=^|[.!?\n]\s*)(?:(?:copy|page|revision)\s+\d+(?:\s+of\s+\d+)?|(?:last\s+)?(?:updated|modified|changed|reviewed|printed|exported)(?:\s+on|\s+at|:)?\s[\d\s:.TZ/-]{6,30}\d)\s*(?=[.!?\n]|$)/gi;
const DENIAL =
  /(?<!\p{L})(?:not|no|never|none|cannot|neither|nor|without|nothing|nobody|nowhere|\p{L}+n['’]t|nicht|nichts|kein\p{L}*|nie|ohne|pas|jamais|aucun\p{L}*|sans|nunca|sin|ning\p{L}+|niet|geen|nooit|zonder)(?!\p{L})/giu;
const IDEOGRAPHS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/gu;

function factsOf(content: string): ToldFacts {
  const text = content.replace(COPY_LABEL, ' ');
  const words = statementWords(text);
  const amounts = quantitiesOf(words, text).map(
    ({ dimension, currency, amount }) => `${dimension}${currency ?? ''}${amount}`,
  );
  const numbers = text.match(/[-−]?\p{Sc}?\d+(?:[.,:/]\d+)*/gu) ?? [];
  const denials = text.match(DENIAL)?.length ?? 0;
  return {
    exact: [...amounts.sort(), ...numbers.sort(), denials, ...(text.match(IDEOGRAPHS) ?? [])].join(' '),
    names: words
      .filter(
        ({ kind, start }) => kind === 'name' || (kind === 'content' && /\p{Lu}/u.test(text.charAt(start))),
      )
      .map(({ term }) => term),
    terms: new Set(words.map(({ term }) => term)),
  };
}

/** Whether two texts tell the same numbers, names and denials, and no opposites. */
function tellTheSame(a: ToldFacts, b: ToldFacts): boolean {
  if (a.exact !== b.exact) return false;
  const isHeld = (one: ToldFacts, other: ToldFacts): boolean =>
    one.names.every((name) => other.terms.has(name));
  if (!isHeld(a, b) || !isHeld(b, a)) return false;
  const [ownA, ownB] = [a, b].map((one, at) =>
    [...one.terms].filter((term) => !(at === 0 ? b : a).terms.has(term)),
  );
  return !(ownA ?? []).some((one) =>
    (ownB ?? []).some((other) => areOpposite(one, other) || areAlternatives(one, other)),
  );
}

/**
 * Finds an earlier set that is at least `threshold` similar, without comparing all pairs: such sets share an element among
 * the first floor((1 - threshold) * size) + 1 of each, in one global order (prefix filtering; Chaudhuri et al., ICDE 2006).
 */
class SimilarSets<Name> {
  readonly #threshold: number;
  readonly #byPrefix = new Map<number, { readonly shingles: Uint32Array; readonly name: Name }[]>();

  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  add(shingles: Uint32Array, name: Name): void {
    for (const element of this.#prefixOf(shingles)) {
      const entries = this.#byPrefix.get(element);
      if (entries === undefined) this.#byPrefix.set(element, [{ shingles, name }]);
      else entries.push({ shingles, name });
    }
  }

  find(shingles: Uint32Array, isWanted: (name: Name) => boolean): Name | undefined {
    const compared = new Set<Uint32Array>();
    for (const element of this.#prefixOf(shingles)) {
      for (const entry of this.#byPrefix.get(element) ?? []) {
        if (compared.has(entry.shingles)) continue;
        compared.add(entry.shingles);
        if (jaccard(shingles, entry.shingles) >= this.#threshold && isWanted(entry.name)) return entry.name;
      }
    }
    return undefined;
  }

  #prefixOf(shingles: Uint32Array): Uint32Array {
    const length = Math.floor((1 - this.#threshold) * shingles.length + 1e-9) + 1;
    return shingles.subarray(0, length);
  }
}

/** Longer ones are sentences. */
const LONGEST_LABEL = 60;
/** What names a release: its number behind the word for it, or behind a v. */
const RELEASE =
  /\b(?:release|version|build)\s+v?\d+(?:\.\d+)*(?:[-+][\w.]+)?(?![\w.]*\w)|\bv\d+(?:\.\d+)+(?:[-+][\w.]+)?(?![\w.]*\w)|(?:第\s*\d+(?:\.\d+)*\s*版|版本\s*v?\d+(?:\.\d+)*)/giu;
const DATE = String.raw`(?:\d{4}-\d\d-\d\d|\d{1,2}\.? \p{L}+ \d{4}|\p{L}+ \d{1,2}, \d{4}|\d{1,2}[./]\d{1,2}[./]\d{4})`;
const DAY = new RegExp(String.raw`(?<![\p{L}\p{N}])${DATE}(?![\p{L}\p{N}])`, 'gu');
/** A line or a title that names a release by its number alone, or behind a name: `Buzzard 5.1`, `[6.1.0] - 2024-06-01`. */
const TITLE = new RegExp(
  String.raw`^([\s#*]*(?:\p{L}[\p{L}\p{N}_-]* ){0,4}?)\[?v?(\d+(?:\.\d+){1,2}(?:[-+][\w.]+)?)\]?((?:\s*[-–—(]?\s*${DATE}\)?)?[\s*]*)$`,
  'u',
);
/** What is no release where a number stands behind it. */
const PLACE =
  /(?:^|\s)(?:room|section|chapter|step|table|figure|part|article|page|form|minutes|level|floor|item|exercise|example|raum|abschnitt|kapitel|tabelle)\s*$/i;
/** When a release was made, in a sentence or on a line of its own. */
const RELEASED = new RegExp(
  String.raw`\b(?:released|published|release date|date)(?:\s+on|:)?\s+${DATE}`,
  'giu',
);
const FRONT_MATTER = /^---\n([\s\S]{0,2000}?)\n---\n/;
const SENTENCE_MARK = /[.,;!?。，；！？]/u;

/**
 * The words of a passage that begins with the label of a release ("Release 1.2.0:", "## v1.2.0 (2024-05-01)", "# Buzzard 5.1"), and of the
 * titles above it, without the number and the day of the release. Undefined for other passages: numbers within sentences are what they tell.
 */
function wordsBesidesRelease({ content, metadata }: StoredChunk): string | undefined {
  const [front = '', fields = ''] = FRONT_MATTER.exec(content) ?? [];
  const text = content.slice(front.length).trimStart();
  const line = /^.*/.exec(text)?.[0] ?? '';
  const byTitle = line.length > LONGEST_LABEL ? undefined : withoutTitleRelease(line);
  const end = byTitle === undefined ? text.search(/[:：\n]/u) : line.length;
  if (end < 0 || end > LONGEST_LABEL) return undefined;
  const label = byTitle ?? withoutRelease(text.slice(0, end));
  if (label === undefined || SENTENCE_MARK.test(label)) return undefined;
  const said = wordsOf(withoutOwnNumber(text.slice(end), text.slice(0, end)).replace(RELEASED, ' '));
  if (said === '') return undefined;
  const titles = [metadata.title, metadata.headingPath].flat().map((title) => String(title ?? ''));
  const stated = fields.split('\n').map((field) => {
    const [, name = '', value = ''] = /^([\w-]+:)\s*["']?(.*?)["']?$/.exec(field) ?? [];
    return `${name} ${besidesRelease(value).replace(DAY, ' ')}`;
  });
  return [...titles.map(besidesRelease), label, ...stated].map(wordsOf).concat(said).join('\n');
}

const besidesRelease = (title: string): string =>
  withoutTitleRelease(title) ?? withoutRelease(title) ?? title;

function withoutTitleRelease(line: string): string | undefined {
  const [, before, , after] = TITLE.exec(line) ?? [];
  if (before === undefined || after === undefined || PLACE.test(before)) return undefined;
  return `${before} ${after.replace(DAY, ' ')}`.replace(/[-–—]\s*$/u, '');
}

/** Notes name their own release again. */
function withoutOwnNumber(text: string, label: string): string {
  const [number] = /\d+(?:\.\d+)+(?:[-+][\w.]+)?/.exec(label) ?? [];
  if (number === undefined) return text;
  return text.replace(new RegExp(String.raw`(?<![\w.])v?${literalPattern(number)}(?![\w]|\.\d)`, 'g'), ' ');
}

function withoutRelease(label: string): string | undefined {
  const rest = label.replace(RELEASE, ' ');
  return rest === label ? undefined : rest.replace(DAY, ' ');
}

/** Signs count, but for those of punctuation: 3.5 is not 35, nor -5 the same as 5. */
const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[#*_()[\]\s]+|[.,:;!?](?!\w)|[：。，；！？]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();

/** Words in a row that make one shingle. */
const WORDS_PER_SHINGLE = 3;

// From here on (CJK radicals) scripts are written without spaces, so each character counts as a word.
const FIRST_IDEOGRAPHIC = 0x2e80;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Hashes (FNV-1a, 32 bits) of every three words in a row, distinct and ascending; case and punctuation do not count. A
 * text of fewer words has one shingle, a text without words none. Two texts share a hash by chance once in billions of pairs.
 */
export function wordShingles(text: string): Uint32Array {
  const words = wordHashes(text.toLowerCase());
  const length = words.length;
  if (length === 0) return new Uint32Array(0);
  const size = Math.min(WORDS_PER_SHINGLE, length);
  const shingles = new Uint32Array(length - size + 1);
  for (let i = 0; i < shingles.length; i++) {
    let hash = FNV_OFFSET;
    for (let j = i; j < i + size; j++) hash = Math.imul(hash ^ (words[j] ?? 0), FNV_PRIME) ^ (hash >>> 15);
    shingles[i] = hash;
  }
  return distinct(shingles.sort());
}

function wordHashes(text: string): number[] {
  const hashes: number[] = [];
  let hash = FNV_OFFSET;
  let isInWord = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const isWhole = unit >= FIRST_IDEOGRAPHIC;
    if (!isWhole && isWordUnit(unit)) {
      hash = Math.imul(hash ^ unit, FNV_PRIME);
      isInWord = true;
    } else if (isInWord) {
      hashes.push(hash);
      hash = FNV_OFFSET;
      isInWord = false;
    }
    if (isWhole) hashes.push(Math.imul(FNV_OFFSET ^ unit, FNV_PRIME));
  }
  if (isInWord) hashes.push(hash);
  return hashes;
}

// Beyond ASCII nearly every code unit belongs to a word; the few that do not only make words longer.
const isWordUnit = (unit: number): boolean =>
  (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || unit > 127;

function distinct(sorted: Uint32Array): Uint32Array {
  let length = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i > 0 && sorted[i] === sorted[i - 1]) continue;
    sorted[length++] = sorted[i] ?? 0;
  }
  return sorted.subarray(0, length);
}

/** Share of common elements in the union of two ascending sets; 0 where either is empty. */
export function jaccard(a: Uint32Array, b: Uint32Array): number {
  const common = countCommon(a, b);
  return common === 0 ? 0 : common / (a.length + b.length - common);
}
