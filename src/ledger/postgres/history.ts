import type { PostgresDatabase, RunStatement } from '../../postgres/postgres-database.js';
import type { SqlRow } from '../../postgres/postgres-session.js';
import type { HistoryMark, HistorySummary, HistoryVersion, LedgerHistory } from '../history.js';
import { readHistoryFacts } from '../history-rows.js';
import { storableText } from '../ledger-text.js';
import type { Books } from './books.js';
import { countChange } from './changes.js';
import { documentKeyOf } from './documents.js';
import { breakHistory, UNRECORDED } from './history-log.js';
import { bytesOf, numberOf, storedTextOf, textOf } from './row.js';

const COLUMNS = 'id, generation, document_id, tenant, source, valid_from, valid_to, chunks, facts';

/** Versions that are deleted in one transaction where all are. */
const AT_ONCE = 500;

/** The history in a PostgreSQL ledger; see `history-log.ts` for how it comes there. */
export class PostgresHistory implements LedgerHistory {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async summary(): Promise<HistorySummary> {
    const [row = {}] = await this.#database.rows(
      `SELECT (SELECT begins FROM ragstone_ledger_history_state) AS begins, count(*) AS versions, count(valid_to) AS past,
         (SELECT coalesce(sum(length(bytes)), 0) FROM ragstone_ledger_history_part) AS bytes
       FROM ragstone_ledger_history_version WHERE valid_from IS NOT NULL`,
      [],
      { action: 'tell what history it keeps' },
    );
    return {
      ...(row.begins === null ? {} : { begins: numberOf(row, 'begins') }),
      versions: numberOf(row, 'versions'),
      past: numberOf(row, 'past'),
      bytes: numberOf(row, 'bytes'),
    };
  }

  async begins(): Promise<number | undefined> {
    const sql = 'SELECT begins FROM ragstone_ledger_history_state';
    const [row] = await this.#database.rows(sql, [], { action: 'tell when its history begins' });
    return row === undefined ? undefined : numberOf(row, 'begins');
  }

  async isEmpty(): Promise<boolean> {
    const [row] = await this.#database.rows(
      `SELECT EXISTS (SELECT 1 FROM ragstone_ledger_history_state) OR EXISTS (SELECT 1 FROM ragstone_ledger_history_version)
         AS is_kept`,
      [],
      { action: 'tell whether it keeps history' },
    );
    return row?.is_kept !== true;
  }

  async begin(at: number): Promise<boolean> {
    return this.#database.transaction({ action: 'begin its history' }, async (run) => {
      if (await isBegun(run)) return true;
      // What is being written is seen by the question that follows.
      await run('LOCK TABLE ragstone_ledger_document IN SHARE MODE');
      const { rows } = await run("SELECT generation FROM ragstone_ledger_generation WHERE state = 'live'");
      const generation = rows[0] === undefined ? undefined : numberOf(rows[0], 'generation');
      if (generation === undefined || (await hasUnrecorded(run, generation))) return false;
      await beginHistory(run, generation, at);
      return true;
    });
  }

  async generationAt(moment: number): Promise<number | undefined> {
    const [row] = await this.#database.rows(
      `SELECT generation FROM ragstone_ledger_history_live WHERE since <= $1
         AND (SELECT begins FROM ragstone_ledger_history_state) <= $1 ORDER BY since DESC, sequence DESC LIMIT 1`,
      [moment],
      { action: 'tell what it held at a moment' },
    );
    return row === undefined ? undefined : numberOf(row, 'generation');
  }

  async versionsAt(
    {
      tenant,
      generation,
      moment,
    }: { readonly tenant: string; readonly generation: number; readonly moment: number },
    after: number,
    limit: number,
  ): Promise<HistoryVersion[]> {
    const rows = await this.#database.rows(
      `SELECT ${COLUMNS} FROM ragstone_ledger_history_version WHERE id > $1 AND tenant = $2 AND generation = $3
         AND valid_from <= $4 AND (valid_to IS NULL OR valid_to > $4) ORDER BY id LIMIT $5`,
      [after, storableText(tenant), generation, moment, limit],
      { action: 'read what it held at a moment' },
    );
    return rows.map(readVersion);
  }

  async newest(documentIds: readonly string[]): Promise<Map<string, HistoryVersion>> {
    const rows = await this.#database.rows(
      `SELECT DISTINCT ON (document_key) ${COLUMNS} FROM ragstone_ledger_history_version
       WHERE document_key = ANY($1::bytea[]) AND valid_from IS NOT NULL
       ORDER BY document_key, (valid_to IS NULL AND generation =
         coalesce((SELECT generation FROM ragstone_ledger_generation WHERE state = 'live'), 0)) DESC, valid_from DESC, id DESC`,
      [documentIds.map(documentKeyOf)],
      { action: 'read the newest versions of documents' },
    );
    return new Map(rows.map((row) => [textOf(row, 'document_id'), readVersion(row)]));
  }

  async versions(tenant: string | undefined, after: number, limit: number): Promise<HistoryVersion[]> {
    const rows = await this.#database.rows(
      `SELECT ${COLUMNS} FROM ragstone_ledger_history_version
       WHERE id > $1 AND ($2::text IS NULL OR tenant = $2) AND valid_from IS NOT NULL ORDER BY id LIMIT $3`,
      [after, tenant === undefined ? null : storableText(tenant), limit],
      { action: 'list its history' },
    );
    return rows.map(readVersion);
  }

  async parts(ids: readonly number[]): Promise<Map<number, readonly Uint8Array[]>> {
    const rows = await this.#database.rows(
      `SELECT version.id, bytes FROM ragstone_ledger_history_version AS version
       JOIN ragstone_ledger_history_part AS part ON part.content = version.content
       WHERE version.id = ANY($1::bigint[]) ORDER BY version.id, place`,
      [ids.map(String)],
      { action: 'read its history' },
    );
    const parts = new Map<number, Uint8Array[]>(ids.map((id) => [id, []]));
    for (const row of rows) parts.get(numberOf(row, 'id'))?.push(bytesOf(row, 'bytes'));
    return parts;
  }

  async mark(tenant: string, { source, mark, at }: Omit<HistoryMark, 'seen'>): Promise<void> {
    const names = [storableText(tenant), storableText(source)] as const;
    await this.#database.transaction({ action: 'record the state of a source' }, async (run) => {
      const { rows } = await run(
        `SELECT sequence, mark FROM ragstone_ledger_history_mark WHERE tenant = $1 AND source = $2
         ORDER BY sequence DESC LIMIT 1`,
        [...names],
      );
      const [last] = rows;
      if (last !== undefined && textOf(last, 'mark') === mark)
        await run('UPDATE ragstone_ledger_history_mark SET seen = $2 WHERE sequence = $1', [
          storedTextOf(last, 'sequence'),
          at,
        ]);
      else
        await run(
          'INSERT INTO ragstone_ledger_history_mark (tenant, source, mark, at, seen) VALUES ($1, $2, $3, $4, $4)',
          [...names, storableText(mark), at],
        );
    });
  }

  async marks(tenant: string): Promise<HistoryMark[]> {
    const rows = await this.#database.rows(
      'SELECT source, mark, at, seen FROM ragstone_ledger_history_mark WHERE tenant = $1 ORDER BY sequence',
      [storableText(tenant)],
      { action: 'read states of sources' },
    );
    return rows.map((row) => ({
      source: textOf(row, 'source'),
      mark: textOf(row, 'mark'),
      at: numberOf(row, 'at'),
      seen: numberOf(row, 'seen'),
    }));
  }

  async erase(documentIds: readonly string[]): Promise<number> {
    return this.#erase('document_key = ANY($1::bytea[])', [documentIds.map(documentKeyOf)]);
  }

  async eraseVersions(ids: readonly number[]): Promise<number> {
    return this.#erase('id = ANY($1::bigint[]) AND valid_to IS NOT NULL', [ids.map(String)]);
  }

  /** Searches that were made before are not shown again. */
  #erase(...which: [string, Parameters<RunStatement>[1]]): Promise<number> {
    return this.#database.transaction({ action: 'erase versions' }, async (run) => {
      const erased = await deleteVersions(run, ...which);
      if (erased > 0) await countChange(run);
      return erased;
    });
  }

  async prune(before: number, limit: number): Promise<number> {
    return this.#database.transaction({ action: 'prune its history' }, async (run) => {
      const state = await run(
        'UPDATE ragstone_ledger_history_state SET begins = greatest(begins, $1::bigint) RETURNING begins',
        [before],
      );
      const horizon = Math.max(
        before,
        state.rows[0] === undefined ? before : numberOf(state.rows[0], 'begins'),
      );
      const old = `id IN (SELECT id FROM ragstone_ledger_history_version WHERE valid_to <= $1 ORDER BY valid_to LIMIT $2)`;
      const deleted = await deleteVersions(run, old, [horizon, limit]);
      await forgetOldNames(run, horizon);
      return deleted;
    });
  }

  async clear(): Promise<number> {
    let deleted = 0;
    await this.#database.transaction({ action: 'end its history' }, breakHistory);
    for (;;) {
      const some = `id IN (SELECT id FROM ragstone_ledger_history_version LIMIT $1)`;
      const count = await this.#database.transaction({ action: 'clear its history' }, (run) =>
        deleteVersions(run, some, [AT_ONCE]),
      );
      deleted += count;
      if (count < AT_ONCE) break;
    }
    await this.#database.transaction({ action: 'clear its history' }, async (run) => {
      for (const table of ['part', 'live', 'mark']) await run(`DELETE FROM ragstone_ledger_history_${table}`);
    });
    return deleted;
  }
}

