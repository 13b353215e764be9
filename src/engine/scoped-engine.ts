import type { Answer } from '../answering/answer.js';
import type { AnswerEvent } from '../answering/answer-events.js';
import { RAGError } from '../core/errors.js';
import { madeWhenAsked } from '../core/made-once.js';
import type { Scope } from '../core/scope.js';
import { scopedIndex } from '../indexing/scoped-index.js';
import type { AskRequest, EngineView } from '../operations/engine.js';
import {
  checkedConflicts,
  checkedContext,
  checkedFailures,
  checkedFeedback,
  checkedFeedbackJudgments,
  checkedFeedbackListing,
  checkedForgetting,
  checkedIndexing,
  checkedListing,
  checkedName,
  checkedNames,
  checkedQuestion,
  checkedReading,
  checkedRelated,
  checkedRetry,
  checkedSearch,
  checkedTexts,
  checkedVerification,
} from '../operations/requests/check-requests.js';
import { Rollout } from '../operations/rollout.js';
import { contextAsOf, searchAsOf } from '../searching/as-of/search-as-of.js';
import { asPush, deletionWrite, pushWrite } from './asked-writes.js';
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

/** The operations of an engine for one scope: each checks what it is asked, and does it among what else is under way. */
export function scopedEngine(core: EngineCore, scope: Scope): EngineView {
  const { config, work } = core;
  const view: EngineView = {
    scope,

    async index(given = {}) {
      const request = checkedIndexing(given);
      const push = asPush(request);
      if (push !== undefined) {
        const { signal, options } = request;
        const outcome = await core.write(pushWrite(push, scope, options?.waitMs), signal);
        if ('pushed' in outcome) return outcome.pushed;
        throw new RAGError('INTERNAL', 'A push was answered as a deletion.');
      }
      return work.run(request.signal, async (signal) => {
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
    },

    push: async (documents) => view.index({ documents }),

    async get(request) {
      const asked = checkedReading(request);
      return work.run(asked.signal, async (signal) => {
        const [index, { getDocument }] = [await scopedIndex(scope, core), await documents()];
        return index === undefined ? undefined : getDocument(asked, { index, host: core, signal });
      });
    },

    async list(request = {}) {
      const asked = checkedListing(request);
      return work.run(undefined, async () => {
        const [index, { listDocuments }] = [await scopedIndex(scope, core), await documents()];
        return index === undefined ? { documents: [] } : listDocuments(asked, { index, config });
      });
    },

    countDocuments: () =>
      work.run(undefined, async (signal) => {
        const index = await scopedIndex(scope, core);
        if (index === undefined) return { documents: 0, byType: {} };
        const { countDocuments } = await import('./count-documents.js');
        return countDocuments(index, signal);
      }),

    async delete(ids) {
      const outcome = await core.write(deletionWrite(checkedNames(ids), scope));
      return 'deleted' in outcome ? outcome.deleted : 0;
    },

    async search(query) {
      const asked = checkedSearch(query);
      return core.answering(asked.signal, (signal) =>
        searchAsOf({ ...asked, signal }, scope, core.resources),
      );
    },

    async related(request) {
      const asked = checkedRelated(request);
      return core.answering(asked.signal, async () =>
        (await related()).findRelated(asked, scope, core.resources),
      );
    },

    async feedback(request) {
      const said = checkedFeedback(request);
      return work.run(said.signal, async (signal) => {
        const { giveFeedback } = await feedback();
        return giveFeedback(said, await scopedIndex(scope, core), { config, signal });
      });
    },

    async listFeedback(request = {}) {
      const asked = checkedFeedbackListing(request);
      return work.run(undefined, async () => (await feedback()).feedbackLogOf(config).list(scope, asked));
    },

    async feedbackJudgments(request = {}) {
      const asked = checkedFeedbackJudgments(request);
      return work.run(asked.signal, async (signal) => {
        const { feedbackLogOf } = await feedback();
        const { judgeFeedback } = await import('../features/feedback/judge-feedback.js');
        const index = await scopedIndex(scope, core);
        return judgeFeedback({ ...asked, signal }, index, feedbackLogOf(config).read(scope));
      });
    },

    async conflicts(request = {}) {
      const asked = checkedConflicts(request);
      return core.answering(asked.signal, async (signal) =>
        (await conflicts()).findDocumentConflicts({ ...asked, signal }, scope, core.resources),
      );
    },

    ask: async (request) => lastAnswer(view.askStream(request)),

    askStream(request) {
      const asked = checkedQuestion(request);
      return work.stream(asked.signal, (signal) =>
        core.resources.traffic.duringStream(answered({ ...asked, signal }, scope, core)),
      );
    },

    async context(query) {
      const asked = checkedContext(query);
      return core.answering(asked.signal, (signal) =>
        contextAsOf({ ...asked, signal }, scope, core.resources),
      );
    },

    async embed(request) {
      const asked = checkedTexts(request);
      return work.run(asked.signal, async (signal) =>
        (await embedding()).embedTexts({ ...asked, signal }, scope, core.resources),
      );
    },

    async explainMiss(query, document) {
      const asked = checkedSearch(query);
      const name = checkedName(document);
      return work.run(asked.signal, async (signal) => {
        const { explainMiss } = await import('../features/explain-miss/explain-miss.js');
        return explainMiss({ query: { ...asked, signal }, scope, resources: core.resources }, name);
      });
    },

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

    async failures(request = {}) {
      const asked = checkedFailures(request);
      return work.run(undefined, async () => (await failures()).readFailures(asked, core.resources, scope));
    },

    async retry(request = {}) {
      const asked = checkedRetry(request);
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

    async indexingStates(request = {}) {
      const asked = checkedListing(request);
      return work.run(undefined, async () => {
        const { readIndexingStates } = await import('../features/maintenance/read-indexing-states.js');
        return readIndexingStates(asked, core.resources, scope);
      });
    },

    async verify(request = {}) {
      const { repair = false, sources = true, signal: given } = checkedVerification(request);
      return work.run(given, async (signal) => {
        const { repairIndex, verifyTwice } = await verification();
        const before = await verifyTwice({ scope, sources, signal }, core);
        if (!repair || before.drift.length === 0)
          return { ok: before.drift.length === 0, drift: before.drift, repaired: 0 };
        return core.locked('verify --repair', { signal }, (writing) =>
          repairIndex(before, { scope, signal: writing }, core),
        );
      });
    },

    async forget(given) {
      const request = checkedForgetting(given);
      return work.run(request.signal, async (signal) => {
        const { forget } = await import('../features/forgetting/forget.js');
        if (request.dryRun === true) return forget(request, { scope, signal }, core);
        return core.locked('forget', { options: { waitMs: request.waitMs ?? 0 }, signal }, (writing) =>
          forget(request, { scope, signal: writing }, core),
        );
      });
    },

    resumeForgetting: () =>
      work.run(undefined, (outer) =>
        core.locked('forget --resume', { signal: outer }, (signal) => core.finishForgetting(signal)),
      ),

    async letIn(receipt) {
      const name = checkedName(receipt);
      return work.run(undefined, (signal) =>
        core.locked('forget --undo', { signal }, async () => {
          const { letIn } = await import('../features/forgetting/let-in.js');
          return letIn(name, scope, core);
        }),
      );
    },

    async checkReceipt(receipt) {
      const name = checkedName(receipt);
      return work.run(undefined, async (signal) => {
        const { checkReceipt } = await import('../features/forgetting/check-receipt.js');
        return checkReceipt(name, { scope, signal }, core);
      });
    },

    graph: graphFactsOver(({ command, signal: given }, call) =>
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
    ),
  };
  return view;
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
