import { analyzeText } from '../analysis/lexical-analyzer.js';
import type { ContextEntry } from '../context/context-pack.js';
import { neutralise } from '../context/neutralise.js';
import type { AnswerDraft } from './answer-draft.js';
import { type CandidateSentence, candidateSentences, SENTENCE_FEATURES } from './sentence-features.js';
import { SENTENCE_WEIGHTS } from './sentence-weights.js';

/** A sentence and how likely it is the one that answers. */
export interface RankedSentence {
  readonly sentence: CandidateSentence;
  /** Sum of weighted features; only differences mean something. */
  readonly logit: number;
  /** Share among all sentences of the passages, in [0, 1]. */
  readonly probability: number;
}

export interface ExtractiveOptions {
  /** @default 3 */
  readonly maxSentences?: number;
}

const DEFAULT_SENTENCES = 3;
/** A further sentence is shown when it is at least this likely, against the best one. */
const LEAST_SHARE = 0.2;
/** A further sentence is not shown when so many of its words are in a shown one already. */
const MOST_REPEATED = 0.7;

/**
 * A line of code shares words with a question by its names and seldom tells what they mean, so prose of equal evidence goes
 * first. Chosen by hand on this project's documentation: the questions that the weights were fitted on have no code.
 */
const CODE_LINE_LOGIT = -2;

/** All sentences of the passages, most likely to answer first. */
export function rankSentences(question: string, entries: readonly ContextEntry[]): RankedSentence[] {
  const candidates = candidateSentences(question, entries).map((sentence) => ({
    sentence,
    logit: SENTENCE_FEATURES.reduce(
      (sum, name) => sum + SENTENCE_WEIGHTS[name] * sentence.features[name],
      sentence.kind === 'code-line' ? CODE_LINE_LOGIT : 0,
    ),
  }));
  const highest = candidates.reduce((most, { logit }) => Math.max(most, logit), Number.NEGATIVE_INFINITY);
  const total = candidates.reduce((sum, { logit }) => sum + Math.exp(logit - highest), 0);
  return candidates
    .map((candidate) => ({ ...candidate, probability: Math.exp(candidate.logit - highest) / total }))
    .sort((a, b) => b.logit - a.logit);
}

/**
 * The sentences of the passages that answer best, each with its citation, and no language model: nothing in it was not
 * written by the sources. Undefined where the passages hold no sentence.
 */
export function extractAnswer(
  ranked: readonly RankedSentence[],
  { maxSentences = DEFAULT_SENTENCES }: ExtractiveOptions = {},
): AnswerDraft | undefined {
  const [best] = ranked;
  if (best === undefined) return undefined;
  const chosen: RankedSentence[] = [best];
  for (const candidate of ranked.slice(1)) {
    if (chosen.length >= maxSentences || candidate.probability < LEAST_SHARE * best.probability) break;
    if (!chosen.some((other) => repeats(candidate, other))) chosen.push(candidate);
  }
  const sentences = chosen.map(({ sentence }) => ({
    text: shownSentence(sentence),
    cites: [sentence.entry.n],
    evidence: { entry: sentence.entry, start: sentence.start, end: sentence.end, quote: sentence.text },
  }));
  return {
    text: sentences.map(({ text, cites }) => `${text} [${cites.join(', ')}]`).join('\n\n'),
    sentences,
  };
}

function repeats({ sentence: a }: RankedSentence, { sentence: b }: RankedSentence): boolean {
  const terms = new Set(analyzeText(a.text));
  const others = new Set(analyzeText(b.text));
  const common = [...terms].filter((term) => others.has(term)).length;
  return terms.size === 0 || common / terms.size >= MOST_REPEATED;
}

const LIST_MARK = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/;

/** As a line of text: without list marks, cells divided by commas, code as code. */
function shownSentence({ text, kind }: CandidateSentence): string {
  if (kind === 'code-line') return `\`${text.trim().replaceAll('`', "'")}\``;
  const cells = kind === 'table-row' ? cellsOf(text).join(', ') : text.replace(LIST_MARK, '');
  return neutralise(cells).replace(/\s+/g, ' ').trim();
}

const cellsOf = (row: string): string[] =>
  row
    .split('|')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '');
