import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client as ElasticsearchClient } from '@elastic/elasticsearch';
import * as lancedb from '@lancedb/lancedb';
import { Client as OpenSearchClient } from '@opensearch-project/opensearch';
import { ChromaClient, type Where } from 'chromadb';
import Database from 'libsql';
import pg from 'pg';
import { Index, MetricKind, ScalarKind } from 'usearch';
import { LOCAL_SCOPE } from '../../src/core/scope.js';
import { compileFilter as chromaFilter } from '../../src/stores/chroma/filter-where.js';
import { toWhere } from '../../src/stores/chroma/where-condition.js';
import { ELASTICSEARCH, OPENSEARCH } from '../../src/stores/elasticsearch/dialect.js';
import { compileFilter as searchFilter } from '../../src/stores/elasticsearch/filter-query.js';
import { compileFilter as lanceFilter } from '../../src/stores/lancedb/filter-sql.js';
import { classNameOf, shardOf } from '../../src/stores/weaviate/weaviate-names.js';
import { toGraphQl, compileFilter as weaviateFilter } from '../../src/stores/weaviate/where-filter.js';
import { DIMENSIONS } from '../speed/synthetic-chunks.js';
import { SCOPE, TOP_K } from './dataset.js';
import { COLLECTION, NAMESPACE } from './names.js';

/**
 * The same question asked without an engine: the driver that the store's maker gives, the same data and index, the filter
 * of the scope, ten hits with their contents and metadata as the driver hands them out.
 */
export interface BareClient {
  /** Gives the number of hits. */
  search(vector: Float32Array): Promise<number>;
  close(): Promise<void>;
}

export async function barePostgres(url: string, effort: number): Promise<BareClient> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`SET hnsw.ef_search = ${effort}; SET hnsw.iterative_scan = relaxed_order`);
  const sql = `SELECT id, content, metadata, 1 - (vector <=> $1) AS score FROM ${NAMESPACE}.chunks_1
    WHERE tenant = $2 AND level <= $3 AND '*' = ANY (groups) ORDER BY vector <=> $1 LIMIT ${TOP_K}`;
  const { tenant, clearance } = LOCAL_SCOPE;
  return {
    search: async (vector) =>
      (await client.query(sql, [`[${vector.join(',')}]`, tenant, clearance])).rows.length,
    close: () => client.end(),
  };
}

export async function bareChroma(url: string): Promise<BareClient> {
  const { hostname: host, port } = new URL(url);
  const client = new ChromaClient({ host, port: Number(port), ssl: false });
  const collection = await client.getCollection({ name: COLLECTION });
  const where = toWhere(await chromaFilter(SCOPE, async () => [])) as Where;
  return {
    search: async (vector) => {
      const found = await collection.query({
        queryEmbeddings: [Array.from(vector)],
        nResults: TOP_K,
        include: ['documents', 'metadatas', 'distances'],
        where,
      });
      return found.rows()[0]?.length ?? 0;
    },
    close: async () => undefined,
  };
}

export async function bareElasticsearch(url: string, effort: number): Promise<BareClient> {
  const client = new ElasticsearchClient({ node: url });
  const body = (vector: Float32Array) => searchBody(ELASTICSEARCH, vector, effort);
  return {
    search: async (vector) =>
      (await client.search({ index: `${NAMESPACE}-${COLLECTION}`, ...body(vector) })).hits.hits.length,
    close: () => client.close(),
  };
}

export async function bareOpenSearch(url: string, effort: number): Promise<BareClient> {
  const client = new OpenSearchClient({ node: url });
  return {
    search: async (vector) => {
      const body = searchBody(OPENSEARCH, vector, effort);
      const { body: found } = await client.search({ index: `${NAMESPACE}-${COLLECTION}`, body });
      return found.hits.hits.length;
    },
    close: () => client.close(),
  };
}

const searchBody = (dialect: typeof ELASTICSEARCH, vector: Float32Array, candidates: number) => ({
  ...dialect.nearest({
    vector: Array.from(vector),
    limit: TOP_K,
    candidates,
    filter: searchFilter(SCOPE),
    kind: 'hnsw',
  }),
  size: TOP_K,
  _source: ['chunk'],
});

export async function bareWeaviate(url: string): Promise<BareClient> {
  const className = classNameOf(NAMESPACE, COLLECTION);
  const shard = shardOf(LOCAL_SCOPE.tenant);
  const where = weaviateFilter(SCOPE, shard);
  if (where === undefined) throw new Error('The scope admits nothing.');
  return {
    search: async (vector) => {
      const query = `{Get{${className}(tenant:"${shard.name}",limit:${TOP_K},nearVector:{vector:[${vector.join(',')}]},where:${toGraphQl(where)}){chunk _additional{distance}}}}`;
      const answer = await fetch(`${url}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      const { data } = (await answer.json()) as { data: { Get: Record<string, unknown[]> } };
      return data.Get[className]?.length ?? 0;
    },
    close: async () => undefined,
  };
}

export async function bareLanceDb(folder: string): Promise<BareClient> {
  const connection = await lancedb.connect(folder);
  const table = await connection.openTable(COLLECTION);
  const where = lanceFilter(SCOPE);
  return {
    search: async (vector) => {
      const query = table.vectorSearch(vector).distanceType('cosine').where(where).limit(TOP_K);
      return (await query.select(['id', 'content', 'record', '_distance']).toArray()).length;
    },
    close: async () => table.close(),
  };
}

/** SQLite's own scan by libSQL's vector functions: no index, as our store has none. */
export async function bareLibsql(folder: string): Promise<BareClient> {
  const database = new Database(join(folder, 'store.db'), { readonly: true });
  const statement = database.prepare(
    `SELECT chunk_id, content, metadata, distance FROM (
      SELECT row, vector_distance_cos(vector, vector32(?)) AS distance FROM store_vector ORDER BY distance LIMIT ${TOP_K}
    ) JOIN store_chunk USING (row) JOIN store_body USING (row)`,
  );
  return {
    search: async (vector) => statement.all(`[${vector.join(',')}]`).length,
    close: async () => void database.close(),
  };
}

/**
 * The graph that our store made, searched by usearch, and the hits' rows read from the same file. Undefined where the
 * collection is too small for a graph.
 */
export async function bareUsearch(folder: string, effort: number): Promise<BareClient | undefined> {
  const file = readdirSync(folder).find((name) => name.endsWith('.usearch'));
  if (file === undefined) return undefined;
  const index = new Index({
    connectivity: 16,
    expansion_add: 128,
    expansion_search: effort,
    dimensions: DIMENSIONS,
    metric: MetricKind.IP,
    quantization: ScalarKind.F16,
    multi: false,
  });
  index.view(join(folder, file));
  const database = new Database(join(folder, 'records.db'), { readonly: true });
  const statement = database.prepare(
    'SELECT chunk_id, content, metadata FROM store_chunk JOIN store_body USING (row) WHERE row = ?',
  );
  return {
    search: async (vector) => {
      const { keys } = index.search(vector, TOP_K, 1);
      return [...keys].map((row) => statement.get(Number(row))).length;
    },
    close: async () => void database.close(),
  };
}
