import type { Kysely } from 'kysely';
import { canonicalJson } from '../../core/canonical-json.js';
import { type ErrorReason, RAGError, systemErrorCode, throwIfAborted } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import { runtime } from '../../core/runtime.js';
import { AnswerTrail } from '../answer-trail.js';
import type { ListedItem, ReadResult, Source, SourceItem } from '../source.js';
import { ROW_PRESETS } from './bug-templates.js';
import { RowMapping, type RowMappingOptions } from './row-mapping.js';
import { type KeyedRow, keyOfId, type RowKey, RowQueries } from './row-queries.js';
import { beginReading, openSqlDatabase, type SqlConnection, type SqlTransaction } from './sql-database.js';
import { jsonValueOf } from './sql-values.js';
import { DamagedText } from './sqlite-texts.js';

export interface SqlSourceOptions extends RowMappingOptions {
  readonly name: string;
  readonly connection: SqlConnection;
  /** Table or view, with its schema where it needs one: `public.bugs`. One of `table` and `query`; default: the template's. */
  readonly table?: string;
  /** A SELECT instead of a table. */
  readonly query?: string;
  /** Longest time of one statement, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number;
  /** Longer documents are reported as `DOCUMENT_TOO_LARGE`. Bytes in UTF-8, default 10 MiB. */
  readonly maxDocumentBytes?: number | undefined;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;
/** Rows of one statement of a listing. */
const PAGE_ROWS = 5_000;
/** Pages of one listing at most. */
const MOST_PAGES = 100_000;
/** Without `updatedAt` a page holds whole rows. */
const HASHED_PAGE_ROWS = 500;

/**
 * Rows of a PostgreSQL or SQLite database, one document a row. Each listing reads keys and versions of all rows in one
 * read-only transaction, in pages by key, so deletions are seen and no row is missed; the version is the text of `updatedAt`, or
 * a hash of the columns used where there is none. Only changed rows are read whole.
 *
 * @throws RAGError `CONFIG_INVALID` for settings that do not say what to read.
 */
export function createSqlSource(options: SqlSourceOptions): Source {
  return new SqlSource(options);
}

class SqlSource implements Source {
  readonly name: string;
  readonly type = 'sql';
  readonly listing = 'complete';
  readonly #options: SqlSourceOptions;
  readonly #timeoutMs: number;
  readonly #mapping: RowMapping;
  readonly #queries: RowQueries;
  readonly #reader = new RowReader(
    (keys) => this.#fetch(keys),
    (id) => this.#keys.get(id) ?? keyOfId(id, this.#mapping.key.length),
  );
  /** As the database gave them: SQLite tells the number 7 from the text `7`. */
  #keys: ReadonlyMap<string, RowKey> = new Map();
  #database: Promise<Kysely<Record<string, Record<string, unknown>>>> | undefined;
  #reading = 0;
  #notices: readonly string[] = [];

  constructor(options: SqlSourceOptions) {
    const { name, connection, template } = options;
    this.name = name;
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#mapping = new RowMapping(options, name);
    const usual =
      template === undefined || options.query !== undefined ? undefined : ROW_PRESETS[template].table;
    const origin = { table: options.table ?? usual, query: options.query };
    this.#queries = new RowQueries(origin, this.#mapping, { source: name, dialect: connection.dialect });
  }

  listingNotices(): readonly string[] {
    return this.#notices;
  }

