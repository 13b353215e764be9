import { runtime } from '../core/runtime.js';
import type { Scope } from '../core/scope.js';
import {
  damagedLedger,
  isLedgerDamage,
  prepareRepair,
  sourceOwnership,
  type VerifyContext,
  type VerifyReport,
  verifyIndex,
} from '../features/maintenance/verify-index.js';
import { readBlockedItems } from '../indexing/blocked-items.js';
import { configuredSources, inProject } from '../indexing/configured-sources.js';
import { pathsOf } from '../indexing/document-paths.js';
import { finishPushes } from '../indexing/finish-pushes.js';
import { IndexRun } from '../indexing/index-run.js';
import { keepHistory } from '../indexing/keep-history.js';
import {
  abandonedSourcesOf,
  type EngineHost,
  indexedSources,
  selectSourcesOf,
} from '../indexing/select-sources.js';
import type { Drift, VerifyResult } from '../operations/engine.js';
import { retryPolicyOf } from '../operations/retry-policy.js';
import { nothingIndexed } from '../resources/open-collection.js';
import { runIndexRequest } from './index-requests.js';
import { writeLive } from './live-targets.js';

interface Verification {
  readonly scope: Scope;
  /** See `VerifyRequest.sources`. */
  readonly sources: boolean;
  readonly signal: AbortSignal;
}

async function verifyContext(
  { scope, sources: withSources, signal }: Verification,
  host: EngineHost,
): Promise<VerifyContext> {
  const live = await host.resources.ledger.live();
  if (live === undefined) throw nothingIndexed(host.config);
  const paths = { ofItem: pathsOf('items', host.config), ofDocument: pathsOf('documents', host.config) };
  const store = await host.resources.stores.of(live.facts);
  const storeOf: VerifyContext['storeOf'] = (facts) => host.resources.stores.of(facts);
  const sealing = await host.resources.stores.sealing.open();
  const index = { ...live, store, storeOf, sealing, scope, paths, signal };
  if (!withSources) return { ...index, sources: [] };
  const indexed = await indexedSources(live.ledger, scope.tenant, host);
  const { sources } = await selectSourcesOf({}, scope.project, indexed, host);
  const isOwn = await sourceOwnership(live.reader, scope);
  return {
    ...index,
    retry: retryPolicyOf(host.config),
    sources: sources
      .filter(({ source }) => isOwn(source.name))
      .map((source) => inProject(source, scope.project)),
    abandoned: (await abandonedSourcesOf(live.ledger, scope.tenant, host)).filter(({ name }) => isOwn(name)),
    blocked: await readBlockedItems(live.ledger, scope.tenant),
  };
}

/** Where other hosts write meanwhile, what only one of two looks saw was their work. */
export async function verifyTwice(verification: Verification, host: EngineHost): Promise<VerifyReport> {
  const first = await verifyScope(verification, host);
  if (!host.resources.ledger.isShared || first.drift.length === 0) return first;
  const second = await verifyScope(verification, host);
  const nameOf = ({ kind, source, detail }: Drift): string => JSON.stringify([kind, source, detail]);
  const seen = new Set(first.drift.map(nameOf));
  const drift = second.drift.filter((one) => seen.has(nameOf(one)));
  const isPastDamaged = drift.some(({ kind }) => kind === 'history-damaged');
  return { ...second, drift, unsoundUntil: isPastDamaged ? second.unsoundUntil : undefined };
}

/** Compares what a scope has indexed with its sources and the store. */
async function verifyScope(verification: Verification, host: EngineHost): ReturnType<typeof verifyIndex> {
  try {
    return await verifyIndex(await verifyContext(verification, host));
  } catch (error) {
    if (isLedgerDamage(error)) return damagedLedger([error.message]);
    throw error;
  }
}

/** Where a repair writes. Hold the writer lock. */
async function repairContext(host: EngineHost): Promise<Parameters<typeof prepareRepair>[1]> {
  const ledger = await host.resources.ledger.writing({ check: false });
  const facts = await ledger.live();
  if (facts === undefined) throw nothingIndexed(host.config);
  const store = await host.resources.stores.of(facts);
  return {
    history: ledger.history,
    facts,
    store,
    writer: ledger.writer(facts.generation, runtime().uniqueName()),
  };
}

/** Whether a run would have anything to look at: all that there was may have been taken back. */
async function hasSources({ tenant }: Scope, host: EngineHost): Promise<boolean> {
  const ledger = await host.resources.ledger.writing({ check: false });
  const { names } = await indexedSources(ledger, tenant, host);
  return names.length > 0 || (await configuredSources(host.config)).length > 0;
}

/** Removes the drift that was seen. Hold the writer lock. */
export async function repairIndex(
  seen: VerifyReport,
  { scope, signal }: { readonly scope: Scope; readonly signal: AbortSignal },
  host: EngineHost,
): Promise<VerifyResult> {
  // Beside other writers what was seen may have been work under way.
  const before = host.resources.ledger.isShared
    ? await verifyScope({ scope, sources: true, signal }, host)
    : seen;
  if (before.drift.length === 0) return { ok: true, drift: [], repaired: 0 };
  if (!before.damaged) {
    // What programs handed in no run can read again.
    await writeLive(host.resources, signal, ({ targets }) =>
      finishPushes(scope.tenant, targets, new IndexRun(undefined, signal)),
    );
    const unsoundUntil = seen.unsoundUntil === undefined ? undefined : before.unsoundUntil;
    await prepareRepair({ ...before, unsoundUntil }, await repairContext(host));
  }
  const rebuild = before.damaged ? 'damaged' : 'never';
  const request = { options: { force: before.damaged }, signal };
  if (before.damaged || (await hasSources(scope, host)))
    await runIndexRequest(request, 'verify --repair', { scope, rebuild }, host);
  else
    await writeLive(host.resources, signal, ({ targets, ...live }) =>
      keepHistory(
        { ...live, keep: host.config.rag.history.keep, isPush: false },
        targets,
        new IndexRun(undefined, signal),
      ),
    );
  const after = await verifyScope({ scope, sources: true, signal }, host);
  const repaired = Math.max(0, before.drift.length - after.drift.length);
  return { ok: after.drift.length === 0, drift: after.drift, repaired };
}
