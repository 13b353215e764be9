/** Coarse code of an error, stable for callers. */
export enum RAGErrorCode {
  VECTOR_STORE_UNAVAILABLE = 'E001',
  EMBEDDING_FAILURE = 'E002',
  INDEXING_FAILURE = 'E003',
  SEARCH_FAILURE = 'E004',
  CONFIGURATION_ERROR = 'E005',
}

/** Whose fault it is: `user` (bad input), `config`, `provider` (a store, model or source), `internal` (ours). */
export type ErrorCategory = 'user' | 'config' | 'provider' | 'internal';

interface ErrorFacts {
  readonly code: RAGErrorCode;
  readonly category: ErrorCategory;
  /** The same call may succeed later without any change. */
  readonly retryable: boolean;
  /** The engine can go on without it (a fallback exists, or the rest of the work is unharmed). */
  readonly recoverable: boolean;
}

const facts = (
  code: RAGErrorCode,
  category: ErrorCategory,
  { retryable = false, recoverable = true }: { retryable?: boolean; recoverable?: boolean } = {},
): ErrorFacts => ({ code, category, retryable, recoverable });

const { VECTOR_STORE_UNAVAILABLE, EMBEDDING_FAILURE, INDEXING_FAILURE, SEARCH_FAILURE, CONFIGURATION_ERROR } =
  RAGErrorCode;

