import type { RunStatement } from '../../../platform/postgres/postgres-database.js';
import { countTerms } from '../../bm25.js';
import { numberOf, textOf } from '../row-reader.js';
import { storableText } from '../storable-json.js';
import { PackedList, type SegmentEntry, termKey } from './word-codec.js';
import type { WordTables } from './word-tables.js';

/** Rows of one statement: each has its own time limit. */
const SLICE = 2_000;

/** The words of a chunk. */
export interface ChunkWords {
  /** The chunk's key, as its layout gives it. */
  readonly key: string;
  readonly tenant: string;
  /** Terms separated by one space. */
  readonly searchText: string;
}

/** Written packed lists by term (`termKey`), and the chunks that they name. */
export interface Segment {
  readonly tenant: string;
  readonly entries: readonly SegmentEntry[];
  readonly lists: ReadonlyMap<string, PackedList>;
}

/**
 * Writes the words of chunks in place of those they had. Inside the transaction that has written the chunks themselves: the
 * lock on a chunk's row is what keeps two writers of it apart here.
 */
export async function writeWords(
  run: RunStatement,
  tables: WordTables,
  chunks: readonly ChunkWords[],
): Promise<void> {
  await deleteWords(
    run,
    tables,
    chunks.map(({ key }) => key),
  );
  const byTenant = new Map<string, ChunkWords[]>();
  for (const chunk of chunks) {
    const ofTenant = byTenant.get(chunk.tenant) ?? [];
    if (ofTenant.length === 0) byTenant.set(chunk.tenant, ofTenant);
    ofTenant.push(chunk);
  }
  for (const [tenant, ofTenant] of byTenant)
    await insertSegment(run, tables, await makeSegment(run, tables, { tenant, chunks: ofTenant }));
}

/** Forgets the words of chunks, inside the transaction that has deleted or written them; unknown keys are left out. */
export async function deleteWords(
  run: RunStatement,
  { rows, deletions, keyType }: WordTables,
  keys: readonly string[],
): Promise<void> {
  for (let start = 0; start < keys.length; start += SLICE)
    await run(
      `WITH gone AS (DELETE FROM ${rows} WHERE key = ANY($1::${keyType}[]) RETURNING row_id, tenant, length)
        INSERT INTO ${deletions} (row_id, tenant, length) SELECT row_id, tenant, length FROM gone`,
      [keys.slice(start, start + SLICE)],
    );
}

/** Forgets the words of chunks that no longer are; `sql` selects the row of a chunk by `word.key`. */
export async function forgetRowsWithout(
  run: RunStatement,
  { rows, deletions }: WordTables,
  sql: string,
): Promise<void> {
  await run(
    `WITH gone AS (DELETE FROM ${rows} AS word WHERE NOT EXISTS (${sql}) RETURNING row_id, tenant, length)
      INSERT INTO ${deletions} (row_id, tenant, length) SELECT row_id, tenant, length FROM gone`,
  );
}

/** Adds a segment and returns its id; entries must be in the order of their rows. */
export async function insertSegment(
  run: RunStatement,
  { segments, postings }: WordTables,
  { tenant, entries, lists }: Segment,
): Promise<number> {
  const packed = new PackedList();
  for (const { row, length } of entries) packed.push(row, length);
  const [row] = (
    await run(
      `INSERT INTO ${segments} (tenant, chunks, length, entries) VALUES ($1, $2, $3, $4::bytea) RETURNING id`,
      [
        storableText(tenant),
        entries.length,
        entries.reduce((sum, { length }) => sum + length, 0),
        packed.toBuffer(),
      ],
    )
  ).rows;
  const id = row === undefined ? 0 : numberOf(row, 'id');
  await insertPostings(run, { postings, segment: id }, lists);
  return id;
}

/** Adds lists to a segment that has none of their terms. */
export async function insertPostings(
  run: RunStatement,
  { postings, segment }: { readonly postings: string; readonly segment: number },
  lists: ReadonlyMap<string, PackedList>,
): Promise<void> {
  // In the order of the table's key, so that neighbouring pages are written together.
  const terms = [...lists.keys()].sort();
  for (let start = 0; start < terms.length; start += SLICE) {
    const slice = terms.slice(start, start + SLICE);
    await run(
      `INSERT INTO ${postings} (term, segment, postings)
        SELECT term, $1::bigint, postings FROM unnest($2::bytea[], $3::bytea[]) AS list(term, postings)`,
      [
        segment,
        slice.map((term) => `\\x${term}`),
        slice.map((term) => lists.get(term)?.toBuffer() ?? Buffer.alloc(0)),
      ],
    );
  }
}

async function makeSegment(
  run: RunStatement,
  tables: WordTables,
  { tenant, chunks }: { readonly tenant: string; readonly chunks: readonly ChunkWords[] },
): Promise<Segment> {
  const counted = new Map(chunks.map(({ key, searchText }) => [key, countTerms(searchText)]));
  const lengths = [...counted].map(([key, { length }]) => ({ key, length }));
  const numbered = await numberChunks(run, tables, { tenant, lengths });
  const keys = new Map<string, string>();
  const lists = new Map<string, PackedList>();
  const entries: SegmentEntry[] = [];
  for (const { row, key } of numbered) {
    const { counts, length } = counted.get(key) ?? countTerms('');
    entries.push({ row, length });
    for (const [term, frequency] of counts) {
      const name = keys.get(term) ?? termKey(term);
      const list = lists.get(name) ?? new PackedList();
      keys.set(term, name);
      lists.set(name, list);
      list.push(row, frequency, length);
    }
  }
  return { tenant, entries, lists };
}

/** Gives each chunk a number of its own, ascending. */
async function numberChunks(
  run: RunStatement,
  { rows, keyType }: WordTables,
  {
    tenant,
    lengths,
  }: {
    readonly tenant: string;
    readonly lengths: readonly { readonly key: string; readonly length: number }[];
  },
): Promise<{ row: number; key: string }[]> {
  const numbered: { row: number; key: string }[] = [];
  for (let start = 0; start < lengths.length; start += SLICE) {
    const slice = lengths.slice(start, start + SLICE);
    const inserted = await run(
      `INSERT INTO ${rows} (key, tenant, length)
        SELECT key, $1, length FROM unnest($2::${keyType}[], $3::integer[]) AS chunk(key, length)
        RETURNING row_id, key::text`,
      [storableText(tenant), slice.map(({ key }) => key), slice.map(({ length }) => length)],
    );
    for (const row of inserted.rows) numbered.push({ row: numberOf(row, 'row_id'), key: textOf(row, 'key') });
  }
  return numbered.sort((a, b) => a.row - b.row);
}
