import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ErrorReason, RAGError } from '../../core/errors.js';
import { makePrivateFolder } from '../../platform/security/private-files.js';
import { numberAt, text, textAt } from '../../platform/sqlite/row.js';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import type { SqliteFaultKind } from '../../platform/sqlite/sqlite-fault.js';

/** What is added up. The names are those of the file. */
export type RolloutTotal =
  | 'rag'
  | 'flag'
  | 'percentage'
  | 'shadow'
  | 'disabled'
  | 'fallback'
  | 'agreed'
  | 'differed'
  | 'failed'
  | 'found-legacy'
  | 'found-rag'
  | 'found-both'
  | 'ms-legacy'
  | 'ms-rag';

/** What one item adds. */
export type RolloutAddition = Readonly<Partial<Record<RolloutTotal, number>>>;

/** Sums of a tenant. */
export interface RolloutSums {
  /** When the first and the last item was counted, in milliseconds since 1970; absent where none was. */
  readonly since?: number;
  readonly until?: number;
  /** Sum and greatest addition by name. */
  readonly totals: ReadonlyMap<string, { readonly sum: number; readonly most: number }>;
}

/** Where counts of items are kept: no ids and no texts, so it never grows. */
export interface RolloutTotals {
  add(tenant: string, addition: RolloutAddition, now: number): void;
  read(tenant: string): RolloutSums;
  clear(tenant: string): void;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS total (
    tenant TEXT NOT NULL, name TEXT NOT NULL, sum REAL NOT NULL, most REAL NOT NULL, PRIMARY KEY (tenant, name)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS span (
    tenant TEXT NOT NULL PRIMARY KEY, since REAL NOT NULL, until REAL NOT NULL
  ) WITHOUT ROWID`;

/** In a file that several processes may add to. It is opened for each call, so nothing has to be closed. */
export class RolloutFile implements RolloutTotals {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  add(tenant: string, addition: RolloutAddition, now: number): void {
    try {
      makePrivateFolder(dirname(this.#path));
    } catch (cause) {
      throw recordError(this.#path, 'cannot-open', cause);
    }
    this.#with((database) => {
      // What a power cut takes are counts of the last items.
      database.exec('PRAGMA synchronous = NORMAL');
      database.transaction(() => {
        database.exec(SCHEMA);
        database.run(
          'INSERT INTO span VALUES (?1, ?2, ?2) ON CONFLICT DO UPDATE SET since = min(since, ?2), until = max(until, ?2)',
          tenant,
          now,
        );
        for (const [name, value] of Object.entries(addition))
          database.run(
            'INSERT INTO total VALUES (?1, ?2, ?3, ?3) ON CONFLICT DO UPDATE SET sum = sum + ?3, most = max(most, ?3)',
            tenant,
            name,
            value,
          );
      });
    });
  }

  read(tenant: string): RolloutSums {
    if (!existsSync(this.#path)) return NOTHING;
    return this.#with((database) =>
      database.snapshot(() => {
        const span = database.row('SELECT since, until FROM span WHERE tenant = ?', tenant);
        const rows = database.rows(`SELECT ${text('name')}, sum, most FROM total WHERE tenant = ?`, tenant);
        return {
          ...(span === undefined ? {} : { since: numberAt(span, 0), until: numberAt(span, 1) }),
          totals: new Map(
            rows.map((row) => [textAt(row, 0), { sum: numberAt(row, 1), most: numberAt(row, 2) }]),
          ),
        };
      }),
    );
  }

  clear(tenant: string): void {
    if (!existsSync(this.#path)) return;
    this.#with((database) =>
      database.transaction(() => {
        database.exec(SCHEMA);
        for (const table of ['total', 'span']) database.run(`DELETE FROM ${table} WHERE tenant = ?`, tenant);
      }),
    );
  }

  #with<Result>(work: (database: SqliteDatabase) => Result): Result {
    const path = this.#path;
    const database = SqliteDatabase.open(path, { toError: (kind, cause) => recordError(path, kind, cause) });
    try {
      return work(database);
    } finally {
      database.close();
    }
  }
}

/** For an index that leaves nothing on the disk. */
export class RolloutMemory implements RolloutTotals {
  readonly #sums = new Map<string, RolloutSums>();

  add(tenant: string, addition: RolloutAddition, now: number): void {
    const { since = now, until = now, totals: before } = this.read(tenant);
    const totals = new Map(before);
    for (const [name, value] of Object.entries(addition)) {
      const { sum, most } = totals.get(name) ?? { sum: 0, most: value };
      totals.set(name, { sum: sum + value, most: Math.max(most, value) });
    }
    this.#sums.set(tenant, { since: Math.min(since, now), until: Math.max(until, now), totals });
  }

  read(tenant: string): RolloutSums {
    return this.#sums.get(tenant) ?? NOTHING;
  }

  clear(tenant: string): void {
    this.#sums.delete(tenant);
  }
}

const NOTHING: RolloutSums = { totals: new Map() };

const REASONS: Readonly<Partial<Record<SqliteFaultKind, ErrorReason>>> = {
  damaged: 'INDEX_DAMAGED',
  full: 'INDEX_DISK_FULL',
  'read-only': 'INDEX_READ_ONLY',
  'cannot-open': 'INDEX_READ_ONLY',
};

const recordError = (path: string, kind: SqliteFaultKind, cause: unknown): RAGError =>
  new RAGError(
    REASONS[kind] ?? 'INDEX_UNAVAILABLE',
    kind === 'damaged'
      ? `The counts of the rollout in ${path} are damaged. Delete the file: counting begins anew, and no item changes its side.`
      : `The counts of the rollout in ${path} cannot be read or written. Make room there, and give this account the right to write.`,
    { cause },
  );