/** Every reason an error can carry, with its facts. `docs/errors.md` lists the same table; a test holds them together. */
export const ERROR_TABLE = {
  // Stores
  STORE_UNAVAILABLE: facts(VECTOR_STORE_UNAVAILABLE, 'provider', { retryable: true }),
  STORE_TIMEOUT: facts(VECTOR_STORE_UNAVAILABLE, 'provider', { retryable: true }),
  STORE_DAMAGED: facts(VECTOR_STORE_UNAVAILABLE, 'provider', { recoverable: false }),
  STORE_FULL: facts(VECTOR_STORE_UNAVAILABLE, 'provider', { retryable: true }),
  STORE_JOURNAL_FULL: facts(VECTOR_STORE_UNAVAILABLE, 'provider', { retryable: true }),
  STORE_READ_ONLY: facts(VECTOR_STORE_UNAVAILABLE, 'config'),
  STORE_DIMENSION_MISMATCH: facts(CONFIGURATION_ERROR, 'config', { recoverable: false }),
  STORE_FINGERPRINT_MISMATCH: facts(CONFIGURATION_ERROR, 'config', { recoverable: false }),
  STORE_SCHEMA_TOO_NEW: facts(CONFIGURATION_ERROR, 'config', { recoverable: false }),
  STORE_FILTER_UNSUPPORTED: facts(SEARCH_FAILURE, 'user'),
  STORE_INVALID_RECORD: facts(INDEXING_FAILURE, 'internal'),
  COLLECTION_NOT_FOUND: facts(SEARCH_FAILURE, 'user'),
  DOCUMENT_NOT_FOUND: facts(SEARCH_FAILURE, 'user'),
  ORIGINAL_UNAVAILABLE: facts(SEARCH_FAILURE, 'user'),
  FEEDBACK_UNKNOWN: facts(SEARCH_FAILURE, 'user'),
  FEEDBACK_FULL: facts(SEARCH_FAILURE, 'provider'),
  FEEDBACK_OFF: facts(SEARCH_FAILURE, 'user'),
  CONFLICTS_OFF: facts(SEARCH_FAILURE, 'user'),
  // Embedding and reranking
  EMBEDDING_FAILED: facts(EMBEDDING_FAILURE, 'provider', { retryable: true }),
  EMBEDDING_REJECTED: facts(EMBEDDING_FAILURE, 'config'),
  MODEL_NOT_FOUND: facts(EMBEDDING_FAILURE, 'config', { recoverable: false }),
  MODEL_INVALID: facts(EMBEDDING_FAILURE, 'config', { recoverable: false }),
  RERANKER_UNAVAILABLE: facts(SEARCH_FAILURE, 'config'),
  // Language models
  CHAT_UNAVAILABLE: facts(SEARCH_FAILURE, 'provider', { retryable: true }),
  CHAT_TIMEOUT: facts(SEARCH_FAILURE, 'provider', { retryable: true }),
  CHAT_REJECTED: facts(SEARCH_FAILURE, 'config'),
  CHAT_OUTPUT_INVALID: facts(SEARCH_FAILURE, 'provider'),
  SPEND_LIMIT_REACHED: facts(CONFIGURATION_ERROR, 'config'),
  // Indexing
  SOURCE_NOT_FOUND: facts(INDEXING_FAILURE, 'user'),
  SOURCE_UNREADABLE: facts(INDEXING_FAILURE, 'provider', { retryable: true }),
  SOURCE_DENIED: facts(INDEXING_FAILURE, 'config'),
  SOURCE_REJECTED: facts(INDEXING_FAILURE, 'provider'),
  SOURCE_SHRUNK: facts(INDEXING_FAILURE, 'user'),
  SOURCE_ADDRESS_REFUSED: facts(INDEXING_FAILURE, 'config'),
  DOCUMENT_UNREADABLE: facts(INDEXING_FAILURE, 'user'),
  DOCUMENT_VANISHED: facts(INDEXING_FAILURE, 'provider', { retryable: true }),
  DOCUMENT_TOO_LARGE: facts(INDEXING_FAILURE, 'user'),
  DOCUMENT_NOT_TEXT: facts(INDEXING_FAILURE, 'user'),
  DOCUMENT_INVALID_ENCODING: facts(INDEXING_FAILURE, 'user'),
  DOCUMENT_INVALID: facts(INDEXING_FAILURE, 'user'),
  DOCUMENT_DUPLICATE_ID: facts(INDEXING_FAILURE, 'user'),
  DOCUMENT_FORGOTTEN: facts(INDEXING_FAILURE, 'user'),
  DOCUMENT_PARSE_TIMEOUT: facts(INDEXING_FAILURE, 'user'),
  DOCUMENT_PARSE_MEMORY: facts(INDEXING_FAILURE, 'user'),
  DOCUMENT_PARSE_STOPPED: facts(INDEXING_FAILURE, 'user'),
  DOCUMENT_OUTSIDE_ROOT: facts(INDEXING_FAILURE, 'user'),
  INDEX_LOCKED: facts(INDEXING_FAILURE, 'user', { retryable: true }),
  INDEX_LEASE_LOST: facts(INDEXING_FAILURE, 'provider', { retryable: true }),
  INDEX_UNAVAILABLE: facts(INDEXING_FAILURE, 'provider', { retryable: true }),
  QUEUE_UNAVAILABLE: facts(INDEXING_FAILURE, 'provider', { retryable: true }),
  INDEX_DAMAGED: facts(INDEXING_FAILURE, 'provider', { recoverable: false }),
  INDEX_READ_ONLY: facts(INDEXING_FAILURE, 'config'),
  INDEX_DISK_FULL: facts(INDEXING_FAILURE, 'provider', { retryable: true }),
  BACKUP_INVALID: facts(INDEXING_FAILURE, 'user'),
  MIGRATION_FAILED: facts(INDEXING_FAILURE, 'user'),
  INDEX_SCHEMA_TOO_NEW: facts(CONFIGURATION_ERROR, 'config', { recoverable: false }),
  // Search
  SCOPE_INVALID: facts(SEARCH_FAILURE, 'user'),
  QUERY_EMPTY: facts(SEARCH_FAILURE, 'user'),
  QUERY_INVALID: facts(SEARCH_FAILURE, 'user'),
  INDEX_EMPTY: facts(SEARCH_FAILURE, 'user'),
  SEARCH_FAILED: facts(SEARCH_FAILURE, 'provider', { retryable: true }),
  // Evaluation
  DATASET_INVALID: facts(CONFIGURATION_ERROR, 'user'),
  // Configuration
  CONFIG_NOT_FOUND: facts(CONFIGURATION_ERROR, 'config'),
  CONFIG_INVALID: facts(CONFIGURATION_ERROR, 'config'),
  CONFIG_NOT_BUILT: facts(CONFIGURATION_ERROR, 'config'),
  CONFIG_UNTRUSTED: facts(CONFIGURATION_ERROR, 'config'),
  INDEX_UNTRUSTED: facts(CONFIGURATION_ERROR, 'config'),
  ENCRYPTION_KEY_MISSING: facts(CONFIGURATION_ERROR, 'config'),
  ENCRYPTION_FAILED: facts(CONFIGURATION_ERROR, 'config', { recoverable: false }),
  SECRET_MISSING: facts(CONFIGURATION_ERROR, 'config'),
  PACKAGE_MISSING: facts(CONFIGURATION_ERROR, 'config'),
  USAGE: facts(CONFIGURATION_ERROR, 'user'),
  // Service
  ADDRESS_IN_USE: facts(CONFIGURATION_ERROR, 'config'),
  UNAUTHENTICATED: facts(CONFIGURATION_ERROR, 'user'),
  FORBIDDEN: facts(CONFIGURATION_ERROR, 'user'),
  ROUTE_NOT_FOUND: facts(CONFIGURATION_ERROR, 'user'),
  METHOD_NOT_ALLOWED: facts(CONFIGURATION_ERROR, 'user'),
  REQUEST_INVALID: facts(CONFIGURATION_ERROR, 'user'),
  REQUEST_TIMEOUT: facts(SEARCH_FAILURE, 'provider', { retryable: true }),
  RATE_LIMITED: facts(SEARCH_FAILURE, 'user', { retryable: true }),
  IDEMPOTENCY_KEY_REUSED: facts(INDEXING_FAILURE, 'user'),
  DEPLOYMENT_INVALID: facts(CONFIGURATION_ERROR, 'user'),
  DEPLOYMENT_CONFLICT: facts(CONFIGURATION_ERROR, 'user'),
  SERVICE_UNAVAILABLE: facts(SEARCH_FAILURE, 'provider', { retryable: true }),
  AUDIT_UNAVAILABLE: facts(CONFIGURATION_ERROR, 'provider', { retryable: true }),
  SERVER_UNREACHABLE: facts(VECTOR_STORE_UNAVAILABLE, 'provider', { retryable: true }),
  SERVER_INCOMPATIBLE: facts(CONFIGURATION_ERROR, 'config'),
  // Anywhere
  ABORTED: facts(SEARCH_FAILURE, 'user'),
  INTERNAL: facts(SEARCH_FAILURE, 'internal', { recoverable: false }),
} as const satisfies Record<string, ErrorFacts>;

