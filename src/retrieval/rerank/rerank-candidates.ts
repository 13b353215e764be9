import { headingPathOf, titleOf } from '../../core/chunk-metadata.js';
import type { RerankCandidate } from '../../reranking/reranker.js';
import type { Candidate } from '../candidate.js';
import { fusedPartOf } from '../fusion/lane-scores.js';

/**
 * What a reranker is told of a candidate.
 * @param fusedScores what words and vectors gave, by chunk id, where something else is in the fused scores. Rerankers judge texts.
 */
export function toRerankCandidate(
  { chunk, semanticScore, keywordScore, contributions }: Candidate,
  fusedScores?: ReadonlyMap<string, number>,
): RerankCandidate {
  const title = titleOf(chunk);
  return {
    content: chunk.content,
    ...(title === undefined ? {} : { title }),
    headingPath: headingPathOf(chunk),
    identifiers: chunk.identifiers,
    ...(semanticScore === undefined ? {} : { semanticScore }),
    ...(keywordScore === undefined ? {} : { keywordScore }),
    fusedScore: fusedScores === undefined ? fusedPartOf(contributions) : (fusedScores.get(chunk.id) ?? 0),
  };
}
