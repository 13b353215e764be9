import { randomUUID } from 'node:crypto';
import { Client as ElasticsearchClient } from '@elastic/elasticsearch';
import * as lancedb from '@lancedb/lancedb';
import { Client as OpenSearchClient } from '@opensearch-project/opensearch';
import Database from 'libsql';
import pg from 'pg';
import type { BuiltProvider } from '../../src/config/schema/storage.js';
import type { AnswersInput, Rankings } from './store-answers.js';

type Documents = AnswersInput['documents'];
type Query = AnswersInput['queries']['scifact'][number];

/** How a store ranks plain text by itself: with its own analysis and its own formula, any word of the query sufficing. */
export interface OwnTextRanking {
  /** In words, for the page. */
  readonly name: string;
  /** Writes the documents beside what the engine wrote. */
  open(place: string, documents: Documents): Promise<OpenRanking>;
}

interface OpenRanking {
  /** The ids of the ten best. */
  rank(query: string): Promise<readonly string[]>;
  close(): unknown;
}

const TOP_K = 10;
const NAME = 'own_text';

const textOf = ({ title, text }: Documents[number]): string => `${title}\n\n${text}`;
/** Words without anything that a query language could read as an operator. */
const wordsOf = (query: string): string[] => query.match(/[\p{L}\p{N}]+/gu) ?? [];

export const OWN_TEXT_RANKINGS: Partial<Record<BuiltProvider, OwnTextRanking>> = {
  libsql: {
    name: 'FTS5 `bm25`, tokenizer `porter`',
    open: async (_place, documents) => {
      const database = new Database(':memory:');
      database.exec(
        `CREATE VIRTUAL TABLE ${NAME} USING fts5(id UNINDEXED, text, tokenize = 'porter unicode61')`,
      );
      const insert = database.prepare(`INSERT INTO ${NAME} (id, text) VALUES (?, ?)`);
      for (const document of documents) insert.run(document.id, textOf(document));
      const select = database.prepare(
        `SELECT id FROM ${NAME} WHERE ${NAME} MATCH ? ORDER BY rank LIMIT ${TOP_K}`,
      );
      return {
        rank: async (query) => {
          const match = wordsOf(query)
            .map((word) => `"${word}"`)
            .join(' OR ');
          return (select.all(match) as { id: string }[]).map(({ id }) => id);
        },
        close: () => database.close(),
      };
    },
  },
  lancedb: {
    name: 'full-text index, English stems and stop words',
    open: async (place, documents) => {
      const connection = await lancedb.connect(`${place}/${NAME}`);
      const rows = documents.map((document) => ({ id: document.id, text: textOf(document) }));
      const table = await connection.createTable(NAME, rows);
      const config = lancedb.Index.fts({ stem: true, removeStopWords: true, language: 'English' });
      await table.createIndex('text', { config });
      return {
        rank: async (query) => {
          const match = new lancedb.MatchQuery(wordsOf(query).join(' '), 'text');
          const found: { id: string }[] = await table
            .query()
            .fullTextSearch(match)
            .select(['id', '_score'])
            .limit(TOP_K)
            .toArray();
          return found.map(({ id }) => id);
        },
        close: () => connection.close(),
      };
    },
  },
  postgres: {
    name: '`ts_rank` over `to_tsvector(english)`',
    open: async (place, documents) => {
      const client = new pg.Client({ connectionString: place });
      await client.connect();
      await client.query(`CREATE TABLE ${NAME} (id text PRIMARY KEY, words tsvector)`);
      const [ids, texts] = [documents.map(({ id }) => id), documents.map(textOf)];
      await client.query(
        `INSERT INTO ${NAME} SELECT id, to_tsvector('english', text) FROM unnest($1::text[], $2::text[]) AS given (id, text)`,
        [ids, texts],
      );
      // plainto_tsquery asks for all words; any of them shall do, as in BM25.
      const sql = `SELECT id FROM ${NAME}, CAST(replace(CAST(plainto_tsquery('english', $1) AS text), '&', '|') AS tsquery) AS asked
        WHERE words @@ asked ORDER BY ts_rank(words, asked) DESC, id LIMIT ${TOP_K}`;
      return {
        rank: async (query) => (await client.query<{ id: string }>(sql, [query])).rows.map(({ id }) => id),
        close: () => client.end(),
      };
    },
  },
  elasticsearch: {
    name: "Lucene's BM25, analyzer `standard`",
    open: async (place, documents) => {
      const client = new ElasticsearchClient({ node: place });
      await client.indices.create({ index: NAME, mappings: { properties: { text: { type: 'text' } } } });
      await client.bulk({ index: NAME, operations: bulkOf(documents), refresh: true });
      return {
        rank: async (query) => {
          const { hits } = await client.search({
            index: NAME,
            query: { match: { text: query } },
            size: TOP_K,
          });
          return hits.hits.flatMap(({ _id }) => _id ?? []);
        },
        close: () => client.close(),
      };
    },
  },
  opensearch: {
    name: "Lucene's BM25, analyzer `english`",
    open: async (place, documents) => {
      const client = new OpenSearchClient({ node: place });
      const mappings = { properties: { text: { type: 'text', analyzer: 'english' } } } as const;
      await client.indices.create({ index: NAME, body: { mappings } });
      await client.bulk({ index: NAME, body: bulkOf(documents), refresh: true });
      return {
        rank: async (query) => {
          const body = { query: { match: { text: { query } } }, size: TOP_K };
          const { body: found } = await client.search({ index: NAME, body });
          return found.hits.hits.flatMap(({ _id }) => _id ?? []);
        },
        close: () => client.close(),
      };
    },
  },
  weaviate: {
    name: 'BM25F, tokenization `word`',
    open: async (place, documents) => {
      const className = 'OwnText';
      await weaviate(place, 'schema', {
        class: className,
        vectorizer: 'none',
        properties: [
          { name: 'name', dataType: ['text'], indexSearchable: false },
          { name: 'text', dataType: ['text'] },
        ],
      });
      for (let start = 0; start < documents.length; start += 500) {
        const objects = documents.slice(start, start + 500).map((document) => ({
          class: className,
          id: randomUUID(),
          properties: { name: document.id, text: textOf(document) },
        }));
        await weaviate(place, 'batch/objects', { objects });
      }
      return {
        rank: async (query) => {
          const asked = `{Get{${className}(limit:${TOP_K},bm25:{query:${JSON.stringify(query)},properties:["text"]}){name}}}`;
          const { data } = (await weaviate(place, 'graphql', { query: asked })) as {
            data: { Get: Record<string, { name: string }[]> };
          };
          return (data.Get[className] ?? []).map(({ name }) => name);
        },
        close: () => undefined,
      };
    },
  },
};

const bulkOf = (documents: Documents): object[] =>
  documents.flatMap((document) => [{ index: { _id: document.id } }, { text: textOf(document) }]);

async function weaviate(url: string, path: string, body: object): Promise<unknown> {
  const answer = await fetch(`${url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** What a store ranks by itself; undefined where it ranks no text. */
export async function ownRankings(
  store: BuiltProvider,
  place: string,
  { documents, queries }: { readonly documents: Documents; readonly queries: readonly Query[] },
): Promise<{ readonly name: string; readonly rankings: Rankings } | undefined> {
  const own = OWN_TEXT_RANKINGS[store];
  if (own === undefined) return undefined;
  const ranking = await own.open(place, documents);
  const rankings: Record<string, readonly string[]> = {};
  for (const { id, text } of queries) rankings[id] = await ranking.rank(text);
  await ranking.close();
  return { name: own.name, rankings };
}
