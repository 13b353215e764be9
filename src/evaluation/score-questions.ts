import { throwIfAborted, toRAGError } from '../core/errors.js';
import { oneLine } from '../core/one-line.js';
import { percentile } from '../core/percentile.js';
import { runtime } from '../core/runtime.js';
import { computeMetric, mean } from './metrics.js';
import { areGraded, type GoldQuote, isAnswerable, MULTI, type Question } from './question-set.js';

/** A passage as a person would see it. */
export interface Passage {
  /** Relative to the root of the folder, with `/`. */
  readonly path: string;
  readonly content: string;
}

export interface QuestionScore {
  readonly id: string;
  readonly type: string;
  /** By cut-off: whether a passage covers a gold quote, in [0, 1]. */
  readonly hit: Readonly<Record<number, number>>;
  /** By cut-off: whether a passage comes from the right file. */
  readonly file: Readonly<Record<number, number>>;
  /** By cut-off, where the questions state grades: nDCG over the quotes, each counted where it is first found. */
  readonly ndcg?: Readonly<Record<number, number>>;
}

/** Means over some questions, by cut-off. */
export interface QuestionMeans {
  readonly questions: number;
  readonly hit: Readonly<Record<number, number>>;
  readonly file: Readonly<Record<number, number>>;
  readonly ndcg?: Readonly<Record<number, number>>;
}

export interface QuestionEvaluation extends QuestionMeans {
  /** Questions without an answer in the folder; not part of any mean. */
  readonly unanswerable: number;
  readonly byType: Readonly<Record<string, QuestionMeans>>;
  readonly perQuestion: readonly QuestionScore[];
  readonly latencyMs: { readonly p50: number; readonly p95: number };
}

export interface EvaluateQuestionsOptions {
  readonly questions: readonly Question[];
  /** Passages for a question, best first. */
  readonly search: (question: string, topK: number) => Promise<readonly Passage[]>;
  /** Cut-offs. Default 1, 5 and 10. */
  readonly cutoffs?: readonly number[];
  readonly signal?: AbortSignal;
}

/**
 * Asks every answerable question and scores the passages.
 *
 * `hit@k`: one of the first k passages comes from the file of a gold (or alternate) quote and covers at least its first
 * or its last half, white space normalised. `file@k`: the file alone. A `multi` question scores the share of its gold
 * quotes (files) found, and its alternates do not count.
 *
 * @throws RAGError the search's own, or `ABORTED`.
 */
export async function evaluateQuestions(options: EvaluateQuestionsOptions): Promise<QuestionEvaluation> {
  const { questions, search, cutoffs = [1, 5, 10], signal } = options;
  const topK = Math.max(...cutoffs);
  const graded = areGraded(questions);
  const perQuestion: QuestionScore[] = [];
  const times: number[] = [];
  for (const question of questions.filter(isAnswerable)) {
    throwIfAborted(signal);
    const started = runtime().elapsed();
    const passages = await search(question.question, topK).catch((error: unknown) => {
      throw toRAGError(error, 'SEARCH_FAILED', `The search for question "${question.id}" failed.`);
    });
    times.push(runtime().elapsed() - started);
    perQuestion.push({
      ...scoreQuestion(question, passages, cutoffs),
      ...(graded ? { ndcg: gradedScore(question, passages, cutoffs) } : {}),
    });
  }
  const types = [...new Set(perQuestion.map(({ type }) => type))].sort();
  const meansOfType = (type: string): QuestionMeans =>
    meansOf(
      perQuestion.filter((score) => score.type === type),
      cutoffs,
    );
  return {
    ...meansOf(perQuestion, cutoffs),
    unanswerable: questions.length - perQuestion.length,
    byType: Object.fromEntries(types.map((type) => [type, meansOfType(type)])),
    perQuestion,
    latencyMs: { p50: percentile(times, 0.5), p95: percentile(times, 0.95) },
  };
}

/** The score of one answerable question; passages best first. */
export function scoreQuestion(
  question: Question,
  passages: readonly Passage[],
  cutoffs: readonly number[],
): QuestionScore {
  const normalised = passages.map(({ path, content }) => ({ path, content: oneLine(content) }));
  const score = (k: number, found: (gold: GoldQuote, passage: Passage) => boolean): number =>
    shareFound(question, (gold) => normalised.slice(0, k).some((passage) => found(gold, passage)));
  return {
    id: question.id,
    type: question.type,
    hit: byCutoff(cutoffs, (k) => score(k, coversHalf)),
    file: byCutoff(cutoffs, (k) => score(k, (gold, passage) => gold.path === passage.path)),
  };
}

/**
 * nDCG@k by the grades of the quotes, with the gain and discount of `computeMetric`: a passage that covers half of a quote stands for it, the best one
 * where it covers several, and each quote counts once.
 */
function gradedScore(
  { gold, alternates }: Question,
  passages: readonly Passage[],
  cutoffs: readonly number[],
): Record<number, number> {
  const quotes = [...gold, ...alternates];
  const grades = new Map(quotes.map(({ grade = 1 }, at) => [String(at), grade]));
  const left = new Map(quotes.map((quote, at) => [String(at), quote]));
  const ranking = passages.map(({ path, content }, rank) => {
    const passage = { path, content: oneLine(content) };
    const found = [...left]
      .filter(([, quote]) => coversHalf(quote, passage))
      .sort(([, a], [, b]) => (b.grade ?? 1) - (a.grade ?? 1))[0];
    if (found === undefined) return `none ${rank}`;
    left.delete(found[0]);
    return found[0];
  });
  return byCutoff(cutoffs, (k) => computeMetric({ name: 'ndcg', k }, ranking, grades));
}

function shareFound(question: Question, isFound: (gold: GoldQuote) => boolean): number {
  if (question.type === MULTI) return mean(question.gold.map((gold) => (isFound(gold) ? 1 : 0)));
  return [...question.gold, ...question.alternates].some(isFound) ? 1 : 0;
}

function coversHalf(gold: GoldQuote, passage: Passage): boolean {
  return gold.path === passage.path && halvesOf(gold.quote).some((half) => passage.content.includes(half));
}

// Of an odd number of characters both halves have the middle one, so that a half is never less than half.
function halvesOf(quote: string): [string, string] {
  const text = oneLine(quote);
  return [text.slice(0, Math.ceil(text.length / 2)).trim(), text.slice(Math.floor(text.length / 2)).trim()];
}

const byCutoff = (cutoffs: readonly number[], value: (k: number) => number): Record<number, number> =>
  Object.fromEntries(cutoffs.map((k) => [k, value(k)]));

const meansOf = (scores: readonly QuestionScore[], cutoffs: readonly number[]): QuestionMeans => ({
  questions: scores.length,
  hit: byCutoff(cutoffs, (k) => mean(scores.map(({ hit }) => hit[k] ?? 0))),
  file: byCutoff(cutoffs, (k) => mean(scores.map(({ file }) => file[k] ?? 0))),
  ...(scores.every(({ ndcg }) => ndcg === undefined)
    ? {}
    : { ndcg: byCutoff(cutoffs, (k) => mean(scores.map(({ ndcg }) => ndcg?.[k] ?? 0))) }),
});
