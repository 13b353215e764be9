import type { RunStatement } from '../../../platform/postgres/postgres-database.js';
import type { SqlRow } from '../../../platform/postgres/postgres-session.js';
import { numberOf, numbersOf, textOf } from '../row-reader.js';
import { originalText } from '../storable-json.js';
import { decodeEntries, PackedList, type Posting, type SegmentEntry, visitPostings } from './word-codec.js';
import type { WordTables } from './word-tables.js';
import { insertPostings, insertSegment } from './write-words.js';

/** Segments of a tenant that are left alone; a search reads one row for each term and segment. */
const MAX_SEGMENTS = 16;
/** A segment that has this share of its tenant's chunks is large: merged again only where much of it was deleted. */
const LARGE_SHARE = 1 / 4;
/** Deleted chunks, as a share of all, from which everything is merged. */
const MAX_DELETED_SHARE = 1 / 4;
/** Chunks whose lists are in memory at a time, about: a pass over a range of terms for each so many. */
const CHUNKS_PER_PASS = 20_000;
const MAX_PASSES = 256;

interface StoredSegment {
  readonly id: number;
  readonly chunks: number;
}

/**
 * Merges segments, a tenant at a time, where there are many, and drops what was deleted where that is much. Call it on a
 * connection without a transaction, where no other process does the same.
 */
export async function mergeWords(run: RunStatement, tables: WordTables): Promise<void> {
  const { rows } = await run(`SELECT tenant, array_agg(id::text) AS ids, array_agg(chunks) AS chunks,
      (SELECT count(*) FROM ${tables.deletions} AS gone WHERE gone.tenant = segment.tenant) AS deleted
    FROM ${tables.segments} AS segment GROUP BY tenant`);
  for (const row of rows) {
    const tenant = textOf(row, 'tenant');
    const chunks = numbersOf(row, 'chunks');
    const segments = numbersOf(row, 'ids').map((id, i) => ({ id, chunks: chunks[i] ?? 0 }));
    const merged = segmentsToMerge(segments, numberOf(row, 'deleted'));
    if (merged.length > 0) await inSnapshot(run, () => mergeSegments(run, tables, { tenant, ids: merged }));
  }
}

/** Which segments of a tenant are made into one; none where they are well as they are. */
export function segmentsToMerge(segments: readonly StoredSegment[], deleted: number): number[] {
  const chunks = segments.reduce((sum, segment) => sum + segment.chunks, 0);
  const all = segments.map(({ id }) => id);
  if (deleted > chunks * MAX_DELETED_SHARE) return all;
  if (segments.length <= MAX_SEGMENTS) return [];
  return segments.filter((segment) => segment.chunks < chunks * LARGE_SHARE).map(({ id }) => id);
}

async function inSnapshot(run: RunStatement, work: () => Promise<void>): Promise<void> {
  await run('BEGIN ISOLATION LEVEL REPEATABLE READ');
  try {
    await work();
    await run('COMMIT');
  } catch (error) {
    await run('ROLLBACK');
    throw error;
  }
}

async function mergeSegments(
  run: RunStatement,
  tables: WordTables,
  { tenant, ids }: { readonly tenant: string; readonly ids: readonly number[] },
): Promise<void> {
  const deleted = await deletedRows(run, tables, tenant);
  const { rows } = await run(`SELECT entries FROM ${tables.segments} WHERE id = ANY($1::bigint[])`, [ids]);
  const entries = rows.flatMap(({ entries: packed }) =>
    packed instanceof Uint8Array ? decodeEntries(packed) : [],
  );
  const live = entries.filter(({ row }) => !deleted.has(row)).sort((a, b) => a.row - b.row);
  const gone = entries.flatMap(({ row }) => (deleted.has(row) ? [row] : []));
  if (live.length > 0) await writeMerged(run, tables, { tenant, ids, live, deleted });
  for (const [table, column, values] of [
    [tables.postings, 'segment', ids],
    [tables.segments, 'id', ids],
    [tables.deletions, 'row_id', gone],
  ] as const)
    await run(`DELETE FROM ${table} WHERE ${column} = ANY($1::bigint[])`, [values]);
}

async function writeMerged(
  run: RunStatement,
  tables: WordTables,
  merged: {
    readonly tenant: string;
    readonly ids: readonly number[];
    readonly live: readonly SegmentEntry[];
    readonly deleted: ReadonlySet<number>;
  },
): Promise<void> {
  const { tenant, ids, live, deleted } = merged;
  const segment = await insertSegment(run, tables, {
    tenant: originalText(tenant),
    entries: live,
    lists: new Map(),
  });
  const passes = Math.min(MAX_PASSES, Math.ceil(live.length / CHUNKS_PER_PASS));
  const sql = `SELECT encode(term, 'hex') AS term, encode(postings, 'hex') AS postings FROM ${tables.postings}
    WHERE segment = ANY($1::bigint[]) AND term >= $2::bytea AND ($3::bytea IS NULL OR term < $3::bytea)`;
  for (let pass = 0; pass < passes; pass++) {
    // Terms are hashes, so equal ranges hold about as many.
    const { rows } = await run(sql, [ids, termBound(pass / passes), termBound((pass + 1) / passes)]);
    await insertPostings(run, { postings: tables.postings, segment }, mergedLists(rows, deleted));
  }
}

/** The first term of the rest of all terms behind a share of them; null behind the last. */
const termBound = (share: number): string | null =>
  share >= 1
    ? null
    : `\\x${Math.ceil(share * MAX_PASSES)
        .toString(16)
        .padStart(2, '0')}`;

function mergedLists(rows: readonly SqlRow[], deleted: ReadonlySet<number>): Map<string, PackedList> {
  const byTerm = new Map<string, Posting[]>();
  for (const stored of rows) {
    const term = textOf(stored, 'term');
    const postings = byTerm.get(term) ?? [];
    visitPostings(Buffer.from(textOf(stored, 'postings'), 'hex'), (row, frequency, length) => {
      if (!deleted.has(row)) postings.push({ row, frequency, length });
    });
    if (postings.length > 0) byTerm.set(term, postings);
  }
  const lists = new Map<string, PackedList>();
  for (const [term, postings] of byTerm) {
    const list = new PackedList();
    // Two writers at once take their numbers in turn.
    for (const { row, frequency, length } of postings.sort((a, b) => a.row - b.row))
      list.push(row, frequency, length);
    lists.set(term, list);
  }
  return lists;
}

async function deletedRows(
  run: RunStatement,
  { deletions }: WordTables,
  tenant: string,
): Promise<Set<number>> {
  const { rows } = await run(`SELECT row_id FROM ${deletions} WHERE tenant = $1`, [tenant]);
  return new Set(rows.map((row) => numberOf(row, 'row_id')));
}
