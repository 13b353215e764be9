import { trustNamed } from '../config/trust/index-reach.js';
import { RAGError, toRAGError } from '../core/errors.js';
import { isoNow } from '../core/runtime.js';
import { cacheOwner, type Scope } from '../core/scope.js';
import { restoreBlockedNames } from '../features/forgetting/restore-blocked-names.js';
import { assertPushable, inProject, pushedSource } from '../indexing/configured-sources.js';
import { preparing, runRequests } from '../indexing/run-index.js';
import type { EngineHost } from '../indexing/select-sources.js';
import type { IndexResult } from '../operations/engine.js';
import { retryPolicyOf } from '../operations/retry-policy.js';
import { tracedIndexing } from '../resources/traced-indexing.js';
import { askedPush, type PushRequest } from './asked-writes.js';
import { DEFAULT_BATCH_SIZE, DEFAULT_PARALLEL, partsNamed, type RunContext } from './index-requests.js';
import { permission } from './permission.js';
import { keepFoldersPrivate, keepOutOfGit } from './private-data.js';

/**
 * Does pushes of one scope that touch different documents, as one run: nothing is listed, and nothing read that grows with the index.
 * What came of each, or why it is refused. Hold the writer lock.
 */
export function runPushes(
  requests: readonly PushRequest[],
  context: Pick<RunContext, 'scope' | 'leaseMs' | 'isShared'> & { readonly signal: AbortSignal },
  host: EngineHost,
): Promise<(IndexResult | RAGError)[]> {
  return tracedIndexing({
    ...askedPush(context.scope),
    work: () => pushTogether(requests, context, host),
    statsOf: (outcomes) => outcomes.flatMap((outcome) => ('stats' in outcome ? outcome.stats : [])),
  });
}

async function pushTogether(
  requests: readonly PushRequest[],
  {
    scope,
    leaseMs,
    isShared,
    signal,
  }: Pick<RunContext, 'scope' | 'leaseMs' | 'isShared'> & { readonly signal: AbortSignal },
  host: EngineHost,
): Promise<(IndexResult | RAGError)[]> {
  const { config, resources } = host;
  const { project } = scope;
  const permitted = await permittedPushes(requests, scope, host);
  const accepted = permitted.flatMap((request) => (RAGError.isInstance(request) ? [] : [request]));
  if (accepted.length === 0) return permitted.filter(RAGError.isInstance);
  const documents = accepted.flatMap((request) => request.documents);
  const deleted = accepted.flatMap((request) => request.deleted);
  const requestOf = new Map(
    accepted.flatMap((request, index) =>
      [...request.documents.map(({ id }) => id), ...request.deleted].map((id) => [id, index] as const),
    ),
  );
  const ledger = await resources.ledger.writing({ check: false });
  if (!resources.ledger.isShared) await restoreBlockedNames(ledger, scope.tenant, config.dataDir);
  const source = await pushedSource({ documents, deleted, project }, config);
  const recorded = { ledger, command: 'index', now: isoNow, options: { dryRun: false } };
  const { store, ofStore, embedder, ofModel, cache, contextualiser } = await preparing(recorded, async () => {
    const { store, notices: ofStore } = await resources.stores.configured();
    const { embedder, notices: ofModel, cache } = await resources.models.embedder();
    trustNamed(partsNamed(store.name, embedder.identity.model), config);
    return {
      store,
      ofStore,
      embedder,
      ofModel,
      cache,
      contextualiser: await resources.models.contextualiser.open(),
    };
  });
  const results = await runRequests(
    {
      ledger,
      store,
      storeOf: (facts) => resources.stores.of(facts),
      embedder,
      embedding: { cache, owner: cacheOwner(scope) },
      contextualiser,
      sources: [inProject(source, project)],
      configuredNames: new Set(),
      options: {
        scope,
        force: false,
        dryRun: false,
        batchSize: DEFAULT_BATCH_SIZE,
        parallel: DEFAULT_PARALLEL,
        retry: retryPolicyOf(config),
      },
      isPush: true,
      isExamined: config.rag.conflicts.enabled,
      command: 'index',
      sealing: await resources.stores.sealingOfFolded(),
      history: config.rag.history.keep,
      leaseMs,
      isShared,
      learn: (target, chunks = 0) =>
        resources.models.learnFrom(
          { ledger, ...target },
          { signal, pushed: { tenant: scope.tenant, chunks } },
        ),
      now: isoNow,
      signal,
    },
    { requests: accepted.length, requestOf: (itemId) => requestOf.get(itemId) },
  );
  keepOutOfGit(config);
  const told = [...keepFoldersPrivate(config), ...ofStore, ...ofModel];
  const outcomes = results.map((result) => ({ ...result, notices: [...told, ...result.notices] })).values();
  return permitted.map((request) =>
    RAGError.isInstance(request) ? request : (outcomes.next().value ?? withoutOutcome()),
  );
}

const withoutOutcome = (): RAGError => new RAGError('INTERNAL', 'A push was left without an outcome.');

/** Each request as the scope may have it, or why it is refused. */
async function permittedPushes(
  requests: readonly PushRequest[],
  scope: Scope,
  host: EngineHost,
): Promise<(PushRequest | RAGError)[]> {
  const permit = await permission(requests, scope, host);
  return requests.map((request) => {
    try {
      assertPushable({ ...request, project: scope.project }, host.config);
      return permit(request);
    } catch (error) {
      return toRAGError(error, 'INTERNAL', 'The push failed.');
    }
  });
}