/** Deletes versions, and content that none has any more. */
async function deleteVersions(
  run: RunStatement,
  which: string,
  parameters: Parameters<RunStatement>[1],
): Promise<number> {
  const gone = await run(
    `DELETE FROM ragstone_ledger_history_version WHERE ${which} RETURNING content`,
    parameters,
  );
  if (gone.rows.length === 0) return 0;
  await run(
    `DELETE FROM ragstone_ledger_history_part AS part WHERE content = ANY($1::bigint[]) AND NOT EXISTS
       (SELECT 1 FROM ragstone_ledger_history_version AS version WHERE version.content = part.content)`,
    [gone.rows.map((row) => storedTextOf(row, 'content'))],
  );
  return gone.rows.length;
}

/** See `HistoryWriter.unrecorded`. */
export async function unrecorded(
  { database, generation }: Books,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await database.rows(
    `SELECT document_id FROM ragstone_ledger_document AS documents WHERE generation = $1 AND ${UNRECORDED}
       AND ($2::text IS NULL OR (left(document_id, 128), document_id) > (left($2, 128), $2))
     ORDER BY left(document_id, 128), document_id LIMIT $3`,
    [generation, after === undefined ? null : storableText(after), limit],
    { action: 'find what its history lacks' },
  );
  return rows.map((row) => textOf(row, 'document_id'));
}