  async *list({ signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<ListedItem> {
    throwIfAborted(signal);
    const listing = await this.#inTransaction('list its rows', (transaction) =>
      this.#listRows(transaction, signal),
    );
    this.#notices = listing.notices;
    this.#keys = new Map(listing.rows.map(({ id, key }) => [id, key]));
    for (const { id, version } of listing.rows) yield { id, version };
  }

  expectReads(items: readonly SourceItem[]): void {
    this.#reader.expect(items.map(({ id }) => id));
  }

  async read(item: SourceItem, signal?: AbortSignal): Promise<ReadResult> {
    throwIfAborted(signal);
    const rows = await this.#reader.read(item.id);
    const [found, second] = rows;
    if (found === undefined || this.#mapping.isDeleted(found.row))
      throw new RAGError('DOCUMENT_VANISHED', `The row ${JSON.stringify(item.id)} is not there any more.`);
    if (second !== undefined)
      throw new RAGError(
        'DOCUMENT_DUPLICATE_ID',
        `Two rows have the key ${JSON.stringify(item.id)}: choose as \`key\` a column, or several, that tell all rows apart.`,
      );
    return { documents: [this.#document(found)], failures: [] };
  }

  #document({ id, row }: KeyedRow): ReadResult['documents'][number] {
    const [damaged] = Object.entries(row).find(([, value]) => value instanceof DamagedText) ?? [];
    if (damaged !== undefined)
      throw new RAGError(
        'DOCUMENT_INVALID',
        `The row ${JSON.stringify(id)} has in column ${JSON.stringify(damaged)} a text that is not UTF-8. Write it again.`,
      );
    const document = this.#mapping.toDocument(id, row);
    const limit = this.#options.maxDocumentBytes ?? DEFAULT_MAX_DOCUMENT_BYTES;
    const bytes = Buffer.byteLength(document.content);
    if (bytes > limit)
      throw new RAGError(
        'DOCUMENT_TOO_LARGE',
        `The row ${JSON.stringify(id)} makes a document of ${bytes} bytes, more than the limit of ${limit} (limits.maxFileBytes).`,
        { details: { bytes, limit } },
      );
    return document;
  }

  async #listRows(transaction: SqlTransaction, signal: AbortSignal | undefined): Promise<Listing> {
    const { updatedAt, deletedAt, columns } = this.#mapping;
    const limit = updatedAt === undefined ? HASHED_PAGE_ROWS : PAGE_ROWS;
    const wanted = updatedAt === undefined ? columns : deletedAt === undefined ? [] : [deletedAt];
    const rows: Listing['rows'][number][] = [];
    const counts = { deleted: 0, withoutStamp: 0 };
    const trail = new AnswerTrail(`The listing of source "${this.name}"`, MOST_PAGES);
    let after: RowKey | undefined;
    for (;;) {
      throwIfAborted(signal);
      const page = await this.#queries.page(transaction, { after, limit, columns: wanted });
      for (const keyed of page) {
        // A null key sorts at an end of the first page or the last; it names nothing.
        if (keyed.key.some((part) => part === null)) continue;
        if (this.#mapping.isDeleted(keyed.row)) counts.deleted += 1;
        else rows.push({ id: keyed.id, key: keyed.key, version: versionOf(keyed) });
        if (keyed.stamp === null) counts.withoutStamp += 1;
      }
      const last = page.at(-1);
      if (page.length < limit || last === undefined) break;
      trail.follow(last.id);
      after = last.key;
    }
    const withoutKey = await this.#queries.countWithoutKey(transaction);
    return { rows, notices: noticesOf({ ...counts, withoutKey }, this.#mapping) };
  }

  #fetch(keys: readonly RowKey[]): Promise<readonly KeyedRow[]> {
    return this.#inTransaction('read rows', (transaction) => this.#queries.byKeys(transaction, keys));
  }

  async #inTransaction<T>(action: string, work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    const { connection } = this.#options;
    this.#reading += 1;
    try {
      this.#database ??= openSqlDatabase(connection, { source: this.name, timeoutMs: this.#timeoutMs });
      const transaction = await beginReading(await this.#database, connection, this.#timeoutMs);
      try {
        return await work(transaction);
      } finally {
        // Nothing was written; what matters is that the connection is free again.
        await transaction
          .rollback()
          .execute()
          .catch(() => undefined);
      }
    } catch (error) {
      throw sqlError(error, { source: this.name, action });
    } finally {
      this.#reading -= 1;
      this.#closeWhenIdle();
    }
  }

  /** A source has no end of its own: its connection is closed when nobody has used it for a moment. */
  #closeWhenIdle(): void {
    if (this.#reading > 0) return;
    const close = (): void => {
      const database = this.#database;
      if (this.#reading > 0 || database === undefined) return;
      this.#database = undefined;
      database.then((open) => open.destroy()).catch(() => undefined);
    };
    runtime().setTimer(close, IDLE_MS, { isBackground: true });
  }
}

/** How long a connection that nobody uses is kept, in milliseconds. */
const IDLE_MS = 2_000;

interface Listing {
  readonly rows: readonly { readonly id: string; readonly key: RowKey; readonly version: string }[];
  readonly notices: readonly string[];
}

const versionOf = ({ stamp, row }: KeyedRow): string => stamp ?? (stamp === null ? '' : hashOf(row));

const hashOf = (row: KeyedRow['row']): string =>
  contentHash(
    canonicalJson(Object.entries(row).map(([column, value]) => [column, jsonValueOf(value) ?? null])),
  );

function noticesOf(
  counts: { readonly deleted: number; readonly withoutStamp: number; readonly withoutKey: number },
  { deletedAt, updatedAt, key }: RowMapping,
): string[] {
  const { deleted, withoutStamp, withoutKey } = counts;
  return [
    ...(deleted > 0 ? [`${rowsOf(deleted)} marked as deleted by "${deletedAt}" left out.`] : []),
    ...(withoutStamp > 0
      ? [
          `${rowsOf(withoutStamp)} without "${updatedAt}": changes to them are not seen. Leave \`updatedAt\` out to compare rows by hash.`,
        ]
      : []),
    ...(withoutKey > 0
      ? [`${rowsOf(withoutKey)} without a key (${key.join(', ')}) left out: nothing tells them apart.`]
      : []),
  ];
}

const rowsOf = (count: number): string => (count === 1 ? '1 row' : `${count} rows`);

/** SQLSTATE codes, whole or by class (https://www.postgresql.org/docs/16/errcodes-appendix.html), and codes of Node and SQLite. */
const ADVICE: Readonly<Record<string, string>> = {
  '28': 'The server refused the login: check user and password.',
  '3D000': 'There is no such database: check its name.',
  '42501': 'The role may not read it: `GRANT SELECT` on the table (and `USAGE` on its schema) to it.',
  '57014': 'The statement took longer than `timeoutMs`: add an index on the key column, or raise it.',
  '55P03': 'Another session holds a lock: try again later.',
  '25006': 'The query tries to write; this source only ever reads.',
  '08': 'The connection was lost: check that the server runs, then try again.',
  '53': 'The server has no connection or memory left: try again later.',
  '57P': 'The server is starting or stopping: try again later.',
  ECONNREFUSED: 'Nothing listens there: check host and port, and that the server runs.',
  ENOTFOUND: 'The host name is not known: check it.',
  EAI_AGAIN: 'The host name could not be looked up: check it and the network.',
  ETIMEDOUT: 'The server does not answer: check host, port and firewall.',
  SQLITE_BUSY: 'Another process holds the file: try again later.',
  SQLITE_NOTADB: 'The file is no SQLite database: check `path`.',
  SQLITE_READONLY: 'The query tries to write; this source only ever reads.',
};

/** Faults of the statement itself. Their message names tables and columns of the configuration, never rows. */
const STATEMENT_FAULT = /^42|^SQLITE_ERROR$/;

const READ_ONLY: ReadonlySet<string> = new Set(['25006', 'SQLITE_READONLY']);

/**
 * A fault of driver or server as one of ours. What the server says is shown only where it is about the statement: other
 * messages may quote rows.
 */
function sqlError(error: unknown, { source, action }: { source: string; action: string }): RAGError {
  if (RAGError.isInstance(error)) return error;
  const code = systemErrorCode(error) ?? '';
  const message = error instanceof Error ? error.message : '';
  const said = STATEMENT_FAULT.test(code) && code !== '42501' ? ` The database says: ${message}.` : '';
  return new RAGError(
    reasonOf(code),
    `Source "${source}": the database could not ${action}${code === '' ? '' : ` (${code})`}.${said} ${adviceOf(code, message)} What was indexed of it is kept.`,
    { cause: error, details: { source, ...(code === '' ? {} : { code }) } },
  );
}

function reasonOf(code: string): ErrorReason {
  if (code === '42501' || code.startsWith('28')) return 'SOURCE_DENIED';
  return STATEMENT_FAULT.test(code) || READ_ONLY.has(code) ? 'SOURCE_REJECTED' : 'SOURCE_UNREADABLE';
}

function adviceOf(code: string, message: string): string {
  const known = ADVICE[code] ?? ADVICE[code.slice(0, 3)] ?? ADVICE[code.slice(0, 2)];
  if (known !== undefined) return known;
  if (/timeout/i.test(message)) return 'It took longer than `timeoutMs`: try again later, or raise it.';
  if (STATEMENT_FAULT.test(code)) return 'Check `table`, `query` and the names of the columns.';
  return 'Check the connection settings, then try again.';
}

/** Rows of one statement at most. */
const BATCH_ROWS = 256;

/** Reads the rows of these keys in one statement. */
export type FetchRows = (keys: readonly RowKey[]) => Promise<readonly KeyedRow[]>;

/** Rows one by one, few statements: what was announced is fetched in batches when its first row is asked for. */
export class RowReader {
  readonly #fetch: FetchRows;
  readonly #keyOf: (id: string) => RowKey;
  #expected: readonly string[] = [];
  #positions = new Map<string, number>();
  readonly #batches = new Map<number, { readonly rows: Promise<readonly KeyedRow[]>; left: number }>();

  constructor(fetch: FetchRows, keyOf: (id: string) => RowKey) {
    this.#fetch = fetch;
    this.#keyOf = keyOf;
  }

  /** Tells what will be asked for, in this order. */
  expect(ids: readonly string[]): void {
    this.#expected = ids;
    this.#positions = new Map(ids.map((id, position) => [id, position]));
    this.#batches.clear();
  }

  /** All rows under an id: none where it is gone, two where the key is none. */
  async read(id: string): Promise<readonly KeyedRow[]> {
    const position = this.#positions.get(id);
    const rows = position === undefined ? this.#fetch([this.#keyOf(id)]) : this.#batchAt(position);
    return (await rows).filter((row) => row.id === id);
  }

  #batchAt(position: number): Promise<readonly KeyedRow[]> {
    const number = Math.floor(position / BATCH_ROWS);
    const known = this.#batches.get(number);
    const batch = known ?? this.#openBatch(number);
    batch.left -= 1;
    if (batch.left === 0) this.#batches.delete(number);
    return batch.rows;
  }

  #openBatch(number: number): { rows: Promise<readonly KeyedRow[]>; left: number } {
    const ids = this.#expected.slice(number * BATCH_ROWS, (number + 1) * BATCH_ROWS);
    const batch = { rows: this.#fetch(ids.map(this.#keyOf)), left: ids.length };
    this.#batches.set(number, batch);
    return batch;
  }
}