/** Stable reason, finer than the code. */
export type ErrorReason = keyof typeof ERROR_TABLE;

/** What an error carries beside its reason and message. */
export interface RAGErrorOptions {
  readonly cause?: unknown;
  /** Facts to branch on (`{ expected, actual }`); never document text or secrets. */
  readonly details?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** What stands for a foreign code without a reason. */
const REASON_OF_CODE = {
  [VECTOR_STORE_UNAVAILABLE]: 'STORE_UNAVAILABLE',
  [EMBEDDING_FAILURE]: 'EMBEDDING_FAILED',
  [INDEXING_FAILURE]: 'INDEX_UNAVAILABLE',
  [SEARCH_FAILURE]: 'SEARCH_FAILED',
  [CONFIGURATION_ERROR]: 'CONFIG_INVALID',
} as const satisfies Record<RAGErrorCode, ErrorReason>;

const isCode = (value: ErrorReason | RAGErrorCode): value is RAGErrorCode => value in REASON_OF_CODE;

const BRAND = Symbol.for('ragstone.RAGError');

/**
 * The one error type that leaves the engine. `message` is public: it says what is wrong and what to do, and never holds
 * document text or secrets.
 */
export class RAGError extends Error {
  readonly code: RAGErrorCode;
  readonly reason: ErrorReason;
  readonly category: ErrorCategory;
  readonly retryable: boolean;
  readonly recoverable: boolean;
  readonly details: NonNullable<RAGErrorOptions['details']>;
  /** @internal */
  readonly [BRAND] = true;

  /**
   * For a program that knows codes alone. The reason is the most general one of the code.
   *
   * @param recoverable whether the caller can go on without it. @default true
   */
  constructor(code: RAGErrorCode, message: string, recoverable?: boolean, cause?: unknown);
  constructor(reason: ErrorReason, message: string, options?: RAGErrorOptions);
  constructor(
    of: ErrorReason | RAGErrorCode,
    message: string,
    stated: RAGErrorOptions | boolean = {},
    statedCause?: unknown,
  ) {
    const options = typeof stated === 'object' ? stated : { cause: statedCause };
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RAGError';
    this.reason = isCode(of) ? REASON_OF_CODE[of] : of;
    const { code, category, retryable, recoverable } = ERROR_TABLE[this.reason];
    this.code = code;
    this.category = category;
    this.retryable = retryable;
    this.recoverable = isCode(of) ? stated !== false : recoverable;
    this.details = options.details ?? {};
  }

  /** Recognises errors across duplicate copies of the package. */
  static isInstance(value: unknown): value is RAGError {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
  }
}

/** The same error, or the unknown one wrapped with a reason and a public message. */
export function toRAGError(error: unknown, reason: ErrorReason, message: string): RAGError {
  return RAGError.isInstance(error) ? error : new RAGError(reason, message, { cause: error });
}

/** Whether a failure of this reason is for operators to mend, and not for the caller. */
export const isReasonOfService = (reason: ErrorReason): boolean => ERROR_TABLE[reason].category !== 'user';

/** Whether an error is for operators to mend, and not for the caller. */
export const isOfService = (error: unknown): boolean =>
  !RAGError.isInstance(error) || error.category !== 'user';

/** Throws `ABORTED` when the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new RAGError('ABORTED', 'The operation was cancelled.', { cause: signal.reason });
}

/** What a failure says, also one that is no `Error`. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The `code` of a Node.js system error (`ENOENT`), or undefined. */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
