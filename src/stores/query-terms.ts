import { RAGError } from '../core/errors.js';
import { and, eq, type Filter } from '../core/filter.js';
import type { TextQuery } from './vector-store.js';

/**
 * The distinct terms of a query, each with what it counts: its weights together. Throws `QUERY_INVALID` for a weight that is
 * not above zero, and where there are not as many weights as terms.
 */
export function termWeights({
  terms,
  weights,
}: Pick<TextQuery, 'terms' | 'weights'>): ReadonlyMap<string, number> {
  if (weights !== undefined && weights.length !== terms.length)
    throw new RAGError(
      'QUERY_INVALID',
      `A text query has ${terms.length} terms and ${weights.length} weights; give one for each, or none.`,
    );
  const byTerm = new Map<string, number>();
  for (const [i, term] of terms.entries()) {
    const weight = weights === undefined ? 1 : weights[i];
    if (weight === undefined || !(weight > 0) || !Number.isFinite(weight))
      throw new RAGError('QUERY_INVALID', `The weight of a term must be a number above 0, not ${weight}.`);
    byTerm.set(term, (byTerm.get(term) ?? 0) + weight);
  }
  return byTerm;
}

/** The filter of a query, narrowed to its tenant: for stores that cannot keep the statistics of tenants apart. */
export const ofTenant = ({ tenant, filter }: Pick<TextQuery, 'tenant' | 'filter'>): Filter =>
  tenant === undefined ? filter : and(eq('$tenant', tenant), filter);
