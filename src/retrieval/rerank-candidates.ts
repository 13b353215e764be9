import type { RerankCandidate } from '../reranking/reranker.js';
import type { Candidate } from './candidate.js';
import { fusedPartOf } from './fusion/lane-scores.js';

/** What a reranker is told of a candidate. */
export function toRerankCandidate({
  chunk,
  semanticScore,
  keywordScore,
  contributions,
}: Candidate): RerankCandidate {
  const { title, headingPath } = chunk.metadata;
  return {
    content: chunk.content,
    ...(typeof title === 'string' ? { title } : {}),
    headingPath: Array.isArray(headingPath) ? headingPath.filter((part) => typeof part === 'string') : [],
    identifiers: chunk.identifiers,
    ...(semanticScore === undefined ? {} : { semanticScore }),
    ...(keywordScore === undefined ? {} : { keywordScore }),
    fusedScore: fusedPartOf(contributions),
  };
}
