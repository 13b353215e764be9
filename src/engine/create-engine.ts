import type { Answer } from '../answering/answer.js';
import type { AnswerEvent } from '../answering/answer-events.js';
import { loadConfig } from '../config/load-config.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { assertPlainDataFolder } from '../config/trust/index-reach.js';
import { RAGError } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import { LOCAL_SCOPE, type Scope, type ScopeInput, scopeOf } from '../core/scope.js';
import { explainMiss } from '../features/explain-miss/explain-miss.js';
import { feedbackLogOf, giveFeedback } from '../features/feedback/give-feedback.js';
import { judgeFeedback } from '../features/feedback/judge-feedback.js';
import { forgetResults } from '../features/forgetting/erase-copies.js';
import { eraseTries } from '../features/forgetting/erase-tries.js';
import { isUnfinished } from '../features/forgetting/receipts.js';
import { eraseUnused } from '../features/forgetting/unused-copies.js';
import { checkHealth } from '../features/maintenance/check-health.js';
import { readFailures } from '../features/maintenance/read-failures.js';
import { readIndexingStates } from '../features/maintenance/read-indexing-states.js';
import { readSourceStates } from '../features/maintenance/read-source-states.js';
import { readStatus } from '../features/maintenance/read-status.js';
import { rotateEncryption } from '../features/maintenance/rotate-encryption.js';
import { findGeneration, findRetired, takeBack } from '../features/maintenance/take-back.js';
import { isLedgerDamage } from '../features/maintenance/verify-index.js';
import { listGenerations, tenantsOf } from '../indexing/list-generations.js';
import { scopedIndex } from '../indexing/scoped-index.js';
import type { EngineHost } from '../indexing/select-sources.js';
import type { IndexFacts, Ledger } from '../ledger/ledger.js';
import type { LockRequest, LockSubject } from '../ledger/lock.js';
import type {
  AskRequest,
  ContextQuery,
  ContextResponse,
  DocumentCounts,
  DocumentPage,
  DocumentRequest,
  DocumentText,
  EmbeddedTexts,
  EmbedRequest,
  EncryptionRotation,
  Engine,
  EngineHealth,
  EngineView,
  FailedItem,
  FailuresRequest,
  GenerationSummary,
  GraphFacts,
  HealthOptions,
  IndexingStatePage,
  IndexRequest,
  IndexResult,
  ListRequest,
  RelatedRequest,
  RelatedResponse,
  RetryRequest,
  SearchQuery,
  SearchResponse,
  SourceSyncState,
  VerifyRequest,
  VerifyResult,
  WorkPlan,
} from '../operations/engine.js';
import type { CreateEngineOptions } from '../operations/engine-options.js';
import type { FeedbackJudgments, FeedbackJudgmentsRequest } from '../operations/feedback-judgments.js';
import type {
  FeedbackPage,
  FeedbackReceipt,
  FeedbackRequest,
  ListFeedbackRequest,
} from '../operations/feedback-types.js';
import type { ForgetReceipt, ForgetRequest, ReceiptCheck } from '../operations/forget-types.js';
import type { MissExplanation } from '../operations/miss-explanation.js';
import { type MonitoringPlan, monitoringPlanOf } from '../operations/monitoring-plan.js';
import {
  checkedConflicts,
  checkedContext,
  checkedEngineOptions,
  checkedFailures,
  checkedFeedback,
  checkedFeedbackJudgments,
  checkedFeedbackListing,
  checkedForgetting,
  checkedGeneration,
  checkedIndexing,
  checkedListing,
  checkedName,
  checkedNames,
  checkedQuestion,
  checkedReading,
  checkedReembedding,
  checkedRelated,
  checkedRetry,
  checkedSearch,
  checkedTexts,
  checkedVerification,
} from '../operations/requests/check-requests.js';
import { Rollout } from '../operations/rollout.js';
import { type SyncPlan, syncPlanOf } from '../operations/sync-plan.js';
import type { ReembedRequest, ReembedResult } from '../operations/upgrade-types.js';
import type { ConflictsRequest, ConflictsResponse } from '../relations/conflicts/conflict-types.js';
import { chooseProvider } from '../resources/assembly/choose-store.js';
import { checkQueue } from '../resources/assembly/open-queue.js';
import { checkOwnParts } from '../resources/assembly/own-parts.js';
import { EngineResources } from '../resources/engine-resources.js';
import { dropGeneration, nothingIndexed } from '../resources/open-collection.js';
import { type AskedIndexing, tracedBeginning } from '../resources/traced-indexing.js';
import { contextAsOf, searchAsOf } from '../searching/as-of/search-as-of.js';
import { findDocumentConflicts } from '../searching/conflicts.js';
import { embedTexts } from '../searching/embed-texts.js';
import { openSearchProcesses } from '../searching/processes/open-search-processes.js';
import { findRelated } from '../searching/related.js';
import { lastAnswer, runAsk } from '../searching/run-ask.js';
import type { PushedDocument } from '../sources/push/push-source.js';
import type { StoresStatus } from '../stores/failover/failover-states.js';
import type { VectorStoreManager } from '../stores/failover/store-manager.js';
import { countDocuments } from './count-documents.js';
import { getDocument, listDocuments } from './documents.js';
import { viewOf } from './engine-view.js';
import { graphFactsOver } from './graph-facts.js';
import {
  deletionWrite,
  type EngineWrite,
  pushWrite,
  type WriteOutcome,
  writeTogether,
} from './grouped-writes.js';
import {
  askedRun,
  type HeldIndex,
  needsWhole,
  refuseEmptyRequest,
  runIndexRequest,
} from './index-requests.js';
import { KeptSources } from './kept-sources.js';
import { anySignal, OpenWork } from './open-work.js';
import { askedPush, asPush, type PushRequest } from './push-requests.js';
import { ReadAhead } from './read-ahead.js';
import { retryFailures } from './retry-failures.js';
import { repairIndex, verifyTwice } from './verify-requests.js';
import { workOnBatch } from './work-requests.js';
import { WriteGroups } from './write-groups.js';

