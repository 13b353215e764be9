import type { Answer } from '../answering/answer.js';
import type { AnswerEvent } from '../answering/answer-events.js';
import { RAGError } from '../core/errors.js';
import { madeWhenAsked } from '../core/made-once.js';
import type { Scope } from '../core/scope.js';
import { scopedIndex } from '../indexing/scoped-index.js';
import type { AskRequest, EngineView, IndexRequest, IndexResult } from '../operations/engine.js';
import { checkedView, type ViewHandlers } from '../operations/operations.js';
import { Rollout } from '../operations/rollout.js';
import { context, search } from '../searching/search.js';
import { asPush, deletionWrite, type PushRequest, pushWrite } from './asked-writes.js';
import { type EngineCore, PATIENT_WAIT_MS } from './engine-core.js';
import { graphFactsOver } from './graph-facts.js';

// What a search does without is loaded when it is first asked for, and within the call that asks.
const answering = madeWhenAsked(() => import('../searching/run-ask.js'));
const conflicts = madeWhenAsked(() => import('../searching/conflicts.js'));
const documents = madeWhenAsked(() => import('./documents.js'));
const embedding = madeWhenAsked(() => import('../searching/embed-texts.js'));
const failures = madeWhenAsked(() => import('../features/maintenance/read-failures.js'));
const feedback = madeWhenAsked(() => import('../features/feedback/give-feedback.js'));
const indexRequests = madeWhenAsked(() => import('./index-requests.js'));
const related = madeWhenAsked(() => import('../searching/related.js'));
const retries = madeWhenAsked(() => import('./retry-failures.js'));
const status = madeWhenAsked(() => import('../features/maintenance/read-status.js'));
const verification = madeWhenAsked(() => import('./verify-requests.js'));

