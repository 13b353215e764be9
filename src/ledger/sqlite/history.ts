import { bytesAt, numberAt, type SqlRow, text, textAt, textOf } from '../../sqlite/row.js';
import type { SqliteDatabase } from '../../sqlite/sqlite-database.js';
import type { HistoryMark, HistorySummary, HistoryVersion, LedgerHistory } from '../history.js';
import { readHistoryFacts } from '../history-rows.js';
import { originalText, storableText } from '../ledger-text.js';
import { countChange } from './changes.js';
import { liveGeneration } from './generations.js';
import { breakHistory, deleteVersions, UNRECORDED } from './history-log.js';

const COLUMNS = `id, generation, ${text('document_id')}, ${text('tenant')}, ${text('source')}, valid_from, valid_to, chunks, facts`;

/** Versions that are deleted in one transaction where all are. */
const AT_ONCE = 500;

/** The history in a ledger's file; see `history-log.ts` for how it comes there. */
export class SqliteHistory implements LedgerHistory {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  async summary(): Promise<HistorySummary> {
    return this.#database.snapshot(() => {
      const begins = this.#begins();
      const counts = this.#database.row(
        'SELECT count(*), count(valid_to) FROM history_version WHERE valid_from IS NOT NULL',
      );
      const bytes = this.#database.row('SELECT coalesce(sum(length(bytes)), 0) FROM history_part');
      return {
        ...(begins === undefined ? {} : { begins }),
        versions: numberAt(counts ?? [], 0),
        past: numberAt(counts ?? [], 1),
        bytes: numberAt(bytes ?? [], 0),
      };
    });
  }

  #begins(): number | undefined {
    const row = this.#database.row('SELECT begins FROM history_state');
    return row === undefined ? undefined : numberAt(row, 0);
  }

  async begins(): Promise<number | undefined> {
    return this.#database.guard(() => this.#begins());
  }

  async isEmpty(): Promise<boolean> {
    return this.#database.guard(
      () =>
        this.#begins() === undefined &&
        this.#database.row('SELECT 1 FROM history_version LIMIT 1') === undefined,
    );
  }

  async begin(at: number): Promise<boolean> {
    return this.#database.transaction(() => {
      if (this.#begins() !== undefined) return true;
      const live = liveGeneration(this.#database);
      if (live === undefined || hasUnrecorded(this.#database, live.generation)) return false;
      beginHistory(this.#database, live.generation, at);
      return true;
    });
  }

  async generationAt(moment: number): Promise<number | undefined> {
    return this.#database.snapshot(() => {
      const begins = this.#begins();
      if (begins === undefined || moment < begins) return undefined;
      const sql =
        'SELECT generation FROM history_live WHERE since <= ? ORDER BY since DESC, sequence DESC LIMIT 1';
      const row = this.#database.row(sql, moment);
      return row === undefined ? undefined : numberAt(row, 0);
    });
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
    return this.#database
      .rows(
        `SELECT ${COLUMNS} FROM history_version WHERE id > ? AND tenant = ? AND generation = ? AND valid_from <= ?
           AND (valid_to IS NULL OR valid_to > ?) ORDER BY id LIMIT ?`,
        after,
        storableText(tenant),
        generation,
        moment,
        moment,
        limit,
      )
      .map(readVersion);
  }

  async newest(documentIds: readonly string[]): Promise<Map<string, HistoryVersion>> {
    return this.#database.snapshot(() => {
      const live = liveGeneration(this.#database)?.generation ?? 0;
      const sql = `SELECT ${COLUMNS} FROM history_version WHERE document_id = ? AND valid_from IS NOT NULL
        ORDER BY (generation = ? AND valid_to IS NULL) DESC, valid_from DESC, id DESC LIMIT 1`;
      return new Map(
        documentIds.flatMap((id) => {
          const row = this.#database.row(sql, storableText(id), live);
          return row === undefined ? [] : [[id, readVersion(row)] as const];
        }),
      );
    });
  }

  async versions(tenant: string | undefined, after: number, limit: number): Promise<HistoryVersion[]> {
    return this.#database
      .rows(
        `SELECT ${COLUMNS} FROM history_version WHERE id > ? AND (?2 IS NULL OR tenant = ?2) AND valid_from IS NOT NULL
         ORDER BY id LIMIT ?`,
        after,
        tenant === undefined ? null : storableText(tenant),
        limit,
      )
      .map(readVersion);
  }

  async parts(ids: readonly number[]): Promise<Map<number, readonly Uint8Array[]>> {
    const sql = `SELECT bytes FROM history_part WHERE content = (SELECT content FROM history_version WHERE id = ?)
      ORDER BY place`;
    return this.#database.snapshot(
      () => new Map(ids.map((id) => [id, this.#database.rows(sql, id).map((row) => bytesAt(row, 0))])),
    );
  }

  async mark(tenant: string, { source, mark, at }: Omit<HistoryMark, 'seen'>): Promise<void> {
    this.#database.transaction(() => {
      const names = [storableText(tenant), storableText(source)] as const;
      const sql = `SELECT sequence, ${text('mark')} FROM history_mark WHERE tenant = ? AND source = ?
        ORDER BY sequence DESC LIMIT 1`;
      const last = this.#database.row(sql, ...names);
      if (last !== undefined && originalText(textAt(last, 1)) === mark)
        this.#database.run('UPDATE history_mark SET seen = ? WHERE sequence = ?', at, numberAt(last, 0));
      else
        this.#database.run(
          'INSERT INTO history_mark (tenant, source, mark, at, seen) VALUES (?1, ?2, ?3, ?4, ?4)',
          ...names,
          storableText(mark),
          at,
        );
    });
  }

  async marks(tenant: string): Promise<HistoryMark[]> {
    return this.#database
      .rows(
        `SELECT ${text('source')}, ${text('mark')}, at, seen FROM history_mark WHERE tenant = ? ORDER BY sequence`,
        storableText(tenant),
      )
      .map((row) => ({
        source: originalText(textAt(row, 0)),
        mark: originalText(textAt(row, 1)),
        at: numberAt(row, 2),
        seen: numberAt(row, 3),
      }));
  }

  async erase(documentIds: readonly string[]): Promise<number> {
    return this.#database.transaction(() => {
      const ids = documentIds.flatMap((id) =>
        this.#ids('SELECT id FROM history_version WHERE document_id = ?', storableText(id)),
      );
      return this.#deleteNow(ids);
    });
  }

  async eraseVersions(ids: readonly number[]): Promise<number> {
    const sql = 'SELECT id FROM history_version WHERE id = ? AND valid_to IS NOT NULL';
    return this.#database.transaction(() => this.#deleteNow(ids.flatMap((id) => this.#ids(sql, id))));
  }

  /** Searches that were made before are not shown again. */
  #deleteNow(ids: readonly number[]): number {
    if (ids.length > 0) countChange(this.#database);
    return deleteVersions(this.#database, ids);
  }

  async prune(before: number, limit: number): Promise<number> {
    return this.#database.transaction(() => {
      this.#database.run('UPDATE history_state SET begins = ?1 WHERE begins < ?1', before);
      const horizon = Math.max(before, this.#begins() ?? before);
      const sql = 'SELECT id FROM history_version WHERE valid_to <= ? ORDER BY valid_to LIMIT ?';
      const deleted = deleteVersions(this.#database, this.#ids(sql, horizon, limit));
      forgetOldNames(this.#database, horizon);
      return deleted;
    });
  }

  async clear(): Promise<number> {
    let deleted = 0;
    breakHistory(this.#database);
    for (;;) {
      const ids = this.#ids('SELECT id FROM history_version LIMIT ?', AT_ONCE);
      deleted += this.#database.transaction(() => deleteVersions(this.#database, ids));
      if (ids.length < AT_ONCE) break;
    }
    this.#database.transaction(() => {
      for (const table of ['history_part', 'history_live', 'history_mark'])
        this.#database.run(`DELETE FROM ${table}`);
    });
    return deleted;
  }

  #ids(sql: string, ...parameters: readonly (string | number)[]): number[] {
    return this.#database.rows(sql, ...parameters).map((row) => numberAt(row, 0));
  }
}

