import { RAGError, systemErrorCode } from '../core/errors.js';

/** Statuses that pass by themselves: timeouts, conflicts, too many requests. All of 500 and above do too. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 409, 425, 429]);

export interface FailedRequest {
  /** Name of the source, for the message. */
  readonly source: string;
  /** Where the request went, without its query, which may hold text of a person. */
  readonly address: string;
}

/** What a status other than success means. Nothing of the answer's body is repeated: it may hold document text. */
export function statusError(
  status: number,
  retryAfterMs: number | undefined,
  request: FailedRequest,
): RAGError {
  const { source, address } = request;
  const details = { status, address, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  const fail = (reason: ConstructorParameters<typeof RAGError>[0], text: string): RAGError =>
    new RAGError(reason, `Source "${source}": ${address} ${text}`, { details });
  if (status === 401)
    return fail(
      'SOURCE_DENIED',
      'refused the sign-in (401). Check user name and token, and whether the token has expired.',
    );
  if (status === 403)
    return fail(
      'SOURCE_DENIED',
      'refused access (403). The account needs the permissions that the documentation of the source lists.',
    );
  if (status === 404 || status === 410)
    return fail('DOCUMENT_VANISHED', `is not there, or the account may not see it (${status}).`);
  if (TRANSIENT.has(status) || status >= 500)
    return fail(
      'SOURCE_UNREADABLE',
      `answered ${status}${status === 429 ? ' (too many requests)' : ''}, again and again. Try later.`,
    );
  return fail(
    'SOURCE_REJECTED',
    `refused a request (${status}). Check the address and the settings of the source.`,
  );
}

/** What a connection that failed means. */
export function connectionError(error: unknown, { source, address }: FailedRequest): RAGError {
  if (RAGError.isInstance(error)) return error;
  const cause = error instanceof Error && RAGError.isInstance(error.cause) ? error.cause : undefined;
  if (cause !== undefined) return cause;
  const code = systemErrorCode(error) ?? (error instanceof Error ? error.name : 'unknown');
  return new RAGError(
    'SOURCE_UNREADABLE',
    `Source "${source}": ${address} could not be reached or broke off (${code}). Check the address and the network.`,
    { cause: error, details: { address, code } },
  );
}

/** The status that an error is about, where it is about one. */
export function statusOf(error: unknown): number | undefined {
  const status = RAGError.isInstance(error) ? error.details.status : undefined;
  return typeof status === 'number' ? status : undefined;
}