/** The operations of an engine for one scope: what each does with what it was asked, among what else is under way. */
export function scopedEngine(core: EngineCore, scope: Scope): EngineView {
  const { config, work } = core;

  const index = (request: IndexRequest): Promise<IndexResult> => {
    const push = asPush(request);
    return push === undefined ? runIndex(request) : runPush(push, request);
  };

  async function runPush(push: PushRequest, { signal, options }: IndexRequest): Promise<IndexResult> {
    const outcome = await core.write(pushWrite(push, scope, options?.waitMs), signal);
    if ('pushed' in outcome) return outcome.pushed;
    throw new RAGError('INTERNAL', 'A push was answered as a deletion.');
  }

  const runIndex = (request: IndexRequest): Promise<IndexResult> =>
    work.run(request.signal, async (signal) => {
      const stoppable = { ...request, signal };
      const { askedRun, needsWhole, refuseEmptyRequest, runIndexRequest } = await indexRequests();
      if (request.options?.dryRun === true)
        return runIndexRequest(stoppable, 'index --dry-run', { scope }, core);
      await refuseEmptyRequest(request, core);
      const subject = needsWhole(request) ? 'whole' : 'items';
      const indexing = askedRun(request, scope, core);
      return core.locked('index', { ...stoppable, subject, indexing }, (writing, held) =>
        runIndexRequest({ ...request, signal: writing }, 'index', { scope, ...held }, core),
      );
    });

  const askStream: ViewHandlers['askStream'] = (asked) =>
    work.stream(asked.signal, (signal) =>
      core.resources.activeQueries.duringStream(answered({ ...asked, signal }, scope, core)),
    );

  const operations: ViewHandlers['operations'] = {
    index,
    push: index,

    get: (asked) =>
      work.run(asked.signal, async (signal) => {
        const [indexed, { getDocument }] = [await scopedIndex(scope, core), await documents()];
        return indexed === undefined ? undefined : getDocument(asked, { index: indexed, host: core, signal });
      }),

    list: (asked) =>
      work.run(undefined, async () => {
        const [indexed, { listDocuments }] = [await scopedIndex(scope, core), await documents()];
        return indexed === undefined ? { documents: [] } : listDocuments(asked, { index: indexed, config });
      }),

    countDocuments: () =>
      work.run(undefined, async (signal) => {
        const indexed = await scopedIndex(scope, core);
        if (indexed === undefined) return { documents: 0, byType: {} };
        const { countDocuments } = await import('./count-documents.js');
        return countDocuments(indexed, signal);
      }),

    async delete(ids) {
      const outcome = await core.write(deletionWrite(ids, scope));
      return 'deleted' in outcome ? outcome.deleted : 0;
    },

    search: (asked) =>
      core.answering(asked.signal, (signal) => search({ ...asked, signal }, scope, core.resources)),

    related: (asked) =>
      core.answering(asked.signal, async (signal) =>
        (await related()).findRelated({ ...asked, signal }, scope, core.resources),
      ),

    feedback: (said) =>
      work.run(said.signal, async (signal) => {
        const { giveFeedback } = await feedback();
        return giveFeedback(said, await scopedIndex(scope, core), { config, signal });
      }),

    listFeedback: (asked) =>
      work.run(undefined, async () => (await feedback()).feedbackLogOf(config).list(scope, asked)),

    feedbackJudgments: (asked) =>
      work.run(asked.signal, async (signal) => {
        const { feedbackLogOf } = await feedback();
        const { judgeFeedback } = await import('../features/feedback/judge-feedback.js');
        const indexed = await scopedIndex(scope, core);
        return judgeFeedback({ ...asked, signal }, indexed, feedbackLogOf(config).read(scope));
      }),

    conflicts: (asked) =>
      core.answering(asked.signal, async (signal) =>
        (await conflicts()).findDocumentConflicts({ ...asked, signal }, scope, core.resources),
      ),

    ask: (asked) => lastAnswer(askStream(asked)),

    context: (asked) =>
      core.answering(asked.signal, (signal) => context({ ...asked, signal }, scope, core.resources)),

    embed: (asked) =>
      work.run(asked.signal, async (signal) =>
        (await embedding()).embedTexts({ ...asked, signal }, scope, core.resources),
      ),

    explainMiss: ({ query, document }) =>
      work.run(query.signal, async (signal) => {
        const { explainMiss } = await import('../features/explain-miss/explain-miss.js');
        return explainMiss({ query: { ...query, signal }, scope, resources: core.resources }, document);
      }),

    rollout: () =>
      work.run(undefined, async () => {
        const { rag, own } = config;
        return new Rollout({
          settings: rag.rollout,
          tenant: scope.tenant,
          totals: core.resources.rolloutTotals,
          runtime: own?.runtime,
        });
      }),

    status: () =>
      work.run(undefined, async () =>
        (await status()).readStatus(core.resources, scope, core.readAhead.progress),
      ),

    failures: (asked) =>
      work.run(undefined, async () => (await failures()).readFailures(asked, core.resources, scope)),

    retry(asked) {
      const options = asked.waitMs === undefined ? {} : { waitMs: asked.waitMs };
      return work.run(asked.signal, (signal) =>
        core.locked('failures retry', { options, signal, subject: 'items' }, async (writing, held) =>
          (await retries()).retryFailures({ ...asked, signal: writing }, { scope, ...held }, core),
        ),
      );
    },

    sourceStates: () =>
      work.run(undefined, async () => {
        const { readSourceStates } = await import('../features/maintenance/read-source-states.js');
        return readSourceStates(core.resources, scope);
      }),

    indexingStates: (asked) =>
      work.run(undefined, async () => {
        const { readIndexingStates } = await import('../features/maintenance/read-indexing-states.js');
        return readIndexingStates(asked, core.resources, scope);
      }),

    verify: ({ repair = false, sources = true, signal: given }) =>
      work.run(given, async (signal) => {
        const { repairIndex, verifyTwice } = await verification();
        const before = await verifyTwice({ scope, sources, signal }, core);
        if (!repair || before.drift.length === 0)
          return { ok: before.drift.length === 0, drift: before.drift, repaired: 0 };
        return core.locked('verify --repair', { signal }, (writing) =>
          repairIndex(before, { scope, signal: writing }, core),
        );
      }),

    forget: (request) =>
      work.run(request.signal, async (signal) => {
        const { forget } = await import('../features/forgetting/forget.js');
        if (request.dryRun === true) return forget(request, { scope, signal }, core);
        return core.locked('forget', { options: { waitMs: request.waitMs ?? 0 }, signal }, (writing) =>
          forget(request, { scope, signal: writing }, core),
        );
      }),

    resumeForgetting: () =>
      work.run(undefined, (outer) =>
        core.locked('forget --resume', { signal: outer }, (signal) => core.finishForgetting(signal)),
      ),

    letIn: (name) =>
      work.run(undefined, (signal) =>
        core.locked('forget --undo', { signal }, async () => {
          const { letIn } = await import('../features/forgetting/let-in.js');
          return letIn(name, scope, core);
        }),
      ),

    checkReceipt: (name) =>
      work.run(undefined, async (signal) => {
        const { checkReceipt } = await import('../features/forgetting/check-receipt.js');
        return checkReceipt(name, { scope, signal }, core);
      }),
  };

  const facts = graphFactsOver(({ command, signal: given }, call) =>
    work.run(given, (signal) =>
      call({
        config,
        resources: core.resources,
        scope,
        alone: (subject, write) =>
          core.locked(
            command,
            { signal, options: { waitMs: PATIENT_WAIT_MS }, subject, isBrief: true },
            async () => write(await core.existingLedger()),
          ),
        signal,
      }),
    ),
  );

  return checkedView(scope, { operations, facts, askStream });
}

async function* answered(
  request: AskRequest,
  scope: Scope,
  { resources }: EngineCore,
): AsyncGenerator<AnswerEvent> {
  const { runAsk } = await answering();
  yield* runAsk(request, scope, resources);
}

/** The answer alone. */
async function lastAnswer(events: AsyncIterable<AnswerEvent>): Promise<Answer> {
  for await (const event of events) if (event.type === 'answer') return event.answer;
  throw new RAGError('INTERNAL', 'Answering ended without an answer.');
}
