import type { FastifyReply, FastifyRequest } from 'fastify';
import { RAGError, SYSTEM_RUNTIME } from '../../../index.js';
import { OverloadError } from './shared-places.js';

const TIMEOUT_HEADER = 'x-timeout-ms';
/** Shares of the time of a request. */
const LOOKS = [1, 2, 3, 4, 5, 6, 7].map((part) => part / 8);

export interface SignalOptions {
  /** The service's own limit, in milliseconds; undefined for none. */
  readonly timeoutMs: number | undefined;
  /** What it has written by then stays. */
  readonly isWrite: boolean;
  /** Fires when the service waits for requests no longer. */
  readonly stopping: AbortSignal;
  /** Called a few times while the answer is not there: a part that is out may be back at any one moment. */
  readonly onWaiting: () => void;
}

/** How long an answer is waited for. */
export interface RequestDeadline {
  /** Fires when nobody waits any more: the caller went, its time or the service's is over, the service stops. */
  readonly signal: AbortSignal;
  /** Fires it where the time is over: work that never let go of the thread kept the timer from it. */
  check(): void;
}

export function requestDeadline(
  request: FastifyRequest,
  reply: FastifyReply,
  { timeoutMs, isWrite, stopping, onWaiting }: SignalOptions,
): RequestDeadline {
  const controller = new AbortController();
  const milliseconds = Math.min(timeoutMs ?? Infinity, statedTimeout(request) ?? Infinity);
  const endsAt = SYSTEM_RUNTIME.elapsed() + milliseconds;
  const end = () =>
    controller.abort(
      new RAGError(
        'REQUEST_TIMEOUT',
        `The request took longer than ${milliseconds} ms.${isWrite ? ' What it had written by then stays: send it again for the rest.' : ''}`,
      ),
    );
  const after = (callback: () => void, share: number) =>
    SYSTEM_RUNTIME.setTimer(callback, share * milliseconds, { isBackground: true });
  const timers = Number.isFinite(milliseconds)
    ? [...LOOKS.map((share) => after(onWaiting, share)), after(end, 1)]
    : [];
  const leave = (): void => {
    for (const cancel of timers) cancel();
    if (!reply.raw.writableFinished) controller.abort(new RAGError('ABORTED', 'The caller went away.'));
  };
  // While it was asked who calls.
  if (reply.raw.destroyed) leave();
  else reply.raw.once('close', leave);
  return {
    signal: AbortSignal.any([controller.signal, stopping]),
    check: () => {
      if (SYSTEM_RUNTIME.elapsed() >= endsAt) end();
    },
  };
}

/** A caller that waits less than the service would. */
function statedTimeout({ headers }: FastifyRequest): number | undefined {
  const stated = headers[TIMEOUT_HEADER];
  if (stated === undefined) return undefined;
  const milliseconds = Number(stated);
  if (Number.isSafeInteger(milliseconds) && milliseconds > 0 && milliseconds <= 3_600_000)
    return milliseconds;
  throw new RAGError(
    'REQUEST_INVALID',
    `The header ${TIMEOUT_HEADER} must be a whole number from 1 to 3,600,000.`,
  );
}

/** An error that only says that work was stopped, as the reason of the stop. */
export function reasonOfStop(error: unknown, signal: AbortSignal | undefined): unknown {
  const isStop = RAGError.isInstance(error) && error.reason === 'ABORTED';
  return isStop && signal?.aborted === true ? signal.reason : error;
}

/** A caller that goes is no failure of the service. */
export function logFailure(request: FastifyRequest, error: unknown, what: string): void {
  const reason = RAGError.isInstance(error) ? error.reason : undefined;
  // Without its place: there may be thousands a second.
  if (error instanceof OverloadError) request.log.warn({ reason }, 'refused: too much is under way');
  else if (reason === 'ABORTED' && request.ragstone?.signal.aborted === true)
    request.log.info({ reason }, 'the caller went away');
  else request.log.error({ err: error, reason }, what);
}