/** Opens an engine. Nothing is read or loaded until it is needed. Throws what the configuration is refused for. */
export async function createEngine(options: CreateEngineOptions = {}): Promise<Engine> {
  return (await openEngine(options)).engine;
}

/** As `createEngine`, with the resources that the engine works with. */
export async function openEngine(
  options: CreateEngineOptions,
): Promise<{ readonly engine: Engine; readonly resources: EngineResources }> {
  const {
    config,
    configFile,
    cwd,
    env,
    overrides,
    dataDir,
    secretResolvers,
    trust,
    searchProcesses,
    waitForReader,
    ...own
  } = checkedEngineOptions(options);
  const settings = { config, env, overrides, dataDir, secretResolvers, trust };
  const loaded = await loadConfig({ ...settings, cwd, file: configFile, own });
  const resolved = { ...loaded, waitsForReader: waitForReader };
  checkOwnParts(own, resolved);
  // A store that this version lacks is refused now, whatever is asked for later.
  chooseProvider(resolved);
  checkQueue(resolved);
  const resources = new EngineResources(resolved, {
    processes: openSearchProcesses(searchProcesses, resolved),
  });
  try {
    const engine = engineOver(resources, cwd ?? process.cwd());
    return { engine: await audited(engine, resolved), resources };
  } catch (error) {
    await resources.close();
    throw error;
  }
}

/** The engine, with what is done with it written down where `rag.audit.library` says so. */
export async function audited(engine: Engine, config: ResolvedConfig): Promise<Engine> {
  if (!config.rag.audit.library) return engine;
  const { openAuditLog } = await import('../operations/audit/open-audit-log.js');
  const { auditedEngine } = await import('../operations/audit/audited-engine.js');
  const log = openAuditLog(config, ({ message }) => process.emitWarning(message));
  return log === undefined ? engine : auditedEngine(engine, log);
}

/** An engine over resources that the caller knows too; closing the engine closes them. */
export function engineOver(resources: EngineResources, cwd: string): Engine {
  assertPlainDataFolder(resources.config);
  return new EmbeddedEngine(resources, cwd);
}

