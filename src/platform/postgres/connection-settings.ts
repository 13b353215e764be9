import { RAGError } from '../../core/errors.js';

/** Encryption of the connection; what is absent is Node's default. */
export interface PostgresTlsOptions {
  /** Certificate authority in PEM. */
  readonly ca?: string;
  /** Client certificate in PEM. */
  readonly cert?: string;
  /** Private key of the client certificate in PEM. */
  readonly key?: string;
  /** Refuse a server whose certificate cannot be verified. @default true */
  readonly rejectUnauthorized?: boolean;
}

/** Where the server is and how it is spoken to. */
export interface PostgresConnectionOptions {
  /** `postgres://user:password@host:5432/database`; what it names wins over the parts below. Never shown in errors. */
  readonly connectionString?: string | undefined;
  /** Host name, or the folder of a Unix socket. @default localhost */
  readonly host?: string | undefined;
  /** @default 5432 */
  readonly port?: number | undefined;
  readonly database?: string | undefined;
  readonly user?: string | undefined;
  /** Never shown in errors. */
  readonly password?: string | undefined;
  /** `true` encrypts and verifies the server. @default what the connection string says, else false */
  readonly ssl?: boolean | PostgresTlsOptions | undefined;
  /**
   * Schema of our own tables, made where it is missing: letters, digits, `_`, up to 48, no digit first.
   * @default ragstone
   */
  readonly schema?: string | undefined;
  /** Most connections at a time. @default 10 */
  readonly poolSize?: number | undefined;
  /** Longest wait for a connection and for each statement, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number | undefined;
  /** Longest wait for building an index, vacuuming or dropping much, in milliseconds. @default 3_600_000 */
  readonly maintenanceTimeoutMs?: number | undefined;
  /** How often an idempotent call is tried again after a fault that may pass. @default 2 */
  readonly retries?: number | undefined;
}

/** Connection options with every default filled in. */
export interface ConnectionSettings
  extends Omit<PostgresConnectionOptions, keyof typeof CONNECTION_DEFAULTS> {
  readonly schema: string;
  readonly poolSize: number;
  readonly timeoutMs: number;
  readonly maintenanceTimeoutMs: number;
  readonly retries: number;
}

const CONNECTION_DEFAULTS = {
  schema: 'ragstone',
  poolSize: 10,
  timeoutMs: 30_000,
  maintenanceTimeoutMs: 3_600_000,
  retries: 2,
};

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,47}$/;

/** Fills in defaults. Throws `CONFIG_INVALID` naming the option, what it may be and what it is. */
export function connectionSettings(options: PostgresConnectionOptions): ConnectionSettings {
  const settings = { ...CONNECTION_DEFAULTS, ...withoutUndefined(options) };
  assertIdentifier('schema', settings.schema);
  assertInteger('poolSize', settings.poolSize, [1, 1_000]);
  assertInteger('timeoutMs', settings.timeoutMs, [1, 2 ** 31 - 1]);
  assertInteger('maintenanceTimeoutMs', settings.maintenanceTimeoutMs, [1, 2 ** 31 - 1]);
  assertInteger('retries', settings.retries, [0, 10]);
  return settings;
}

/** Throws `CONFIG_INVALID` for a name that is no plain SQL identifier. */
export function assertIdentifier(option: string, value: string): void {
  if (!IDENTIFIER.test(value))
    throw new RAGError(
      'CONFIG_INVALID',
      `PostgreSQL ${option} ${JSON.stringify(value)} is not valid: use 1 to 48 letters, digits or "_", no digit first.`,
    );
}

/** Throws `CONFIG_INVALID` for a number that is no integer of the range. */
export function assertInteger(option: string, value: number, [least, most]: readonly [number, number]): void {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new RAGError(
      'CONFIG_INVALID',
      `PostgreSQL ${option} must be an integer from ${least} to ${most}, not ${value}.`,
    );
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** An option that is given as undefined must not hide its default. */
export function withoutUndefined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>;
}