/** Whether a generation holds what the record does not. */
async function hasUnrecorded(run: RunStatement, generation: number): Promise<boolean> {
  const { rows } = await run(
    `SELECT 1 FROM ragstone_ledger_document AS documents WHERE generation = $1 AND ${UNRECORDED} LIMIT 1`,
    [generation],
  );
  return rows.length > 0;
}

const isBegun = async (run: RunStatement): Promise<boolean> =>
  (await run('SELECT 1 FROM ragstone_ledger_history_state FOR UPDATE')).rows.length > 0;

/** Begins the record; what another one left that is past, or is not what the index holds, is deleted. */
async function beginHistory(run: RunStatement, generation: number, at: number): Promise<void> {
  await deleteVersions(
    run,
    `valid_to IS NOT NULL OR (valid_from IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ragstone_ledger_document AS documents
       WHERE documents.document_key = ragstone_ledger_history_version.document_key
         AND documents.generation = ragstone_ledger_history_version.generation
         AND documents.indexed_at = ragstone_ledger_history_version.confirmed))`,
    [],
  );
  for (const table of ['live', 'mark']) await run(`DELETE FROM ragstone_ledger_history_${table}`);
  await run('INSERT INTO ragstone_ledger_history_state (only_row, begins) VALUES (true, $1)', [at]);
  await run('INSERT INTO ragstone_ledger_history_live (since, generation) VALUES ($1, $2)', [at, generation]);
}

/**
 * Another generation is searched from now on. The record ends where it does not hold all of that one, and begins where it does and had not
 * begun.
 */
export async function switchHistory(run: RunStatement, generation: number, at: number): Promise<void> {
  if (await hasUnrecorded(run, generation)) await breakHistory(run);
  else if (await isBegun(run))
    await run(
      `INSERT INTO ragstone_ledger_history_live (since, generation)
       SELECT greatest($1::bigint, max(since)), $2::integer FROM ragstone_ledger_history_live`,
      [at, generation],
    );
  else await beginHistory(run, generation, at);
}

/** Of a generation that is dropped what it held while it was searched stays. */
export async function dropHistory(run: RunStatement, generation: number): Promise<void> {
  const end = await run(
    `SELECT since FROM ragstone_ledger_history_live WHERE sequence >
       (SELECT max(sequence) FROM ragstone_ledger_history_live WHERE generation = $1) ORDER BY sequence LIMIT 1`,
    [generation],
  );
  const until = end.rows[0] === undefined ? 0 : numberOf(end.rows[0], 'since');
  await deleteVersions(run, 'generation = $1 AND (valid_from IS NULL OR valid_from >= $2)', [
    generation,
    until,
  ]);
  await run(
    `UPDATE ragstone_ledger_history_version SET valid_to = $2
     WHERE generation = $1 AND (valid_to IS NULL OR valid_to > $2)`,
    [generation, until],
  );
}

/** Of switches before the record begins the last one says what holds at its beginning. */
async function forgetOldNames(run: RunStatement, horizon: number): Promise<void> {
  await run(
    `DELETE FROM ragstone_ledger_history_live WHERE sequence <
       (SELECT sequence FROM ragstone_ledger_history_live WHERE since <= $1 ORDER BY since DESC, sequence DESC LIMIT 1)`,
    [horizon],
  );
  await run('DELETE FROM ragstone_ledger_history_mark WHERE seen < $1', [horizon]);
}

function readVersion(row: SqlRow): HistoryVersion {
  return {
    ...readHistoryFacts(storedTextOf(row, 'facts')),
    id: numberOf(row, 'id'),
    generation: numberOf(row, 'generation'),
    documentId: textOf(row, 'document_id'),
    tenant: textOf(row, 'tenant'),
    source: textOf(row, 'source'),
    from: numberOf(row, 'valid_from'),
    ...(row.valid_to === null ? {} : { to: numberOf(row, 'valid_to') }),
    chunks: numberOf(row, 'chunks'),
  };
}
