import { systemErrorCode } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';

/**
 * What went wrong with a call to a provider. `rejected`: the key, the model or the request is refused, and would be again.
 * `busy`: too many calls, or no capacity. `unavailable`: the server failed or cannot be reached. `late`: a deadline passed.
 * `cancelled`: the caller gave up. `unreadable`: an answer that is not in the wire format.
 */
export type CallFailureKind = 'rejected' | 'busy' | 'unavailable' | 'late' | 'cancelled' | 'unreadable';

export interface CallFailure {
  readonly kind: CallFailureKind;
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** Milliseconds that the provider asks to wait. */
  readonly retryAfterMs?: number;
  /** One line of the provider's own words, short, without keys. */
  readonly detail: string;
}

/** Aborts a call whose time is over, as against one that the caller cancelled. */
export class CallDeadlineError extends Error {
  override readonly name = 'CallDeadlineError';
}

/** An answer that ended before it said that it was complete. */
export class ConnectionCutError extends Error {
  override readonly name = 'ConnectionCutError';
}

const MAX_DETAIL = 300;
const NETWORK_CODES =
  /^(ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR|ERR_SSL|CERT_|DEPTH_ZERO)/;

/**
 * Sorts whatever a provider's package throws, or sends as the error of a stream.
 *
 * @param secrets texts that must not appear in `detail`, for providers repeat keys in their messages.
 */
export function describeFailure(error: unknown, secrets: readonly string[] = []): CallFailure {
  const detail = wordsOf(error, secrets);
  const deadline = causes(error).find((cause) => cause instanceof CallDeadlineError);
  if (deadline !== undefined) return { kind: 'late', detail: wordsOf(deadline, secrets) };
  if (causes(error).some(isAbort)) return { kind: 'cancelled', detail };
  const status = numberField(error, 'statusCode');
  if (status !== undefined && status >= 300) {
    const retryAfterMs = retryAfterOf(field(error, 'responseHeaders'));
    return {
      kind: kindOfStatus(status, error),
      status,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      detail,
    };
  }
  if (isNetworkFailure(error)) return { kind: 'unavailable', detail };
  return { kind: kindOfStreamError(error), detail };
}

/** A refused request is refused again; a spent quota is reported as 429 and does not come back by waiting. */
function kindOfStatus(status: number, error: unknown): CallFailureKind {
  if (status === 429)
    return /insufficient_quota|enforced_spend_limit_reached/.test(bodyOf(error)) ? 'rejected' : 'busy';
  // 529 is Anthropic's "overloaded".
  if (status === 503 || status === 529) return 'busy';
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'unavailable';
  return 'rejected';
}

/** Errors inside a stream have a type instead of a status. */
function kindOfStreamError(error: unknown): CallFailureKind {
  const type = `${textField(error, 'type')} ${textField(error, 'code')} ${textField(error, 'status')}`;
  if (/overloaded|rate_limit|resource_exhausted/i.test(type)) return 'busy';
  if (/api_error|server_error|internal|unavailable|timeout/i.test(type)) return 'unavailable';
  if (/invalid_request|authentication|permission|not_found/i.test(type)) return 'rejected';
  return 'unreadable';
}

const isAbort = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');

const isNetworkFailure = (error: unknown): boolean =>
  causes(error).some(
    (cause) =>
      cause instanceof ConnectionCutError ||
      NETWORK_CODES.test(systemErrorCode(cause) ?? '') ||
      (cause instanceof TypeError && /fetch failed|terminated/.test(cause.message)),
  );

function causes(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next !== undefined && next !== null && chain.length < 8; next = field(next, 'cause'))
    chain.push(next);
  return chain;
}

/** `retry-after-ms`, or `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3). */
export function retryAfterOf(headers: unknown, now: number = runtime().now()): number | undefined {
  const inMs = Number.parseFloat(textField(headers, 'retry-after-ms'));
  if (Number.isFinite(inMs) && inMs >= 0) return inMs;
  const stated = textField(headers, 'retry-after').trim();
  if (/^\d+(\.\d+)?$/.test(stated)) return Number(stated) * 1000;
  const date = Date.parse(stated);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function wordsOf(error: unknown, secrets: readonly string[]): string {
  const own = textField(error, 'message') || (typeof error === 'string' ? error : '');
  const said = own || messageInBody(bodyOf(error)) || 'no reason given';
  const root = causes(error).at(-1);
  const deeper = root === error ? '' : (systemErrorCode(root) ?? '');
  let line = deeper === '' || said.includes(deeper) ? said : `${said} (${deeper})`;
  for (const secret of secrets) if (secret !== '') line = line.replaceAll(secret, '********');
  line = line.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL)}...` : line;
}

const bodyOf = (error: unknown): string => textField(error, 'responseBody');

function messageInBody(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    return textField(field(parsed, 'error'), 'message') || textField(parsed, 'message');
  } catch {
    return '';
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function textField(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === 'string' ? found : '';
}

function numberField(value: unknown, name: string): number | undefined {
  const found = field(value, name);
  return typeof found === 'number' ? found : undefined;
}
