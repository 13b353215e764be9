import { RAGError, throwIfAborted } from '../core/errors.js';
import { runtime, sleep, timeoutSignal } from '../core/runtime.js';

/** One call of a server or hosted service. */
export interface ServerCall {
  /** What is under way, for messages: `write chunks in collection "notes"`. */
  readonly action: string;
  readonly signal?: AbortSignal | undefined;
}

/** A server or hosted service, as messages name it. */
export interface CalledServer {
  /** Its product: `Qdrant`. */
  readonly title: string;
  /** Without credentials. */
  readonly address: string;
}

/** How a call that failed is sent again. */
export interface SendingOptions<T> {
  /** Ends pauses, and further attempts. */
  readonly signal: AbortSignal;
  /** How often it is sent at the most. @default 4 */
  readonly attempts?: number | undefined;
  /** Undefined where the same would come out again; else how long the server asks to wait. */
  readonly passing: (sent: PromiseSettledResult<T>) => Passing | undefined;
}

/** What may be over a moment later. */
export interface Passing {
  /** In milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 100;

/**
 * Does a call within a limit of time, which all its attempts share. What is deaf to the signal is not waited for.
 *
 * @param late what to do about it, as a sentence
 * @throws RAGError `ABORTED`, `STORE_TIMEOUT`; and whatever `work` throws
 */
export async function withinTime<T>(
  { title, address }: CalledServer,
  { action, signal: asked, timeoutMs }: ServerCall & { readonly timeoutMs: number },
  work: (signal: AbortSignal) => Promise<T>,
  late = 'Look whether it is overloaded, or raise the timeout of the store.',
): Promise<T> {
  throwIfAborted(asked);
  const deadline = timeoutSignal(timeoutMs);
  const signal = asked === undefined ? deadline : AbortSignal.any([asked, deadline]);
  try {
    return await untilAborted(work(signal), signal);
  } catch (error) {
    throwIfAborted(asked);
    if (!deadline.aborted) throw error;
    throw new RAGError(
      'STORE_TIMEOUT',
      `${title} at ${address} could not ${action} within ${timeoutMs} ms. ${late}`,
      {
        details: { timeoutMs },
      },
    );
  }
}

/** Rejects as soon as the signal aborts, whatever the work does then. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Sends something, and sends it again after doubling pauses while what came may pass. */
export async function sendAgain<T>(
  send: () => Promise<T>,
  { signal, attempts = ATTEMPTS, passing }: SendingOptions<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const [sent] = await Promise.allSettled([send()]);
    const isLast = signal.aborted || attempt >= attempts;
    const again = isLast ? undefined : passing(sent);
    if (again === undefined) {
      if (sent.status === 'fulfilled') return sent.value;
      throw sent.reason;
    }
    const pauseMs = Math.max(FIRST_PAUSE_MS * 2 ** (attempt - 1), again.retryAfterMs ?? 0);
    // Random, so that clients of a server that comes back do not all call at once; never before it asks to be called.
    await sleep(pauseMs * (1 + runtime().random()), signal);
  }
}

/**
 * A failure to get an answer as one of our errors.
 *
 * @param check what to look at, as a sentence
 */
export function noAnswerError(
  { title, address }: CalledServer,
  action: string,
  check: string,
  cause: unknown,
): RAGError {
  if (RAGError.isInstance(cause)) return cause;
  return new RAGError(
    'STORE_UNAVAILABLE',
    `${title} at ${address} could not ${action}. There is no connection, or what answered there is not ${title}. ${check}`,
    { cause },
  );
}
