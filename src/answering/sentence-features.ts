import type { ContextEntry } from '../context/context-pack.js';
import { asksForLink, isLinkAlone } from '../core/analysis/bare-links.js';
import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import { type PassageUnit, passageUnits } from '../core/analysis/passage-units.js';
import type { TextRange } from '../core/document.js';
import { answerTypeEvidence } from './expected-answer.js';

/** What tells a sentence that answers, each in about [0, 1]. */
export const SENTENCE_FEATURES = [
  /** Share of the question's terms in the sentence, rare ones counting more. */
  'coverage',
  /** The same with the title and headings above it. */
  'headedCoverage',
  /** The most of it within twelve words. */
  'density',
  /** Coverage of the sentences before and after. */
  'before',
  'after',
  /** Relevance of the passage, and 1 / (1 + its rank). */
  'passage',
  'rank',
  /** It holds what the question asks for (a number, a name), and near words of the question. */
  'answerType',
  'answerNear',
  /** Words that the question lacks, up to six. */
  'novelty',
  /** Position in its passage, 0 first. */
  'position',
] as const;
export type SentenceFeature = (typeof SENTENCE_FEATURES)[number];

/** A sentence, list item, row or line of a passage that could answer. */
export interface CandidateSentence extends TextRange {
  /** Offsets are of the stored revision of this entry. */
  readonly entry: ContextEntry;
  /** Exact. */
  readonly text: string;
  readonly kind: string;
  readonly features: Readonly<Record<SentenceFeature, number>>;
}

interface Unit extends TextRange {
  readonly entry: ContextEntry;
  readonly rank: number;
  readonly position: number;
  readonly text: string;
  readonly kind: string;
  readonly terms: ReadonlySet<string>;
  /** The heading above it inside of the passage; absent where the passage begins below its heading. */
  readonly heading?: string | undefined;
}

const TELLS_NOTHING: ReadonlySet<PassageUnit['kind']> = new Set([
  'heading',
  'fence',
  'table-head',
  'definition',
]);

/** What no reader sees. */
export const isComment = (text: string): boolean => /^\s*<!--/.test(text);

const DENSITY_WINDOW = 12;
const NOVELTY_ENOUGH = 6;

/**
 * Every sentence of the entries with its features. Sentences that give orders to a language model are left out, and those that
 * only ask the question again.
 */
export function candidateSentences(question: string, entries: readonly ContextEntry[]): CandidateSentence[] {
  const terms = new Set(analyzeText(question));
  const passages = entries.filter(({ kind }) => kind === 'passage');
  const ranked = [...passages].sort((a, b) => b.score - a.score || a.n - b.n);
  const wantsLink = asksForLink(question);
  const units = ranked.map((entry, rank) =>
    unitsOf(entry, rank).filter(
      (unit) => !onlyAsks(unit, question) && (wantsLink || !isLinkAlone(unit.text)),
    ),
  );
  const weigh = termWeights(terms, units.flat());
  return units.flatMap((own) =>
    own.map((unit, index) => ({
      entry: unit.entry,
      start: unit.start,
      end: unit.end,
      text: unit.text,
      kind: unit.kind,
      features: featuresOf(unit, { question, terms, weigh, before: own[index - 1], after: own[index + 1] }),
    })),
  );
}

/** Words behind a question in a line of code, at least, for which it is data on one line rather than an example. */
const LEAST_TOLD = 8;

/** Whether a unit asks the very question and tells nothing after it, or is a line of code with hardly more than it: an example, not an answer. */
function onlyAsks({ text, kind }: Unit, question: string): boolean {
  const asked = `${flat(question).replace(/[?\s]+$/, '')}?`;
  const at = flat(text).indexOf(asked);
  if (asked === '?' || at < 0) return false;
  const told =
    flat(text)
      .slice(at + asked.length)
      .match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return told < (kind === 'code-line' ? LEAST_TOLD : 1);
}

const flat = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim();

function unitsOf(entry: ContextEntry, rank: number): Unit[] {
  const units = entry.pieces.flatMap((piece) =>
    withHeadings(piece.text, passageUnits(piece.text, entry.metadata))
      .filter(({ kind }) => !TELLS_NOTHING.has(kind))
      .filter(({ start, end }) => !isComment(piece.text.slice(start, end)))
      .map(({ start, end, kind, heading }) => ({
        entry,
        rank,
        kind,
        heading,
        start: piece.start + start,
        end: piece.start + end,
        text: piece.text.slice(start, end),
      })),
  );
  const safe = units.filter(
    (unit) => !entry.flags.some((flag) => flag.start < unit.end && flag.end > unit.start),
  );
  return safe.map((unit, index) => ({
    ...unit,
    position: index / safe.length,
    terms: new Set(analyzeText(unit.text)),
  }));
}

/** Each unit with the nearest heading before it. */
function withHeadings(
  text: string,
  units: readonly PassageUnit[],
): (PassageUnit & { readonly heading: string | undefined })[] {
  let heading: string | undefined;
  return units.map((unit) => {
    if (unit.kind === 'heading') heading = text.slice(unit.start, unit.end);
    return { ...unit, heading };
  });
}

type Weigh = (terms: ReadonlySet<string>) => number;

/** Share of the question's terms, weighted by BM25's idf over the sentences at hand. */
function termWeights(terms: ReadonlySet<string>, units: readonly Unit[]): Weigh {
  const weights = new Map<string, number>();
  for (const term of terms) {
    const count = units.filter((unit) => unit.terms.has(term)).length;
    weights.set(term, Math.log(1 + (units.length - count + 0.5) / (count + 0.5)));
  }
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return () => 0;
  return (found) => {
    let sum = 0;
    for (const [term, weight] of weights) if (found.has(term)) sum += weight;
    return sum / total;
  };
}

interface FeatureInput {
  readonly question: string;
  readonly terms: ReadonlySet<string>;
  readonly weigh: Weigh;
  readonly before: Unit | undefined;
  readonly after: Unit | undefined;
}

function featuresOf(
  unit: Unit,
  { question, terms, weigh, before, after }: FeatureInput,
): Readonly<Record<SentenceFeature, number>> {
  const { entry, rank, text } = unit;
  const headings = analyzeText([entry.title ?? '', ...entry.headingPath, unit.heading ?? ''].join(' '));
  const type = answerTypeEvidence(question, text);
  const novel = [...unit.terms].filter((term) => !terms.has(term)).length;
  return {
    coverage: weigh(unit.terms),
    headedCoverage: weigh(new Set([...unit.terms, ...headings])),
    density: densityOf(text, terms, weigh),
    before: before === undefined ? 0 : weigh(before.terms),
    after: after === undefined ? 0 : weigh(after.terms),
    passage: entry.score,
    rank: 1 / (1 + rank),
    answerType: type.present,
    answerNear: type.near,
    novelty: Math.min(1, novel / NOVELTY_ENOUGH),
    position: unit.position,
  };
}

function densityOf(text: string, terms: ReadonlySet<string>, weigh: Weigh): number {
  const words = (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => analyzeText(word)[0] ?? '');
  let best = 0;
  for (let at = 0; at < words.length; at++) {
    if (!terms.has(words[at] ?? '')) continue;
    best = Math.max(best, weigh(new Set(words.slice(at, at + DENSITY_WINDOW))));
  }
  return best;
}
