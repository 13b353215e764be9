import { DegradationLevel } from '../../core/degradation.js';
import type { ToldDegradation } from './degradation-report.js';

/** A response, of which what it says of its causes is read: the fields of an answer and of a search. */
export interface DegradedResponse extends ToldDegradation {
  readonly fallback?: { readonly reason: string };
  readonly lanes?: readonly { readonly lane: string; readonly status: string }[];
  readonly stages?: { readonly rerank?: number };
}

const WORDS: Readonly<Record<DegradationLevel, string>> = {
  [DegradationLevel.FULL_RAG]: 'everything',
  [DegradationLevel.NO_RERANKING]: 'without the reranker',
  [DegradationLevel.CACHED_ONLY]: 'as it was found before',
  [DegradationLevel.KEYWORD_ONLY]: 'by words alone',
  [DegradationLevel.STATIC_ONLY]: 'static texts alone',
  [DegradationLevel.DISABLED]: 'switched off',
};

/** What a response lacks at its level, in words. Level 1 has many causes: those that hold are named. */
export function levelWords(response: DegradedResponse): string {
  const { degradationLevel: level } = response;
  if (level !== DegradationLevel.NO_RERANKING) return WORDS[level] ?? 'degraded';
  const causes = causesOf(response);
  if (causes.length > 0) return causes.join(', ');
  return response.stages?.rerank === undefined || isOut(response, 'rerank')
    ? WORDS[level]
    : 'a part did not answer';
}

function causesOf(response: DegradedResponse): string[] {
  const { degradation, fallback, lanes = [] } = response;
  const isRerankerOut = degradation?.parts.includes('reranker') === true || isOut(response, 'rerank');
  const failed = lanes.filter(({ lane, status }) => status === 'failed' && lane !== 'rerank');
  return [
    ...(isRerankerOut ? [WORDS[DegradationLevel.NO_RERANKING]] : []),
    ...failed.map(({ lane }) => `without the ${lane} lane`),
    ...(fallback === undefined ? [] : [wordsOf(fallback.reason)]),
  ];
}

const isOut = ({ lanes = [] }: DegradedResponse, wanted: string): boolean =>
  lanes.some(({ lane, status }) => lane === wanted && status === 'failed');

const wordsOf = (reason: string): string =>
  reason === 'UNSUPPORTED_ANSWER' ? "the language model's answer was removed" : 'without the language model';
