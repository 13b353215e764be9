import { RAGError } from '../core/errors.js';
import type { StoreCapabilities } from '../stores/vector-store.js';
import type { RetrievalRequest } from './retriever.js';

/** Throws `QUERY_INVALID` for a number outside its range, naming it. */
export function assertRequest(request: RetrievalRequest, { maxTopK }: StoreCapabilities): void {
  const { topK, minSimilarity, mmrLambda, nearDuplicateThreshold, recencyHalfLifeDays, scoreFall } = request;
  if (!Number.isInteger(topK) || topK < 1 || topK > maxTopK)
    throw invalid(`topK must be an integer from 1 to ${maxTopK}, not ${topK}.`);
  if (!(minSimilarity >= 0 && minSimilarity <= 1))
    throw invalid(`minSimilarity must lie in [0, 1], not ${minSimilarity}.`);
  if (scoreFall !== undefined && !(scoreFall >= 0 && scoreFall < 1))
    throw invalid(`scoreFall must lie in [0, 1), not ${scoreFall}.`);
  assertShare('mmrLambda', mmrLambda);
  assertShare('nearDuplicateThreshold', nearDuplicateThreshold);
  if (recencyHalfLifeDays !== undefined && !(recencyHalfLifeDays >= 0))
    throw invalid(`recencyHalfLifeDays must be 0 or more, not ${recencyHalfLifeDays}.`);
}

function assertShare(name: string, value: number | undefined): void {
  if (value !== undefined && !(value > 0 && value <= 1))
    throw invalid(`${name} must lie in (0, 1], not ${value}.`);
}

const invalid = (message: string): RAGError => new RAGError('QUERY_INVALID', message);
