import { AsyncLocalStorage } from 'node:async_hooks';
import type { DegradationLevel } from '../../core/degradation.js';
import { type ErrorReason, RAGError } from '../../core/errors.js';
import { Breaker, type Session } from './breaker.js';
import { levelOf, PARTS, type PartName, type PartStates } from './level.js';

export interface BreakersOptions {
  /** `rag.degradation.failures` */
  readonly failures: number;
  /** `rag.degradation.retryAfterMs` */
  readonly retryAfterMs: number;
  /** `rag.degradation.slowStoreMs` */
  readonly slowStoreMs: number;
  /** `rag.retrieval.laneDeadlineMs`: no request to a part takes longer. */
  readonly limitMs: number;
}

/** A request of a lane ends with the lane, a little before its own limit. */
const NEARLY_ALL = 0.8;

/** The parts of one engine that searches can do without for a while, each behind a breaker. */
export class Breakers {
  readonly #breakers: Readonly<Record<PartName, Breaker>>;
  /** Out in the process that searched last, where others search. */
  #elsewhere: ReadonlySet<PartName> = new Set();

  constructor({ slowStoreMs, limitMs, ...counts }: BreakersOptions) {
    const breakerOf = (
      part: PartName,
      reasons: readonly ErrorReason[] | undefined,
      {
        slowMs,
        ...limit
      }: { readonly slowMs?: number; readonly limitMs?: number; readonly isLimitOfAll?: boolean },
    ): Breaker =>
      new Breaker({
        ...counts,
        ...limit,
        slowMs,
        isOutage: (error) => isOutage(error, reasons),
        lateError: () => new RAGError(LATE[part], `The ${part} took longer than ${slowMs ?? limitMs} ms.`),
        refusal: (why) =>
          new RAGError(
            REFUSED[part],
            `The ${part} has failed ${counts.failures} times in a row and is left alone for ${counts.retryAfterMs} ms (rag.degradation); the last time: ${why}`,
          ),
      });
    this.#breakers = {
      // A search asks it many short questions.
      ledger: breakerOf('ledger', LEDGER_OUT, { limitMs, isLimitOfAll: true }),
      store: breakerOf('store', STORE_OUT, { limitMs, slowMs: Math.min(slowStoreMs, limitMs * NEARLY_ALL) }),
      embedder: breakerOf('embedder', undefined, { limitMs, slowMs: limitMs * NEARLY_ALL }),
      // It has a deadline of its own.
      reranker: breakerOf('reranker', undefined, {}),
    };
  }

  breaker(part: PartName): Breaker {
    return this.#breakers[part];
  }

  get states(): PartStates {
    const stateOf = (part: PartName) =>
      this.#elsewhere.has(part) && this.#breakers[part].state === 'well' ? 'out' : this.#breakers[part].state;
    return {
      ledger: stateOf('ledger'),
      store: stateOf('store'),
      embedder: stateOf('embedder'),
      reranker: stateOf('reranker'),
    };
  }

  /** See `levelOf`. */
  get level(): DegradationLevel {
    return levelOf(this.states);
  }

  /** Takes over what a process says that searched in place of this one. */
  takeOver(outages: readonly PartName[]): void {
    this.#elsewhere = new Set(outages);
  }

  /**
   * Asks a part outside of any search. Where it was left alone, it is asked again by all if it answers, and else left alone for as long again.
   * Tells whether it was left alone by processes that search in place of this one and answers.
   *
   * @throws what the request throws
   */
  async probe(part: PartName, request: () => Promise<unknown>): Promise<boolean> {
    const breaker = this.#breakers[part];
    if (breaker.state === 'out') {
      breaker.tryNext();
      const session = breaker.begin();
      try {
        await session.ask(request);
      } finally {
        session.end();
      }
    } else {
      await request();
      breaker.noteAnswer();
    }
    const elsewhere = new Set(this.#elsewhere);
    if (!elsewhere.delete(part)) return false;
    this.#elsewhere = elsewhere;
    return true;
  }

  /** See `Breaker.tryNext`. */
  tryNext(part: PartName): void {
    this.#breakers[part].tryNext();
  }
}

const LEDGER_OUT: readonly ErrorReason[] = ['INDEX_UNAVAILABLE', 'STORE_UNAVAILABLE', 'STORE_TIMEOUT'];
const STORE_OUT: readonly ErrorReason[] = ['STORE_UNAVAILABLE', 'STORE_TIMEOUT'];

