import type { Filter } from '../../../core/filter.js';
import type { RunStatement } from '../../../platform/postgres/postgres-database.js';
import type { SqlRow } from '../../../platform/postgres/postgres-session.js';
import { type TextStatistics, termScorer } from '../../bm25.js';
import { termWeights } from '../../query-terms.js';
import { TopK } from '../../top-k.js';
import type { TextQuery } from '../../vector-store.js';
import { compileFilter } from '../filter-sql.js';
import { numberOf, textOf } from '../row-reader.js';
import { Parameters } from '../sql-text.js';
import { storableText } from '../storable-json.js';
import type { TableLayout } from '../table-layout.js';
import { termKey, visitPostings } from './word-codec.js';
import type { WordTables } from './word-tables.js';

/** Chunks that are offered to the filter first, at least and for each hit that is wanted. */
const MIN_OFFERED = 128;
const OFFERED_PER_HIT = 2;
/** Chunks up to which those that a filter admits are read first, and only they are ranked. */
const FEW_ROWS = 1_000;

/** Numbers of chunks with their scores, best first. */
interface RankedRows {
  /** So many that looking each up by itself is slower than reading them in whatever order. */
  readonly areMany?: boolean;
  readonly rows: readonly number[];
  readonly scores: readonly number[];
}

/**
 * The best chunks by exact BM25 over the chunks that exist now, as rows of `columns` with a `score`. Scores are counted here,
 * for the lists of a common term are cheaper to send than to take apart in SQL; the server then applies the filter to the
 * best of them, and where that leaves too few, to the others. Must run in one snapshot.
 */
export async function searchWords(
  run: RunStatement,
  layout: TableLayout,
  query: Omit<TextQuery, 'includeVectors' | 'signal'> & { readonly columns: string },
): Promise<readonly SqlRow[]> {
  const { topK } = query;
  const scores = await scoreRows(run, layout.words, query);
  if (scores.size === 0) return [];
  const offered = Math.max(MIN_OFFERED, OFFERED_PER_HIT * topK);
  const best = bestRows(scores, offered);
  const hits = await filterRows(run, layout, query, best);
  if (hits.length >= topK || best.rows.length === scores.size) return hits;
  const admitted = await fewRows(run, layout, query.filter);
  if (admitted === undefined)
    return filterRows(run, layout, query, { ...bestRows(scores, scores.size), areMany: true });
  const rows = admitted.filter((row) => scores.has(row));
  return filterRows(run, layout, query, { rows, scores: rows.map((row) => scores.get(row) ?? 0) });
}

/** The score of every chunk of the tenant, or of all, that holds one of the terms. */
async function scoreRows(
  run: RunStatement,
  tables: WordTables,
  query: Pick<TextQuery, 'terms' | 'weights' | 'tenant'>,
): Promise<Map<number, number>> {
  const scores = new Map<number, number>();
  const weights = [...termWeights(query)].map(([term, weight]) => ({ key: termKey(term), weight }));
  if (weights.length === 0) return scores;
  const { statistics, deleted, segments } = await readStatistics(run, tables, query.tenant);
  const keys = weights.map(({ key }) => key);
  const lists = await readLists(run, tables, { keys, segments });
  for (const { key, weight } of weights) {
    const rows: number[] = [];
    const frequencies: number[] = [];
    const lengths: number[] = [];
    for (const list of lists.get(key) ?? [])
      visitPostings(list, (row, frequency, length) => {
        if (deleted.has(row)) return;
        rows.push(row);
        frequencies.push(frequency);
        lengths.push(length);
      });
    const scoreOf = termScorer(statistics, rows.length);
    for (const [i, row] of rows.entries())
      scores.set(row, (scores.get(row) ?? 0) + weight * scoreOf(frequencies[i] ?? 0, lengths[i] ?? 0));
  }
  return scores;
}

/** What is written of a tenant, or of all. */
interface Written {
  readonly statistics: TextStatistics;
  readonly deleted: ReadonlySet<number>;
  /** Segments to read; undefined where that is all of them. */
  readonly segments: readonly number[] | undefined;
}