class EmbeddedEngine implements Engine {
  readonly #opened: EngineResources;
  readonly #cwd: string;
  readonly #work: OpenWork;
  readonly #writes: WriteGroups<EngineWrite, WriteOutcome>;
  readonly #readAhead: ReadAhead;
  #closing: Promise<void> | undefined;

  constructor(resources: EngineResources, cwd: string) {
    this.#opened = resources;
    this.#readAhead = new ReadAhead(resources);
    this.#work = new OpenWork(resources.config.own?.runtime);
    this.#writes = new WriteGroups(this.#work, (writes, signal) =>
      this.#withLock(
        {
          command: commandOf(writes),
          subject: 'items',
          waitMs: writes[0]?.waitMs,
          signal,
          indexing: askedBy(writes),
        },
        (writing, held) => writeTogether(writes, { ...held, signal: writing }, this.#host),
      ),
    );
    this.#cwd = cwd;
  }

  /** Throws once the engine is closed: a ledger that was opened anew would stay open. */
  get #resources(): EngineResources {
    if (this.#closing === undefined) return this.#opened;
    throw new RAGError('USAGE', 'This engine is closed. Open another one with createEngine.');
  }

  get #config(): ResolvedConfig {
    return this.#opened.config;
  }

  /** Asked for its resources anew at each use, so that nothing is opened once the engine is closed. */
  get #host(): EngineHost {
    const { config } = this.#opened;
    const openResources = (): EngineResources => this.#resources;
    return {
      config,
      cwd: this.#cwd,
      get resources() {
        return openResources();
      },
    };
  }

  get scope(): Scope {
    return LOCAL_SCOPE;
  }

  as(scope: ScopeInput): EngineView {
    return viewOf(this, scopeOf(scope));
  }

  async index(
    given: IndexRequest | readonly PushedDocument[] = {},
    stated: ScopeInput = LOCAL_SCOPE,
  ): Promise<IndexResult> {
    const scope = scopeOf(stated);
    const request = checkedIndexing(given);
    const push = asPush(request);
    if (push !== undefined) return this.#push(push, scope, request);
    return this.#work.run(request.signal, async (signal) => {
      const stoppable = { ...request, signal };
      if (request.options?.dryRun === true)
        return runIndexRequest(stoppable, 'index --dry-run', { scope }, this.#host);
      await refuseEmptyRequest(request, this.#host);
      const subject = needsWhole(request) ? 'whole' : 'items';
      const indexing = askedRun(request, scope, this.#host);
      return this.#locked('index', { ...stoppable, subject, indexing }, (writing, held) =>
        runIndexRequest({ ...request, signal: writing }, 'index', { scope, ...held }, this.#host),
      );
    });
  }

  async #push(push: PushRequest, scope: Scope, { signal, options }: IndexRequest): Promise<IndexResult> {
    const outcome = await this.#write(pushWrite(push, scope, options?.waitMs), signal);
    if ('pushed' in outcome) return outcome.pushed;
    throw new RAGError('INTERNAL', 'A push was answered as a deletion.');
  }

  #write(write: EngineWrite, given: AbortSignal | undefined): Promise<WriteOutcome> {
    return this.#work.run(given, (signal) => this.#writes.add(write, signal));
  }

  push(documents: readonly PushedDocument[], scope: ScopeInput = LOCAL_SCOPE): Promise<IndexResult> {
    return this.index({ documents }, scope);
  }

  async get(
    request: string | DocumentRequest,
    scope: ScopeInput = LOCAL_SCOPE,
  ): Promise<DocumentText | undefined> {
    const asked = checkedReading(request);
    const checked = scopeOf(scope);
    return this.#work.run(asked.signal, async (signal) => {
      const index = await scopedIndex(checked, this.#host);
      return index === undefined ? undefined : getDocument(asked, { index, host: this.#host, signal });
    });
  }

  async list(request: ListRequest = {}, scope: ScopeInput = LOCAL_SCOPE): Promise<DocumentPage> {
    const checked = checkedListing(request);
    const asker = scopeOf(scope);
    return this.#work.run(undefined, async () => {
      const index = await scopedIndex(asker, this.#host);
      return index === undefined
        ? { documents: [] }
        : listDocuments(checked, { index, config: this.#config });
    });
  }

  async countDocuments(scope: ScopeInput = LOCAL_SCOPE): Promise<DocumentCounts> {
    const asker = scopeOf(scope);
    return this.#work.run(undefined, async (signal) => {
      const index = await scopedIndex(asker, this.#host);
      return index === undefined ? { documents: 0, byType: {} } : countDocuments(index, signal);
    });
  }

  async delete(ids: readonly string[], scope: ScopeInput = LOCAL_SCOPE): Promise<number> {
    const checked = scopeOf(scope);
    const names = checkedNames(ids);
    const outcome = await this.#write(deletionWrite(names, checked), undefined);
    return 'deleted' in outcome ? outcome.deleted : 0;
  }

  async search(query: string | SearchQuery, scope: ScopeInput = LOCAL_SCOPE): Promise<SearchResponse> {
    const asked = checkedSearch(query);
    const asker = scopeOf(scope);
    return this.#answering(asked.signal, (signal) =>
      searchAsOf({ ...asked, signal }, asker, this.#resources),
    );
  }

  async related(request: string | RelatedRequest, scope: ScopeInput = LOCAL_SCOPE): Promise<RelatedResponse> {
    const asked = checkedRelated(request);
    const asker = scopeOf(scope);
    return this.#answering(asked.signal, () => findRelated(asked, asker, this.#resources));
  }

  async feedback(request: FeedbackRequest, scope: ScopeInput = LOCAL_SCOPE): Promise<FeedbackReceipt> {
    const said = checkedFeedback(request);
    const asker = scopeOf(scope);
    return this.#work.run(said.signal, async (signal) => {
      const index = await scopedIndex(asker, this.#host);
      return giveFeedback(said, index, { config: this.#config, signal });
    });
  }

  async listFeedback(
    request: ListFeedbackRequest = {},
    scope: ScopeInput = LOCAL_SCOPE,
  ): Promise<FeedbackPage> {
    const asked = checkedFeedbackListing(request);
    const asker = scopeOf(scope);
    return this.#work.run(undefined, () => feedbackLogOf(this.#config).list(asker, asked));
  }

  async feedbackJudgments(
    request: FeedbackJudgmentsRequest = {},
    scope: ScopeInput = LOCAL_SCOPE,
  ): Promise<FeedbackJudgments> {
    const asked = checkedFeedbackJudgments(request);
    const asker = scopeOf(scope);
    return this.#work.run(asked.signal, async (signal) => {
      const index = await scopedIndex(asker, this.#host);
      return judgeFeedback({ ...asked, signal }, index, feedbackLogOf(this.#config).read(asker));
    });
  }

  async conflicts(
    request: ConflictsRequest = {},
    scope: ScopeInput = LOCAL_SCOPE,
  ): Promise<ConflictsResponse> {
    const asked = checkedConflicts(request);
    const asker = scopeOf(scope);
    return this.#answering(asked.signal, (signal) =>
      findDocumentConflicts({ ...asked, signal }, asker, this.#resources),
    );
  }

  async ask(request: string | AskRequest, scope: ScopeInput = LOCAL_SCOPE): Promise<Answer> {
    return lastAnswer(this.askStream(request, scope));
  }

  askStream(request: string | AskRequest, scope: ScopeInput = LOCAL_SCOPE): AsyncIterable<AnswerEvent> {
    const asked = checkedQuestion(request);
    const asker = scopeOf(scope);
    return this.#work.stream(asked.signal, (signal) =>
      this.#opened.traffic.duringStream(runAsk({ ...asked, signal }, asker, this.#resources)),
    );
  }

  async context(query: string | ContextQuery, scope: ScopeInput = LOCAL_SCOPE): Promise<ContextResponse> {
    const asked = checkedContext(query);
    const asker = scopeOf(scope);
    return this.#answering(asked.signal, (signal) =>
      contextAsOf({ ...asked, signal }, asker, this.#resources),
    );
  }

  /** Work that somebody waits for, and that other work gives way to. */
  #answering<T>(given: AbortSignal | undefined, answer: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#readAhead.begin();
    return this.#opened.traffic.during(() => this.#work.run(given, answer));
  }

  async embed(request: EmbedRequest, scope: ScopeInput = LOCAL_SCOPE): Promise<EmbeddedTexts> {
    const asked = checkedTexts(request);
    const asker = scopeOf(scope);
    return this.#work.run(asked.signal, (signal) => embedTexts({ ...asked, signal }, asker, this.#resources));
  }

  async explainMiss(
    query: string | SearchQuery,
    document: string,
    scope: ScopeInput = LOCAL_SCOPE,
  ): Promise<MissExplanation> {
    const asked = checkedSearch(query);
    const asker = scopeOf(scope);
    const name = checkedName(document);
    return this.#work.run(asked.signal, (signal) =>
      explainMiss({ query: { ...asked, signal }, scope: asker, resources: this.#resources }, name),
    );
  }

  async rollout(scope: ScopeInput = LOCAL_SCOPE): Promise<Rollout> {
    const { tenant } = scopeOf(scope);
    const { rag, own } = this.#config;
    return this.#work.run(undefined, async () => {
      const { rollout: settings } = rag;
      return new Rollout({ settings, tenant, totals: this.#resources.rolloutTotals, runtime: own?.runtime });
    });
  }

  async status(scope: ScopeInput = LOCAL_SCOPE): ReturnType<Engine['status']> {
    const asker = scopeOf(scope);
    return this.#work.run(undefined, () => readStatus(this.#resources, asker, this.#readAhead.progress));
  }

  async failures(
    request: FailuresRequest = {},
    scope: ScopeInput = LOCAL_SCOPE,
  ): Promise<readonly FailedItem[]> {
    const asked = checkedFailures(request);
    const asker = scopeOf(scope);
    return this.#work.run(undefined, () => readFailures(asked, this.#resources, asker));
  }

  async retry(request: RetryRequest = {}, stated: ScopeInput = LOCAL_SCOPE): Promise<IndexResult> {
    const scope = scopeOf(stated);
    const asked = checkedRetry(request);
    const { signal: given, waitMs } = asked;
    const options = waitMs === undefined ? {} : { waitMs };
    return this.#work.run(given, (signal) =>
      this.#locked('failures retry', { options, signal, subject: 'items' }, (writing, held) =>
        retryFailures({ ...asked, signal: writing }, { scope, ...held }, this.#host),
      ),
    );
  }

  async sourceStates(scope: ScopeInput = LOCAL_SCOPE): Promise<readonly SourceSyncState[]> {
    const asker = scopeOf(scope);
    return this.#work.run(undefined, () => readSourceStates(this.#resources, asker));
  }

  async indexingStates(
    request: Pick<ListRequest, 'cursor' | 'limit'> = {},
    scope: ScopeInput = LOCAL_SCOPE,
  ): Promise<IndexingStatePage> {
    const asked = checkedListing(request);
    const asker = scopeOf(scope);
    return this.#work.run(undefined, () => readIndexingStates(asked, this.#resources, asker));
  }

  async verify(request: VerifyRequest = {}, stated: ScopeInput = LOCAL_SCOPE): Promise<VerifyResult> {
    const scope = scopeOf(stated);
    const { repair = false, sources = true, signal: given } = checkedVerification(request);
    return this.#work.run(given, async (signal) => {
      const before = await verifyTwice({ scope, sources, signal }, this.#host);
      if (!repair || before.drift.length === 0)
        return { ok: before.drift.length === 0, drift: before.drift, repaired: 0 };
      return this.#locked('verify --repair', { signal }, (writing) =>
        repairIndex(before, { scope, signal: writing }, this.#host),
      );
    });
  }

  async forget(given: ForgetRequest, stated: ScopeInput = LOCAL_SCOPE): Promise<ForgetReceipt> {
    const scope = scopeOf(stated);
    const request = checkedForgetting(given);
    return this.#work.run(request.signal, async (signal) => {
      const { forget } = await import('../features/forgetting/forget.js');
      if (request.dryRun === true) return forget(request, { scope, signal }, this.#host);
      return this.#locked('forget', { options: { waitMs: request.waitMs ?? 0 }, signal }, (writing) =>
        forget(request, { scope, signal: writing }, this.#host),
      );
    });
  }

  async resumeForgetting(): Promise<readonly string[]> {
    return this.#work.run(undefined, (outer) =>
      this.#locked('forget --resume', { signal: outer }, (signal) => this.#finishForgetting(signal)),
    );
  }

  async #finishForgetting(signal: AbortSignal): Promise<readonly string[]> {
    const { finishForgetting } = await import('../features/forgetting/forget.js');
    return finishForgetting(signal, this.#host);
  }

  async letIn(receipt: string, stated: ScopeInput = LOCAL_SCOPE): Promise<number> {
    const scope = scopeOf(stated);
    const name = checkedName(receipt);
    return this.#work.run(undefined, (signal) =>
      this.#locked('forget --undo', { signal }, async () => {
        const { letIn } = await import('../features/forgetting/let-in.js');
        return letIn(name, scope, this.#host);
      }),
    );
  }

  async checkReceipt(receipt: string, stated: ScopeInput = LOCAL_SCOPE): Promise<ReceiptCheck> {
    const scope = scopeOf(stated);
    const name = checkedName(receipt);
    return this.#work.run(undefined, async (signal) => {
      const { checkReceipt } = await import('../features/forgetting/check-receipt.js');
      return checkReceipt(name, { scope, signal }, this.#host);
    });
  }

  async health(options: HealthOptions = {}): Promise<EngineHealth> {
    return this.#work.run(undefined, () => checkHealth(this.#resources, options));
  }

  syncPlan(): SyncPlan {
    return syncPlanOf(this.#config);
  }

  monitoringPlan(): MonitoringPlan {
    return monitoringPlanOf(this.#config);
  }

  workPlan(): WorkPlan {
    const sources = new KeptSources(this.#config);
    return {
      runtime: this.#config.own?.runtime,
      queue: () => this.#resources.queue.open(),
      prepare: () =>
        this.#work.run(undefined, async () => {
          await this.#resources.ledger.writing({ check: false });
          await this.#resources.models.embedder();
        }),
      owed: () => this.#work.run(undefined, async () => (await this.#resources.ledger.live())?.reader.owed),
      work: (batch, given) =>
        this.#work.run(given, (signal) =>
          // Batches claim what they write, so they go on side by side, and make room for who needs the whole.
          this.#withLock(
            { command: 'ragstone worker', subject: 'items', waitMs: WORKER_WAIT_MS, signal, givesWay: true },
            (writing, held) => workOnBatch(batch, { signal: writing, ...held, sources }, this.#host),
          ),
        ),
      release: () => sources.close(),
    };
  }

  async generations(): Promise<readonly GenerationSummary[]> {
    return this.#work.run(undefined, async () => {
      const ledger = await this.#resources.ledger.reading();
      return ledger === undefined ? [] : listGenerations(ledger);
    });
  }

  async useGeneration(wanted: number): Promise<void> {
    const generation = checkedGeneration(wanted);
    await this.#work.run(undefined, (outer) =>
      this.#locked('generations use', { signal: outer }, async (signal) => {
        const ledger = await this.#existingLedger();
        const facts = await findRetired(ledger, generation);
        const { embedder } = await this.#resources.models.embedderOf(facts);
        const storeOf = (of: IndexFacts) => this.#resources.stores.of(of);
        const now = () => new Date(runtime().now()).toISOString();
        const tenants = await tenantsOf(ledger);
        await takeBack(facts, { ledger, storeOf, embedder, tenants, signal, now });
      }),
    );
  }

  async dropGeneration(wanted: number): Promise<void> {
    const generation = checkedGeneration(wanted);
    await this.#work.run(undefined, (signal) =>
      this.#locked('generations drop', { signal }, async () => {
        const ledger = await this.#existingLedger();
        const facts = await findGeneration(ledger, generation);
        if (facts.state === 'live') return ledger.drop(generation);
        return dropGeneration(facts, ledger, (of) => this.#resources.stores.of(of));
      }),
    );
  }

  async stores(): Promise<StoresStatus | undefined> {
    return this.#work.run(undefined, async () => (await this.#resources.stores.manager())?.status());
  }

  async switchStore(given: string): Promise<void> {
    const name = checkedName(given);
    await this.#work.run(undefined, async () => (await this.#manager()).switchStore(name));
  }

  async syncStores(given?: AbortSignal): Promise<StoresStatus> {
    return this.#work.run(given, async (signal) => {
      const manager = await this.#manager();
      await manager.catchUp(signal);
      return manager.status();
    });
  }

  async rebuildStore(given: string): Promise<void> {
    const name = checkedName(given);
    await this.#work.run(undefined, async () => (await this.#manager()).rebuild(name));
  }

  async #manager(): Promise<VectorStoreManager> {
    const manager = await this.#resources.stores.manager();
    if (manager !== undefined) return manager;
    throw new RAGError(
      'USAGE',
      'The index is kept in one store. Name a second one in `rag.failover` (docs/failover.md).',
    );
  }

  async reembed(given: ReembedRequest = {}, stated: ScopeInput = LOCAL_SCOPE): Promise<ReembedResult> {
    const scope = scopeOf(stated);
    const request = checkedReembedding(given);
    return this.#work.run(request.signal, async (signal) => {
      const { reembed } = await import('../features/upgrading/reembed.js');
      const options = { waitMs: ROTATION_WAIT_MS };
      return reembed(request, scope, {
        config: this.#config,
        resources: this.#resources,
        cwd: this.#cwd,
        traffic: this.#resources.traffic,
        alone: (subject, work) =>
          this.#locked('reembed', { signal, options, subject, isBrief: true }, async () =>
            work(await this.#existingLedger()),
          ),
        signal,
      });
    });
  }

  get graph(): GraphFacts {
    return graphFactsOver(({ scope, command, signal: given }, work) =>
      this.#work.run(given, (signal) =>
        work({
          config: this.#config,
          resources: this.#resources,
          scope,
          alone: (subject, write) =>
            this.#locked(
              command,
              { signal, options: { waitMs: ROTATION_WAIT_MS }, subject, isBrief: true },
              async () => write(await this.#existingLedger()),
            ),
          signal,
        }),
      ),
    );
  }

  /** The ledger for writing, where there is one: a question about an index makes none. */
  async #existingLedger(): Promise<Ledger> {
    if ((await this.#resources.ledger.reading()) === undefined) throw nothingIndexed(this.#config);
    return this.#resources.ledger.writing({ check: false });
  }

  async rotateEncryption(): Promise<EncryptionRotation> {
    const sealing = await this.#resources.stores.sealing.open();
    return this.#work.run(undefined, async (outer) => {
      const [tries] = sealing.fields.length === 0 ? [] : await eraseTries(this.#config.dataDir);
      const removed = tries === undefined ? {} : { removedTries: tries.count };
      if (tries !== undefined && (await this.#resources.ledger.reading()) === undefined)
        return { documents: 0, rewritten: 0, ...removed };
      await this.#existingLedger();
      const { eraseAllCopies } = await import('../features/forgetting/erase-copies.js');
      const rotated = await rotateEncryption({
        sealing,
        eraseCopies: (ledger) => eraseAllCopies(ledger, outer, this.#host),
        storeOf: (facts) => this.#resources.stores.of(facts),
        embedderOf: async (facts) => (await this.#resources.models.embedderOf(facts)).embedder,
        signal: outer,
        now: () => new Date(runtime().now()).toISOString(),
        alone: (work) =>
          this.#locked(
            'encryption rotate',
            { signal: outer, options: { waitMs: ROTATION_WAIT_MS } },
            async () => work(await this.#existingLedger()),
          ),
      });
      return { ...rotated, ...removed };
    });
  }

  async clear(): Promise<void> {
    await this.#work.run(undefined, (signal) => this.#locked('clear', { signal }, () => this.#clear()));
  }

  async #clear(): Promise<void> {
    let generations: IndexFacts[] = [];
    try {
      generations = (await (await this.#resources.ledger.reading())?.generations()) ?? [];
      // A store that nobody has is found out before anything is forgotten.
      for (const facts of generations) await this.#resources.stores.of(facts);
      if (generations.length > 0) await forgetResults(this.#host, 'ragstone clear');
      // First, so that no search finds what is being removed, and other processes see at once that nothing is indexed.
      if (generations.length > 0) await (await this.#resources.ledger.writing({ check: true })).clear();
      else await this.#resources.discardLedger();
    } catch (error) {
      // Emptying a file takes room, removing it gives some.
      const isFull = isFullDisk(error) && this.#config.rag.ledger.type === 'sqlite';
      if (!isFull && !isLedgerDamage(error)) throw error;
      // Nothing in a damaged ledger can be trusted; what its stores hold cannot be known.
      if (!isFull) generations = [];
      await this.#resources.discardLedger();
    }
    for (const facts of generations) await (await this.#resources.stores.of(facts)).drop(facts.collection);
    await eraseTries(this.#config.dataDir);
    await eraseUnused(generations, this.#host);
  }

  close(): Promise<void> {
    this.#closing ??= this.#readAhead
      .stop()
      .then(() => this.#work.end())
      .then(() => this.#opened.close());
    return this.#closing;
  }

  async #locked<T>(
    command: string,
    {
      options,
      signal,
      subject = 'whole',
      isBrief,
      indexing,
    }: {
      readonly options?: IndexRequest['options'];
      readonly signal: AbortSignal;
      readonly subject?: LockSubject;
      readonly isBrief?: boolean;
      readonly indexing?: AskedIndexing;
    },
    work: (signal: AbortSignal, held: HeldIndex) => Promise<T>,
  ): Promise<T> {
    this.#writes.separate();
    // Runs of one engine wait for each other; the lock is for other processes.
    return this.#work.inTurn(signal, () =>
      this.#withLock(
        { command: `ragstone ${command}`, waitMs: options?.waitMs, signal, subject, isBrief, indexing },
        work,
      ),
    );
  }

  async #withLock<T>(
    {
      command,
      signal,
      indexing,
      ...request
    }: LockRequest & { readonly signal: AbortSignal; readonly indexing?: AskedIndexing | undefined },
    work: (signal: AbortSignal, held: HeldIndex) => Promise<T>,
  ): Promise<T> {
    const lock = await tracedBeginning(indexing, () =>
      this.#resources.ledger.lock({ ...request, signal, command }),
    );
    const { lost, isShared = false, giveWay } = lock;
    // Who loses the lock of the whole finds what it wrote claimed by others, too.
    const leaseMs = this.#opened.ledger.isShared ? this.#config.rag.ledger.leaseMs : undefined;
    try {
      const writing = lost === undefined ? signal : anySignal(signal, lost);
      // What is half forgotten is forgotten before anything else is done. A failure is told by the status of the index.
      if (!isShared && isUnfinished(this.#config.dataDir)) await this.#finishForgetting(writing);
      return await this.#readAhead.pausedFor(async () => {
        const done = await work(writing, { leaseMs, isShared, giveWay });
        this.#resources.ledger.assertSame();
        await this.#resources.results.dropOld();
        return done;
      });
    } catch (error) {
      throw lost?.aborted === true ? lost.reason : error;
    } finally {
      await lock.release();
    }
  }
}

/** What is said of pushes where they cannot begin. */
const askedBy = ([first]: readonly EngineWrite[]): AskedIndexing | undefined =>
  first !== undefined && 'push' in first.work ? askedPush(first.scope) : undefined;

/** As others are told who holds the index: no command of a person writes these. */
const commandOf = ([first]: readonly EngineWrite[]): string =>
  first !== undefined && 'push' in first.work ? 'a push of documents' : 'a deletion of documents';

/** A worker waits this long for who writes the whole, in milliseconds, before it says so. */
const WORKER_WAIT_MS = 10_000;

/** Other writers are waited for this long, in milliseconds. */
const ROTATION_WAIT_MS = 600_000;

const isFullDisk = (error: unknown): boolean =>
  RAGError.isInstance(error) && error.reason === 'INDEX_DISK_FULL';
