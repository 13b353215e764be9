import { RAGError } from '../core/errors.js';
import type { Scope } from '../core/scope.js';
import { explainMiss } from '../features/explain-miss/explain-miss.js';
import { feedbackLogOf, giveFeedback } from '../features/feedback/give-feedback.js';
import { judgeFeedback } from '../features/feedback/judge-feedback.js';
import { readFailures } from '../features/maintenance/read-failures.js';
import { readIndexingStates } from '../features/maintenance/read-indexing-states.js';
import { readSourceStates } from '../features/maintenance/read-source-states.js';
import { readStatus } from '../features/maintenance/read-status.js';
import { scopedIndex } from '../indexing/scoped-index.js';
import type { EngineView, IndexRequest, IndexResult } from '../operations/engine.js';
import { checkedView, type ViewHandlers } from '../operations/operations.js';
import { Rollout } from '../operations/rollout.js';
import { contextAsOf, searchAsOf } from '../searching/as-of/search-as-of.js';
import { findDocumentConflicts } from '../searching/conflicts.js';
import { embedTexts } from '../searching/embed-texts.js';
import { findRelated } from '../searching/related.js';
import { lastAnswer, runAsk } from '../searching/run-ask.js';
import { countDocuments } from './count-documents.js';
import { getDocument, listDocuments } from './documents.js';
import { type EngineCore, PATIENT_WAIT_MS } from './engine-core.js';
import { graphFactsOver } from './graph-facts.js';
import { deletionWrite, pushWrite } from './grouped-writes.js';
import { askedRun, needsWhole, refuseEmptyRequest, runIndexRequest } from './index-requests.js';
import { asPush, type PushRequest } from './push-requests.js';
import { retryFailures } from './retry-failures.js';
import { repairIndex, verifyTwice } from './verify-requests.js';

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
      core.resources.traffic.duringStream(runAsk({ ...asked, signal }, scope, core.resources)),
    );

  const operations: ViewHandlers['operations'] = {
    index,
    push: index,

    get: (asked) =>
      work.run(asked.signal, async (signal) => {
        const indexed = await scopedIndex(scope, core);
        return indexed === undefined ? undefined : getDocument(asked, { index: indexed, host: core, signal });
      }),

    list: (asked) =>
      work.run(undefined, async () => {
        const indexed = await scopedIndex(scope, core);
        return indexed === undefined ? { documents: [] } : listDocuments(asked, { index: indexed, config });
      }),

    countDocuments: () =>
      work.run(undefined, async (signal) => {
        const indexed = await scopedIndex(scope, core);
        return indexed === undefined ? { documents: 0, byType: {} } : countDocuments(indexed, signal);
      }),

    async delete(ids) {
      const outcome = await core.write(deletionWrite(ids, scope));
      return 'deleted' in outcome ? outcome.deleted : 0;
    },

    search: (asked) =>
      core.answering(asked.signal, (signal) => searchAsOf({ ...asked, signal }, scope, core.resources)),

    related: (asked) => core.answering(asked.signal, () => findRelated(asked, scope, core.resources)),

    feedback: (said) =>
      work.run(said.signal, async (signal) =>
        giveFeedback(said, await scopedIndex(scope, core), { config, signal }),
      ),

    listFeedback: (asked) => work.run(undefined, () => feedbackLogOf(config).list(scope, asked)),

    feedbackJudgments: (asked) =>
      work.run(asked.signal, async (signal) =>
        judgeFeedback(
          { ...asked, signal },
          await scopedIndex(scope, core),
          feedbackLogOf(config).read(scope),
        ),
      ),

    conflicts: (asked) =>
      core.answering(asked.signal, (signal) =>
        findDocumentConflicts({ ...asked, signal }, scope, core.resources),
      ),

    ask: (asked) => lastAnswer(askStream(asked)),

    context: (asked) =>
      core.answering(asked.signal, (signal) => contextAsOf({ ...asked, signal }, scope, core.resources)),

    embed: (asked) =>
      work.run(asked.signal, (signal) => embedTexts({ ...asked, signal }, scope, core.resources)),

    explainMiss: ({ query, document }) =>
      work.run(query.signal, (signal) =>
        explainMiss({ query: { ...query, signal }, scope, resources: core.resources }, document),
      ),

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

    status: () => work.run(undefined, () => readStatus(core.resources, scope, core.readAhead.progress)),

    failures: (asked) => work.run(undefined, () => readFailures(asked, core.resources, scope)),

    retry(asked) {
      const options = asked.waitMs === undefined ? {} : { waitMs: asked.waitMs };
      return work.run(asked.signal, (signal) =>
        core.locked('failures retry', { options, signal, subject: 'items' }, (writing, held) =>
          retryFailures({ ...asked, signal: writing }, { scope, ...held }, core),
        ),
      );
    },

    sourceStates: () => work.run(undefined, () => readSourceStates(core.resources, scope)),

    indexingStates: (asked) => work.run(undefined, () => readIndexingStates(asked, core.resources, scope)),

    verify: ({ repair = false, sources = true, signal: given }) =>
      work.run(given, async (signal) => {
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
