import { logOddsOf, sigmoid } from '../../core/logistic.js';
import { compareCandidates, type FoundCandidate, withContribution } from '../candidate.js';
import type { ReadChunks } from '../read-chunks.js';
import type { ConnectionOf } from './graph-step.js';
import { newnessAmong } from './places.js';

/** Log-odds for an item that is behind the newest by a factor of e less: items refer to what is new, much more than to what is old. */
const NEWER = 0.5;

/**
 * What a reranker ordered by text alone, ordered by text and connections: their log-odds are added. What was not reranked stays where it is, for
 * there the graph's lane has its share in the order.
 */
export async function orderByGraph(
  candidates: readonly FoundCandidate[],
  { connectionOf, read }: { readonly connectionOf: ConnectionOf | undefined; readonly read: ReadChunks },
): Promise<readonly FoundCandidate[]> {
  if (connectionOf === undefined) return candidates;
  const isReranked = ({ rerankScore }: FoundCandidate): boolean => rerankScore !== undefined;
  const reranked = await read(candidates.filter(isReranked));
  const newness = newnessAmong(reranked.map(({ chunk }) => chunk));
  const connected = reranked.map((candidate): FoundCandidate => {
    const connection = connectionOf(candidate.chunk) + NEWER * newness(candidate.chunk);
    if (connection === 0) return candidate;
    const order = candidate.score - candidate.identifierHits;
    const score = sigmoid(logOddsOf(order) + connection);
    return { ...withContribution(candidate, 'graph', score - order), isConnected: connection > 0 };
  });
  return [...connected.sort(compareCandidates), ...candidates.filter((candidate) => !isReranked(candidate))];
}