async function readStatistics(
  run: RunStatement,
  { segments, deletions }: WordTables,
  tenant: string | undefined,
): Promise<Written> {
  const [isWanted, values] =
    tenant === undefined ? ['TRUE', []] : ['tenant = $1::text', [storableText(tenant)]];
  const sql = `SELECT written.chunks - deleted.chunks AS chunks, written.length - deleted.length AS length,
      written.ids AS segments, deleted.ids AS deleted
    FROM (SELECT COALESCE(sum(chunks), 0) AS chunks, COALESCE(sum(length), 0) AS length,
        COALESCE(string_agg(id::text, ' '), '') AS ids FROM ${segments} WHERE ${isWanted}) AS written,
      (SELECT count(*) AS chunks, COALESCE(sum(length), 0) AS length,
        COALESCE(string_agg(row_id::text, ' '), '') AS ids FROM ${deletions} WHERE ${isWanted}) AS deleted`;
  const [row = {}] = (await run(sql, values)).rows;
  return {
    statistics: { chunks: numberOf(row, 'chunks'), length: numberOf(row, 'length') },
    deleted: new Set(numbersIn(textOf(row, 'deleted'))),
    segments: tenant === undefined ? undefined : numbersIn(textOf(row, 'segments')),
  };
}

const numbersIn = (text: string): number[] => (text === '' ? [] : text.split(' ').map(Number));

async function readLists(
  run: RunStatement,
  { postings }: WordTables,
  { keys, segments }: { readonly keys: readonly string[] } & Pick<Written, 'segments'>,
): Promise<Map<string, Uint8Array[]>> {
  const lists = new Map<string, Uint8Array[]>();
  const { rows } = await run(
    `SELECT encode(term, 'hex') AS term, encode(postings, 'hex') AS postings FROM ${postings}
      WHERE term = ANY($1::bytea[])${segments === undefined ? '' : ' AND segment = ANY($2::bigint[])'}`,
    [keys.map((key) => `\\x${key}`), ...(segments === undefined ? [] : [segments])],
  );
  for (const row of rows) {
    const term = textOf(row, 'term');
    const ofTerm = lists.get(term) ?? [];
    if (ofTerm.length === 0) lists.set(term, ofTerm);
    ofTerm.push(Buffer.from(textOf(row, 'postings'), 'hex'));
  }
  return lists;
}

/** The `count` best, and all that score like the last of them: the filter's cut breaks ties by id. */
function bestRows(scores: ReadonlyMap<number, number>, count: number): RankedRows {
  const all = [...scores];
  const best = new TopK(Math.min(count, all.length), () => false);
  for (const [i, [, score]] of all.entries()) best.push(i, score);
  const lowest = best.sorted().at(-1)?.score ?? 0;
  const kept = all.filter(([, score]) => score >= lowest);
  return { rows: kept.map(([row]) => row), scores: kept.map(([, score]) => score) };
}

/** The numbers of all chunks that a filter admits; undefined where they are many. */
async function fewRows(
  run: RunStatement,
  layout: TableLayout,
  filter: Filter,
): Promise<readonly number[] | undefined> {
  const parameters = new Parameters();
  const from = layout.from(parameters);
  const condition = parameters.render(compileFilter(filter, layout));
  const { rows } = await run(
    `SELECT row_id FROM (SELECT row_id, key FROM ${layout.words.rows}) AS word JOIN ${from} USING (key)
      WHERE ${condition} LIMIT ${FEW_ROWS + 1}`,
    parameters.values,
  );
  return rows.length > FEW_ROWS ? undefined : rows.map((row) => numberOf(row, 'row_id'));
}

async function filterRows(
  run: RunStatement,
  layout: TableLayout,
  { columns, filter, topK }: { readonly columns: string } & Pick<TextQuery, 'filter' | 'topK'>,
  { rows, scores, areMany = false }: RankedRows,
): Promise<readonly SqlRow[]> {
  const parameters = new Parameters();
  const ranked = `unnest(${parameters.bind(rows, 'bigint[]')}, ${parameters.bind(scores.map(String), 'float8[]')})`;
  const condition = parameters.render(compileFilter(filter, layout));
  // The planner would read the whole table for a few hundred rows; the offset keeps it from turning the look-ups into a join.
  const word = areMany
    ? `JOIN (SELECT row_id, key FROM ${layout.words.rows}) AS word USING (row_id)`
    : `CROSS JOIN LATERAL (SELECT key FROM ${layout.words.rows} AS word WHERE word.row_id = ranked.row_id OFFSET 0) AS word`;
  const sql = `SELECT ${columns}, score FROM ${ranked} AS ranked (row_id, score)
    ${word}
    JOIN ${layout.from(parameters)} USING (key)
    WHERE ${condition} ORDER BY score DESC, id LIMIT ${parameters.bind(topK, 'bigint')}`;
  return (await run(sql, parameters.values)).rows;
}
