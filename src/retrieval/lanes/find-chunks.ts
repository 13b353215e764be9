import type { ScoredId, TextQuery, VectorQuery } from '../../stores/vector-store.js';
import type { Hit } from '../candidate.js';
import type { LaneInput } from './lane.js';

type Asked<Query> = Omit<Query, 'includeVectors' | 'signal'>;

/** What is near a vector: ids where the store can rank without reading records, else whole chunks. */
export async function findByVector(input: LaneInput, query: Asked<VectorQuery>): Promise<readonly Hit[]> {
  const { collection } = input;
  if (collection.rankVector !== undefined)
    return found(await collection.rankVector({ ...query, ...abort(input) }));
  return collection.searchVector({ ...query, includeVectors: input.includeVectors, ...abort(input) });
}

/** What shares terms with a query, likewise; nothing where the store cannot search for words. */
export async function findByText(input: LaneInput, query: Asked<TextQuery>): Promise<readonly Hit[]> {
  const { collection } = input;
  if (collection.rankText !== undefined)
    return found(await collection.rankText({ ...query, ...abort(input) }));
  const whole = { ...query, includeVectors: input.includeVectors, ...abort(input) };
  return (await collection.searchText?.(whole)) ?? [];
}

/** What a filter admits, by the words of the query where the store searches for words, else in the order of ids with score 0. */
export async function findWithin(
  input: LaneInput,
  filter: LaneInput['filter'],
  topK: number,
): Promise<readonly Hit[]> {
  const { collection, query } = input;
  const { terms, counts } = query.lexical;
  if (collection.searchText !== undefined && terms.length > 0)
    return findByText(input, { terms, weights: counts, topK, filter });
  const { chunks } = await collection.list({ filter, limit: topK, ...abort(input) });
  return chunks.map((chunk) => ({ chunk, score: 0 }));
}

const abort = ({ signal }: LaneInput) => (signal === undefined ? {} : { signal });

const found = (ids: readonly ScoredId[]): Hit[] => ids.map(({ id, score }) => ({ chunk: { id }, score }));
