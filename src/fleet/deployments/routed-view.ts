import { RAGError, throwIfAborted } from '../../core/errors.js';
import type { Scope } from '../../core/scope.js';
import type { EngineView } from '../../operations/engine.js';
import { callsThrough } from '../../operations/operations.js';
import { placeOf } from './deployment-config.js';
import type { MeantIndex, OpenIndex } from './deployment-indexes.js';

/** How the index of a tenant is found. */
export interface IndexRoute {
  /** The deployment as it is now. Throws where it is not to be used. */
  readonly serving: () => MeantIndex;
  /** Throws while the tenant is being moved. */
  readonly assertSettled: () => void;
  readonly use: <Result>(meant: MeantIndex, work: (index: OpenIndex) => Promise<Result>) => Promise<Result>;
  readonly stream: <Part>(
    meant: MeantIndex,
    work: (index: OpenIndex) => AsyncIterable<Part>,
  ) => AsyncIterable<Part>;
  /** Goes through the gate that a move closes; gives the way out. */
  readonly enterToWrite: (signal: AbortSignal | undefined) => Promise<() => void>;
}

/** Of a request that may be stopped. */
const signalOf = (request: unknown): AbortSignal | undefined =>
  typeof request === 'object' && request !== null && 'signal' in request
    ? (request.signal as AbortSignal | undefined)
    : undefined;

/** A tenant that moves during one read moves once. */
const MOST_READS = 3;

/**
 * A view that finds the tenant's index anew at each call. A write goes through the gate, so that a move never loses it. A read that a
 * move overtook is done again where the documents are now: what it read may have been half removed.
 */
export function routedView(scope: Scope, route: IndexRoute): EngineView {
  const hasMoved = (meant: MeantIndex): boolean =>
    placeOf(route.serving().deployment) !== placeOf(meant.deployment);

  const read = async <Result>(work: (view: EngineView) => Promise<Result>): Promise<Result> => {
    for (let attempt = 1; ; attempt++) {
      const meant = route.serving();
      const last = attempt === MOST_READS;
      try {
        const result = await route.use(meant, ({ engine }) => work(engine.as(scope)));
        if (last || !hasMoved(meant)) return result;
      } catch (error) {
        if (last || !hasMoved(meant)) throw error;
      }
    }
  };

  const write = async <Result>(
    signal: AbortSignal | undefined,
    work: (view: EngineView) => Promise<Result>,
  ): Promise<Result> => {
    throwIfAborted(signal);
    const leave = await route.enterToWrite(signal);
    try {
      return await route.use(route.serving(), ({ engine }) => work(engine.as(scope)));
    } finally {
      leave();
    }
  };

  return {
    scope,
    ...callsThrough(({ access, given: [request] }, work) =>
      access === 'read' ? read(work) : write(signalOf(request), work),
    ),
    verify: async (request) => {
      if (request?.repair !== true) return read((view) => view.verify(request));
      // Where nothing is indexed it is refused before a gate leaves files; what is damaged is what it is for.
      await read((view) => view.status()).catch((error: unknown) => {
        if (RAGError.isInstance(error) && error.reason === 'INDEX_EMPTY') throw error;
      });
      return write(request.signal, (view) => view.verify(request));
    },
    forget: (request) =>
      request.dryRun === true
        ? read((view) => view.forget(request))
        : write(request.signal, (view) => {
            // Both places of a move hold the documents, and a receipt is of one.
            route.assertSettled();
            return view.forget(request);
          }),
    async *askStream(request) {
      // What was told is told: only before the first event is there a way back.
      for (let attempt = 1; ; attempt++) {
        const meant = route.serving();
        let hasBegun = false;
        try {
          for await (const event of route.stream(meant, ({ engine }) =>
            engine.as(scope).askStream(request),
          )) {
            if (!hasBegun && attempt < MOST_READS && hasMoved(meant)) break;
            hasBegun = true;
            yield event;
          }
          if (hasBegun || attempt === MOST_READS) return;
        } catch (error) {
          if (hasBegun || attempt === MOST_READS || !hasMoved(meant)) throw error;
        }
      }
    },
  };
}
