import { type ErrorReason, RAGError } from '../core/errors.js';

/** What an answer that is no success means, and what to do about it. */
export type Verdict = readonly [ErrorReason, advice: string];

/** A request that a server or service refused. */
export interface RefusedRequest {
  /** Its product: `Qdrant`. */
  readonly server: string;
  readonly address: string;
  readonly action: string;
  readonly status: number;
  /** What it says of the reason. May quote what was sent. */
  readonly explanation: string;
}

/** Of a server that is busy, or of what stands before it. */
const PASSING_STATUSES = [429, 502, 503, 504];

/** Tells by its status whether the same request may succeed a moment later; `more` are statuses of one server. */
export function retriedAfter(...more: readonly number[]): (status: number) => boolean {
  const statuses = new Set([...PASSING_STATUSES, ...more]);
  return (status) => statuses.has(status);
}

/** Characters of an explanation that are kept. */
const MOST_EXPLAINED = 2_000;

/** A refusal as one of our errors. The message never holds the explanation; the cause does. */
export const refusedRequestError = (
  { server, address, action, status, explanation }: RefusedRequest,
  [reason, advice]: Verdict,
): RAGError =>
  new RAGError(reason, `${server} at ${address} could not ${action} (status ${status}). ${advice}`, {
    cause: new Error(`status ${status}: ${explanation.slice(0, MOST_EXPLAINED)}`),
    details: { status },
  });