/** Whether a generation holds what the record does not. */
export const hasUnrecorded = (database: SqliteDatabase, generation: number): boolean =>
  database.row(
    `SELECT 1 FROM document WHERE generation = ? AND indexed_at IS NOT NULL AND ${UNRECORDED} LIMIT 1`,
    generation,
  ) !== undefined;

/** Begins the record; what another one left that is past, or is not what the index holds, is deleted. */
export function beginHistory(database: SqliteDatabase, generation: number, at: number): void {
  const left = database
    .rows(
      `SELECT id FROM history_version WHERE valid_to IS NOT NULL OR (valid_from IS NOT NULL AND NOT EXISTS
         (SELECT 1 FROM document WHERE document.document_id = history_version.document_id
            AND document.generation = history_version.generation AND document.indexed_at = history_version.confirmed))`,
    )
    .map((row) => numberAt(row, 0));
  deleteVersions(database, left);
  for (const table of ['history_live', 'history_mark']) database.run(`DELETE FROM ${table}`);
  database.run('INSERT INTO history_state (only_row, begins) VALUES (1, ?)', at);
  database.run('INSERT INTO history_live (since, generation) VALUES (?, ?)', at, generation);
}

/**
 * Another generation is searched from now on. The record ends where it does not hold all of that one, and begins where it does and had not
 * begun.
 */
