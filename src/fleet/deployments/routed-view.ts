import { RAGError, throwIfAborted } from '../../core/errors.js';
import type { Scope } from '../../core/scope.js';
import type { EngineView } from '../../operations/engine.js';
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
    index: (request = {}) =>
      write('signal' in request ? request.signal : undefined, (view) => view.index(request)),
    push: (documents) => write(undefined, (view) => view.push(documents)),
    delete: (ids) => write(undefined, (view) => view.delete(ids)),
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
    letIn: (receipt) => write(undefined, (view) => view.letIn(receipt)),
    checkReceipt: (receipt) => read((view) => view.checkReceipt(receipt)),
    resumeForgetting: () => write(undefined, (view) => view.resumeForgetting()),
    graph: {
      estimate: (request) => read(({ graph }) => graph.estimate(request)),
      extract: (request) => write(request?.signal, ({ graph }) => graph.extract(request)),
      summarize: (request) => write(request?.signal, ({ graph }) => graph.summarize(request)),
      status: () => read(({ graph }) => graph.status()),
      summaries: (request) => read(({ graph }) => graph.summaries(request)),
      entity: (name) => read(({ graph }) => graph.entity(name)),
    },
    get: (request) => read((view) => view.get(request)),
    list: (request) => read((view) => view.list(request)),
    countDocuments: () => read((view) => view.countDocuments()),
    search: (query) => read((view) => view.search(query)),
    related: (request) => read((view) => view.related(request)),
    feedback: (request) => write(request.signal, (view) => view.feedback(request)),
    listFeedback: (request) => read((view) => view.listFeedback(request)),
    feedbackJudgments: (request) => read((view) => view.feedbackJudgments(request)),
    conflicts: (request) => read((view) => view.conflicts(request)),
    context: (query) => read((view) => view.context(query)),
    embed: (request) => read((view) => view.embed(request)),
    explainMiss: (query, document) => read((view) => view.explainMiss(query, document)),
    ask: (request) => read((view) => view.ask(request)),
    rollout: () => read((view) => view.rollout()),
    status: () => read((view) => view.status()),
    failures: (request) => read((view) => view.failures(request)),
    retry: (request) => write(request?.signal, (view) => view.retry(request)),
    sourceStates: () => read((view) => view.sourceStates()),
    indexingStates: (request) => read((view) => view.indexingStates(request)),
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
