import type { RunStatement } from '../../../platform/postgres/postgres-database.js';

/**
 * The words of a collection, in four tables beside its chunks:
 *
 * - `word_rows`: each chunk that exists, with the number under which its words are found. Every write of a chunk gives it a new
 *   number, so nothing below is ever changed in place.
 * - `word_segments`: one for each written batch and tenant, with the numbers and lengths of the chunks in it.
 * - `word_postings`: for each term of a segment, packed, the numbers of the chunks that hold it, how often, and their length.
 * - `word_deletions`: numbers whose chunk was deleted or replaced, until their segment is merged.
 *
 * So a search reads one row for each term and segment, and every statistic of BM25 is exact at any moment.
 */
export interface WordTables {
  /** Quoted name of our schema. */
  readonly schema: string;
  readonly rows: string;
  readonly segments: string;
  readonly postings: string;
  readonly deletions: string;
  /** SQL type of the key by which a chunk is known to its table. */
  readonly keyType: string;
}

/** The tables of the collection with this id. */
export function wordTables(schema: string, id: number, keyType: string): WordTables {
  const named = (part: string): string => `${schema}.word_${part}_${id}`;
  return {
    schema,
    rows: named('rows'),
    segments: named('segments'),
    postings: named('postings'),
    deletions: named('deletions'),
    keyType,
  };
}

/** All of them, for what is done to each. */
export const wordTableNames = ({ rows, segments, postings, deletions }: WordTables): readonly string[] => [
  rows,
  segments,
  postings,
  deletions,
];

export async function createWordTables(run: RunStatement, tables: WordTables): Promise<void> {
  const tenant = 'tenant text COLLATE "C" NOT NULL';
  await run(`CREATE TABLE ${tables.rows} (
    row_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key ${tables.keyType} NOT NULL UNIQUE,
    ${tenant},
    length integer NOT NULL
  )`);
  await run(`CREATE TABLE ${tables.segments} (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ${tenant},
    chunks integer NOT NULL,
    length bigint NOT NULL,
    entries bytea NOT NULL
  )`);
  // A term is kept as the first half of its SHA-256, which any text has.
  await run(`CREATE TABLE ${tables.postings} (
    term bytea NOT NULL,
    segment bigint NOT NULL,
    postings bytea NOT NULL,
    PRIMARY KEY (term, segment)
  )`);
  await run(
    `CREATE TABLE ${tables.deletions} (row_id bigint PRIMARY KEY, ${tenant}, length integer NOT NULL)`,
  );
}

/** Quiet where they are not there. */
export async function dropWordTables(run: RunStatement, tables: WordTables): Promise<void> {
  await run(`DROP TABLE IF EXISTS ${wordTableNames(tables).join(', ')}`);
}
