import { asCosine } from '../best-hits.js';
import { ZERO_VECTOR_KEY } from './facet-keys.js';
import { bothOf, FACETS, type Query } from './filter-query.js';
import { connectElasticsearch, connectOpenSearch } from './server-driver.js';
import type { VectorIndexKind } from './server-options.js';

/** The field of unit vectors that the server searches; absent for a vector that is all zero. */
export const EMBEDDING = 'embedding';

/** Graph of 16 neighbours a node, built looking at 64 candidates: the settings of every server store. */
const GRAPH = { m: 16, ef_construction: 64 };

export interface NearestQuery {
  /** Of unit length. */
  readonly vector: readonly number[];
  readonly limit: number;
  /** Nodes that a graph search visits at least. */
  readonly candidates: number;
  readonly filter: Query;
  readonly kind: VectorIndexKind;
}

/** In what the two servers differ. */
export interface Dialect {
  readonly name: 'elasticsearch' | 'opensearch';
  /** For messages. */
  readonly title: string;
  readonly maxDimensions: number;
  readonly connect: typeof connectElasticsearch;
  /** Settings of an index that holds vectors. */
  readonly settings: (kind: VectorIndexKind) => Readonly<Record<string, unknown>>;
  /** Mapping of the vector field. */
  readonly vectorField: (dimensions: number, kind: VectorIndexKind) => Readonly<Record<string, unknown>>;
  /** The part of a search body that asks for the nearest vectors. */
  readonly nearest: (query: NearestQuery) => Readonly<Record<string, unknown>>;
  /** The cosine that a score of that search stands for, or undefined where it can only be computed from the vector. */
  readonly cosineOf: (kind: VectorIndexKind) => ((score: number) => number) | undefined;
}

// Lucene's score of a cosine is (1 + cosine) / 2, which is never negative.
const cosineOfLucene = (score: number): number => asCosine(2 * score - 1);

export const ELASTICSEARCH: Dialect = {
  name: 'elasticsearch',
  title: 'Elasticsearch',
  maxDimensions: 4_096,
  connect: connectElasticsearch,
  settings: () => ({}),
  vectorField: (dims, kind) => ({
    type: 'dense_vector',
    dims,
    index: true,
    similarity: 'cosine',
    // Named, because the default quantises the vectors, which costs recall.
    index_options: kind === 'hnsw' ? { type: 'hnsw', ...GRAPH } : { type: 'flat' },
  }),
  nearest: ({ vector, limit, candidates, filter }) => ({
    knn: { field: EMBEDDING, query_vector: vector, k: limit, num_candidates: candidates, filter },
  }),
  cosineOf: () => cosineOfLucene,
};

export const OPENSEARCH: Dialect = {
  name: 'opensearch',
  title: 'OpenSearch',
  maxDimensions: 16_000,
  connect: connectOpenSearch,
  // Without it the vectors are kept for scripts and no graph is built.
  settings: (kind) => ({ knn: kind === 'hnsw' }),
  vectorField: (dimension, kind) => ({
    type: 'knn_vector',
    dimension,
    ...(kind === 'flat'
      ? {}
      : { method: { name: 'hnsw', engine: 'lucene', space_type: 'cosinesimil', parameters: GRAPH } }),
  }),
  nearest: ({ vector, candidates, filter, kind }) => ({
    query:
      kind === 'hnsw'
        ? { knn: { [EMBEDDING]: { vector, k: candidates, filter } } }
        : {
            script_score: {
              query: bothOf(filter, { bool: { must_not: [{ term: { [FACETS]: ZERO_VECTOR_KEY } }] } }),
              script: {
                lang: 'knn',
                source: 'knn_score',
                params: { field: EMBEDDING, query_value: vector, space_type: 'cosinesimil' },
              },
            },
          },
  }),
  // Versions disagree on the score of the script: 1 + cosine, or half of it.
  cosineOf: (kind) => (kind === 'hnsw' ? cosineOfLucene : undefined),
};