/** The store does not answer, as against one that refuses something. */
export const isStoreOut = (error: unknown): error is RAGError => isOutage(error, STORE_OUT);

const LATE: Readonly<Record<PartName, ErrorReason>> = {
  ledger: 'INDEX_UNAVAILABLE',
  store: 'STORE_TIMEOUT',
  embedder: 'EMBEDDING_FAILED',
  reranker: 'RERANKER_UNAVAILABLE',
};

const REFUSED: Readonly<Record<PartName, ErrorReason>> = { ...LATE, store: 'STORE_UNAVAILABLE' };

/** Without reasons, whatever a model throws but the end of waiting. */
function isOutage(error: unknown, reasons: readonly ErrorReason[] | undefined): boolean {
  if (reasons !== undefined) return RAGError.isInstance(error) && reasons.includes(error.reason);
  if (RAGError.isInstance(error)) return error.reason !== 'ABORTED';
  return !(error instanceof Error && error.name === 'AbortError');
}

interface GuardedCalls {
  readonly parts: Breakers;
  readonly sessions: Map<PartName, Session>;
  /** What was asked itself, beside what is kept of its answers. */
  readonly called: Set<PartName>;
  /** What was left alone. */
  readonly refused: Set<PartName>;
  /** What was waited for in vain, and is not waited for again. */
  readonly waitedFor: Map<PartName, RAGError>;
}

const guardedCalls = new AsyncLocalStorage<GuardedCalls>();

/** Does work whose requests to parts (`callPart`) go through the breakers of `parts`; tells which of them failed or were left alone. */
export async function withBreakers<Result>(
  parts: Breakers | undefined,
  work: (failed: () => readonly PartName[]) => Promise<Result>,
): Promise<Result> {
  if (parts === undefined) return work(() => []);
  const sessions = new Map<PartName, Session>();
  const here: GuardedCalls = { parts, sessions, called: new Set(), refused: new Set(), waitedFor: new Map() };
  const failed = (): readonly PartName[] =>
    PARTS.filter((part) => here.refused.has(part) || sessions.get(part)?.hasFailed === true);
  try {
    return await guardedCalls.run(here, () => work(failed));
  } finally {
    for (const session of sessions.values()) session.end();
  }
}

/**
 * A request to a part, through its breaker where a search is made. What is done outside of searches asks the part itself.
 *
 * @throws RAGError `Breaker.refusal` and what the request throws
 */
export async function callPart<Result>(part: PartName, request: () => Promise<Result>): Promise<Result> {
  const here = guardedCalls.getStore();
  if (here === undefined) return request();
  const known = here.waitedFor.get(part);
  if (known !== undefined) throw known;
  const session = sessionOf(part, here);
  try {
    // What is kept of vectors says nothing of the service.
    return await session.ask(request, () => part !== 'embedder' || here.called.has(part));
  } catch (error) {
    if (RAGError.isInstance(error) && (error.reason === 'STORE_TIMEOUT' || session.isLate(error)))
      here.waitedFor.set(part, error);
    throw error;
  }
}

function sessionOf(part: PartName, { parts, sessions, refused }: GuardedCalls): Session {
  const known = sessions.get(part);
  if (known !== undefined) return known;
  const breaker = parts.breaker(part);
  if (breaker.refuses) {
    refused.add(part);
    throw breaker.refusal();
  }
  const session = breaker.begin();
  sessions.set(part, session);
  return session;
}

/** A part itself is asked, and not what is kept of its answers. */
export const markCalled = (part: PartName): void => void guardedCalls.getStore()?.called.add(part);

/** Whether a search is being made. */
export const isSearching = (): boolean => guardedCalls.getStore() !== undefined;

/** Nothing else of this search waits for the part, which has failed it; also where another search had asked it, whose answer this one waited for. */
export function markFailed(part: PartName, error: RAGError): void {
  const here = guardedCalls.getStore();
  if (here === undefined || here.waitedFor.has(part)) return;
  here.waitedFor.set(part, error);
  if (refusalOf(part) === undefined) sessionOf(part, here).fail(error);
}

/** What a request would be refused with; undefined where the part is asked. */
export function refusalOf(part: PartName): RAGError | undefined {
  const here = guardedCalls.getStore();
  if (here === undefined || here.sessions.has(part)) return undefined;
  const breaker = here.parts.breaker(part);
  if (!breaker.refuses) return undefined;
  here.refused.add(part);
  return breaker.refusal();
}