export function switchHistory(database: SqliteDatabase, generation: number, at: number): void {
  if (hasUnrecorded(database, generation)) {
    breakHistory(database);
    return;
  }
  if (database.row('SELECT 1 FROM history_state') === undefined) {
    beginHistory(database, generation, at);
    return;
  }
  const last = database.row('SELECT max(since) FROM history_live');
  database.run(
    'INSERT INTO history_live (since, generation) VALUES (?, ?)',
    Math.max(at, Number(last?.[0] ?? 0)),
    generation,
  );
}

/** Of a generation that is dropped what it held while it was searched stays. */
export function dropHistory(database: SqliteDatabase, generation: number): void {
  const end = database.row(
    `SELECT since FROM history_live WHERE sequence > (SELECT max(sequence) FROM history_live WHERE generation = ?)
     ORDER BY sequence LIMIT 1`,
    generation,
  );
  const until = end === undefined ? 0 : numberAt(end, 0);
  const ids = database
    .rows(
      'SELECT id FROM history_version WHERE generation = ? AND (valid_from IS NULL OR valid_from >= ?)',
      generation,
      until,
    )
    .map((row) => numberAt(row, 0));
  deleteVersions(database, ids);
  database.run(
    'UPDATE history_version SET valid_to = ? WHERE generation = ? AND (valid_to IS NULL OR valid_to > ?)',
    until,
    generation,
    until,
  );
}

/** Of switches before the record begins the last one says what holds at its beginning. */
function forgetOldNames(database: SqliteDatabase, horizon: number): void {
  database.run(
    `DELETE FROM history_live WHERE sequence <
       (SELECT sequence FROM history_live WHERE since <= ? ORDER BY since DESC, sequence DESC LIMIT 1)`,
    horizon,
  );
  database.run('DELETE FROM history_mark WHERE seen < ?', horizon);
}

function readVersion(row: SqlRow): HistoryVersion {
  const to = row[6];
  return {
    ...readHistoryFacts(textOf(bytesAt(row, 8), 8)),
    id: numberAt(row, 0),
    generation: numberAt(row, 1),
    documentId: originalText(textAt(row, 2)),
    tenant: originalText(textAt(row, 3)),
    source: originalText(textAt(row, 4)),
    from: numberAt(row, 5),
    ...(to === null ? {} : { to: numberAt(row, 6) }),
    chunks: numberAt(row, 7),
  };
}
