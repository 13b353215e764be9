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
import type { EngineView } from '../operations/engine.js';
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
import { asPush } from './push-requests.js';
import { retryFailures } from './retry-failures.js';
import { repairIndex, verifyTwice } from './verify-requests.js';

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
        const index = await scopedIndex(scope, core);
        return index === undefined ? undefined : getDocument(asked, { index, host: core, signal });
      });
    },

    async list(request = {}) {
      const asked = checkedListing(request);
      return work.run(undefined, async () => {
        const index = await scopedIndex(scope, core);
        return index === undefined ? { documents: [] } : listDocuments(asked, { index, config });
      });
    },

    countDocuments: () =>
      work.run(undefined, async (signal) => {
        const index = await scopedIndex(scope, core);
        return index === undefined ? { documents: 0, byType: {} } : countDocuments(index, signal);
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
      return core.answering(asked.signal, () => findRelated(asked, scope, core.resources));
    },

    async feedback(request) {
      const said = checkedFeedback(request);
      return work.run(said.signal, async (signal) =>
        giveFeedback(said, await scopedIndex(scope, core), { config, signal }),
      );
    },

    async listFeedback(request = {}) {
      const asked = checkedFeedbackListing(request);
      return work.run(undefined, () => feedbackLogOf(config).list(scope, asked));
    },

    async feedbackJudgments(request = {}) {
      const asked = checkedFeedbackJudgments(request);
      return work.run(asked.signal, async (signal) => {
        const index = await scopedIndex(scope, core);
        return judgeFeedback({ ...asked, signal }, index, feedbackLogOf(config).read(scope));
      });
    },

    async conflicts(request = {}) {
      const asked = checkedConflicts(request);
      return core.answering(asked.signal, (signal) =>
        findDocumentConflicts({ ...asked, signal }, scope, core.resources),
      );
    },

    ask: async (request) => lastAnswer(view.askStream(request)),

    askStream(request) {
      const asked = checkedQuestion(request);
      return work.stream(asked.signal, (signal) =>
        core.resources.traffic.duringStream(runAsk({ ...asked, signal }, scope, core.resources)),
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
      return work.run(asked.signal, (signal) => embedTexts({ ...asked, signal }, scope, core.resources));
    },

    async explainMiss(query, document) {
      const asked = checkedSearch(query);
      const name = checkedName(document);
      return work.run(asked.signal, (signal) =>
        explainMiss({ query: { ...asked, signal }, scope, resources: core.resources }, name),
      );
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

    status: () => work.run(undefined, () => readStatus(core.resources, scope, core.readAhead.progress)),

    async failures(request = {}) {
      const asked = checkedFailures(request);
      return work.run(undefined, () => readFailures(asked, core.resources, scope));
    },

    async retry(request = {}) {
      const asked = checkedRetry(request);
      const options = asked.waitMs === undefined ? {} : { waitMs: asked.waitMs };
      return work.run(asked.signal, (signal) =>
        core.locked('failures retry', { options, signal, subject: 'items' }, (writing, held) =>
          retryFailures({ ...asked, signal: writing }, { scope, ...held }, core),
        ),
      );
    },

    sourceStates: () => work.run(undefined, () => readSourceStates(core.resources, scope)),

    async indexingStates(request = {}) {
      const asked = checkedListing(request);
      return work.run(undefined, () => readIndexingStates(asked, core.resources, scope));
    },

    async verify(request = {}) {
      const { repair = false, sources = true, signal: given } = checkedVerification(request);
      return work.run(given, async (signal) => {
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
