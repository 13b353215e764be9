import { resolve } from 'node:path';
import {
  assertLedgerTrusted,
  foldersNamed,
  foldersOutside,
  hostedModel,
  storeAbroad,
  trustNamed,
} from '../config/trust/index-reach.js';
import type { Risk } from '../config/trust/risks.js';
import { RAGError } from '../core/errors.js';
import { isoNow } from '../core/runtime.js';
import { cacheOwner, type Scope } from '../core/scope.js';
import { Receipts, unfinishedNotice } from '../features/forgetting/receipts.js';
import { restoreBlockedNames } from '../features/forgetting/restore-blocked-names.js';
import { pathAdder } from '../features/maintenance/read-status.js';
import { type SalvagedLedger, salvageLedger } from '../features/maintenance/salvage-ledger.js';
import { isLedgerDamage } from '../features/maintenance/verify-index.js';
import { isUpgradeDue, readUpgradeStatus } from '../features/upgrading/upgrade-status.js';
import { configuredSources, inProject, placesOf } from '../indexing/configured-sources.js';
import type { Rebuild } from '../indexing/index-pipeline.js';
import { isOfOldKind, rememberedPaths } from '../indexing/named-folders.js';
import { preparing, runIndex } from '../indexing/run-index.js';
import {
  abandonedSourcesOf,
  abandonmentsOf,
  type EngineHost,
  followLinks,
  forgetRedundant,
  indexedSources,
  rememberSelected,
  type SelectedSources,
  selectSourcesOf,
} from '../indexing/select-sources.js';
import { configuredNames } from '../indexing/source-owners.js';
import type { HandOver, IndexSourceOptions } from '../indexing/source-task.js';
import type { Ledger } from '../ledger/ledger.js';
import type { WriterLock } from '../ledger/lock.js';
import type { IndexRequest, IndexResult, PrunedSource } from '../operations/engine.js';
import { retryPolicyOf } from '../operations/retry-policy.js';
import { splitModelName } from '../platform/providers/provider-table.js';
import { hasQueue } from '../resources/assembly/open-queue.js';
import { type AskedIndexing, tracedIndexing } from '../resources/traced-indexing.js';
import { permission } from './permission.js';
import { keepFoldersPrivate, keepOutOfGit } from './private-data.js';

/** Chunks in one embedding and store batch: large enough to make a store's commits cheap, small enough for steady memory. */
export const DEFAULT_BATCH_SIZE = 2000;
export const DEFAULT_PARALLEL = 8;

/** How the writer lock is held while a write is under way. */
export interface HeldIndex {
  /** How long items are claimed for at a time, in milliseconds; absent where the ledger is of one process at a time. */
  readonly leaseMs?: number | undefined;
  /** Other processes write too. @default false */
  readonly isShared?: boolean | undefined;
  /** See `WriterLock.giveWay`. */
  readonly giveWay?: WriterLock['giveWay'];
}

/** What a run needs beside its request. */
export interface RunContext extends HeldIndex {
  readonly scope: Scope;
  readonly rebuild?: Rebuild;
  /** Failed items that are tried now, by source. */
  readonly retried?: IndexSourceOptions['retried'];
}

/** Before a data folder is made. Throws `USAGE`. */
export async function refuseEmptyRequest(
  { sources, paths, documents }: IndexRequest,
  { config, resources }: EngineHost,
): Promise<void> {
  if (sources !== undefined || paths !== undefined || documents !== undefined) return;
  if (config.rag.sources.length + (config.own?.sources ?? []).length > 0) return;
  try {
    if ((await resources.ledger.reading()) === undefined) throw nothingToIndex();
  } catch (error) {
    // The run tells of it, with what to do.
    if (!isLedgerDamage(error)) throw error;
  }
}

/** With `force` a ledger that turns out to be damaged is begun anew, if the request still says what to index. */
export async function runIndexRequest(
  request: IndexRequest,
  command: string,
  context: RunContext,
  host: EngineHost,
): Promise<IndexResult> {
  const run = () => runOrSalvage(request, command, context, host);
  if (request.options?.dryRun === true) return run();
  return tracedIndexing({
    ...askedRun(request, context.scope, host),
    work: run,
    statsOf: ({ stats }) => [stats],
  });
}

/** What a run says of itself before it begins. */
export const askedRun = (
  { sources, paths }: IndexRequest,
  { tenant }: Scope,
  host: EngineHost,
): AskedIndexing => ({
  kind: 'run',
  tenant,
  sources: paths === undefined ? (sources ?? configuredSourceNames(host)) : [],
});

const configuredSourceNames = ({ config }: EngineHost): string[] =>
  config.rag.sources.flatMap(({ enabled, name }) => (enabled ? name : []));

async function runOrSalvage(
  request: IndexRequest,
  command: string,
  context: RunContext,
  host: EngineHost,
): Promise<IndexResult> {
  const { force = false, dryRun = false } = request.options ?? {};
  try {
    return await runOnce(request, command, context, host);
  } catch (error) {
    if (!force || dryRun || !isLedgerDamage(error)) throw error;
    const salvaged = await salvage(request, error, host);
    return runOnce(request, command, { ...context, salvaged }, host);
  }
}

async function runOnce(
  given: IndexRequest,
  command: string,
  {
    scope,
    rebuild: wanted,
    leaseMs,
    isShared,
    giveWay,
    retried,
    salvaged,
  }: RunContext & { readonly salvaged?: SalvagedLedger },
  host: EngineHost,
): Promise<IndexResult> {
  const { tenant, project } = scope;
  const request = await permitted(given, scope, host);
  const { force = false, dryRun = false } = request.options ?? {};
  const ledger = dryRun
    ? await host.resources.ledger.dry()
    : await host.resources.ledger.writing({ check: force });
  if (!dryRun && !host.resources.ledger.isShared)
    await restoreBlockedNames(ledger, tenant, host.config.dataDir);
  const {
    names: indexed,
    folders,
    ownership,
  } = await indexedSources(ledger, tenant, host, salvaged?.sources);
  const asked = await selectSourcesOf(request, project, { names: indexed, folders, ownership }, host);
  const selected = dryRun ? asked : await confirmed(asked, request, { ledger, tenant });
  if (selected.sources.length === 0 && indexed.length === 0 && salvaged === undefined) throw nothingToIndex();
  const { config } = host;
  if (!dryRun) {
    const read = new Set(selected.sources.map(({ source }) => source.name));
    const renamed = folders.filter((folder) => isOfOldKind(folder) && read.has(folder.presentName));
    const named = placesNamed(request, host);
    const places = [...named, ...renamed.flatMap(({ root }) => root ?? [])];
    trustNamed(foldersNamed(places, config), config);
    await rememberSelected(ledger, { tenant, selected, folders, named, before: ownership.own, config });
  }
  // Other tenants are in the same generation: it is not begun anew for one of them.
  const wished = wanted ?? rebuildOf(request);
  const rebuild = wished !== 'never' && (await isAlone(ledger, tenant)) ? wished : 'never';
  const recorded = { ledger, command, now: isoNow, options: { dryRun } };
  const { store, ofStore, embedder, notices, cache, upgrade, contextualiser } = await preparing(
    recorded,
    async () => {
      const { store, notices: ofStore } = await host.resources.stores.configured({
        rebuild: rebuild !== 'never',
      });
      const model = await host.resources.models.embedder();
      if (!dryRun) trustNamed(partsNamed(store.name, model.embedder.identity.model), config);
      const upgrade = await host.resources.models.upgradeFollowed();
      return {
        store,
        ofStore,
        ...model,
        upgrade,
        contextualiser: await host.resources.models.contextualiser.open(),
      };
    },
  );
  const handOver = handOverFor(request.options ?? {}, host);
  const result = await runIndex({
    contextualiser,
    ledger,
    store,
    storeOf: (facts) => host.resources.stores.of(facts),
    embedder,
    embedding: { cache, owner: cacheOwner(scope) },
    sources: selected.sources.map((source) => inProject(source, project)),
    givenUp: selected.givenUp,
    configuredNames: configuredNames(config),
    options: {
      scope,
      force,
      dryRun,
      rebuild,
      batchSize: request.options?.batchSize ?? DEFAULT_BATCH_SIZE,
      transactionChunks: request.options?.transactionChunks,
      parallel: request.options?.parallel ?? DEFAULT_PARALLEL,
      retry: retryPolicyOf(config),
      retried,
      allowShrink: request.options?.allowShrink,
      heedBackoff: request.options?.heedBackoff,
      unlessListedSince: request.options?.unlessListedSince,
    },
    handOver,
    command,
    isExamined: config.rag.conflicts.enabled,
    history: config.rag.history.keep,
    upgrade,
    abandoned: salvaged?.facts,
    leaseMs,
    isShared,
    giveWay,
    abandonedSources: await abandonedSourcesOf(ledger, tenant, host),
    sealing: await host.resources.stores.sealing.open(),
    learn: (target) => host.resources.models.learnFrom({ ledger, ...target }, { signal: request.signal }),
    now: isoNow,
    onProgress: request.onProgress,
    signal: request.signal,
  });
  if (!dryRun) {
    await forgetRedundant(ledger, { tenant, selected, folders });
    await followLinks(ledger, { tenant, selected, folders });
    await ledger.recordSourceRoots?.(tenant, placesOf(selected.sources, host.config));
  }
  const ofFolders = dryRun ? [] : keepFoldersPrivate(host.config);
  if (!dryRun) keepOutOfGit(host.config);
  const { stats } = result;
  return {
    ...result,
    stats: { ...stats, errors: stats.errors.map(pathAdder(host.config)) },
    notices: [
      ...(salvaged?.notices ?? []),
      ...selected.notices,
      ...ofFolders,
      ...ofStore,
      ...notices,
      ...(cache?.warnings?.() ?? []),
      ...result.notices,
      ...(await abandonmentsOf(ledger, tenant, host)),
      ...(await upgradeNotice(ledger, host.config)),
      ...new Receipts(host.config.dataDir).unfinishedIds().map((id) => unfinishedNotice(id)),
    ],
  };
}

/** Keeps what the caller does not confirm to be given up. */
async function confirmed(
  selected: SelectedSources,
  { confirmPrune }: IndexRequest,
  { ledger, tenant }: { readonly ledger: Ledger; readonly tenant: string },
): Promise<SelectedSources> {
  const live = await ledger.live();
  if (confirmPrune === undefined || live === undefined) return selected;
  const reader = ledger.reader(live.generation);
  const sources: PrunedSource[] = [];
  for (const source of selected.givenUp) {
    const counts = (await reader.documentCounts(tenant, source)).values();
    const documents = [...counts].reduce((sum, count) => sum + count, 0);
    if (documents > 0) sources.push({ source, documents });
  }
  if (sources.length === 0 || (await confirmPrune(sources))) return selected;
  return { ...selected, givenUp: new Set() };
}

/** Reads what is left of a damaged ledger and removes it, unless the request would not know then what to index. */
async function salvage(
  { sources, paths, documents }: IndexRequest,
  damage: RAGError,
  host: EngineHost,
): Promise<SalvagedLedger> {
  const salvaged = await salvageLedger(() => host.resources.ledger.reading());
  const isOpen = sources === undefined && paths === undefined && documents === undefined;
  const remembered = rememberedPaths(salvaged.sources, host.config);
  if (isOpen) assertLedgerTrusted(foldersOutside(remembered, host.config), host.config);
  const isKnown = remembered.length > 0;
  if (isOpen && !isKnown && (await configuredSources(host.config)).length === 0) {
    throw new RAGError(
      'INDEX_DAMAGED',
      `The index's ledger in ${host.config.dataDir} is damaged, and with it the list of the folders that were indexed by name. Name them to build the index anew: \`ragstone index FOLDER --force\`.`,
      { cause: damage },
    );
  }
  await host.resources.discardLedger();
  return salvaged;
}

/** The request without what the scope may not touch; one without documents as it is. */
async function permitted(request: IndexRequest, scope: Scope, host: EngineHost): Promise<IndexRequest> {
  const { documents = [], deleted = [] } = request;
  if (documents.length + deleted.length === 0) return request;
  return (await permission([request], scope, host))(request);
}

const placesNamed = ({ paths = [] }: IndexRequest, { cwd }: EngineHost): string[] =>
  paths.map((path) => resolve(cwd, path));

/** Of the configuration that makes the index: a later one may name others. */
export const partsNamed = (store: string, model: string): Risk[] => [
  ...storeAbroad(store),
  ...(splitModelName(model) === undefined ? [] : [hostedModel(model)]),
];

/** Whether a run replaces or gives up more than the items that it reads. */
export const needsWhole = (request: IndexRequest): boolean =>
  rebuildOf(request) !== 'never' || (request.options?.prune ?? false) !== false;

/** A run over everything fills a new generation where all work is to be done again. */
function rebuildOf({ sources, paths, documents, options }: IndexRequest): Rebuild {
  const { force = false, dryRun = false } = options ?? {};
  if (!force || dryRun || documents !== undefined) return 'never';
  return sources === undefined && paths === undefined ? 'always' : 'covering';
}

/** Whether the live generation holds documents of one tenant alone. */
async function isAlone(ledger: Ledger, tenant: string): Promise<boolean> {
  const live = await ledger.live();
  if (live === undefined) return true;
  return (await ledger.reader(live.generation).sources()).every((source) => source.tenant === tenant);
}

const nothingToIndex = (): RAGError =>
  new RAGError(
    'USAGE',
    'There is nothing to index: name a folder (`ragstone index docs`), or configure `rag.sources` (`ragstone init` writes a start).',
  );

/** What is left of a stronger model that is wanted. */
async function upgradeNotice(ledger: Ledger, config: EngineHost['config']): Promise<string[]> {
  const live = await ledger.live();
  const status = live && (await readUpgradeStatus(ledger, live, config));
  return status !== undefined && isUpgradeDue(status) ? [status.notice] : [];
}

/** Adds to the queue what a listing leaves to workers; undefined where the run is to do it itself. */
function handOverFor(
  { handOver = false, force = false, prune = false, dryRun = false }: HandOverOptions,
  { config, resources }: EngineHost,
): HandOver | undefined {
  if (!handOver || dryRun || !hasQueue(config)) return undefined;
  if (force || prune !== false)
    throw new RAGError(
      'USAGE',
      'What replaces or gives up the whole is not left to workers: leave out `handOver`, or `force` and `prune`.',
    );
  return async (batches, notice) => {
    const queue = await resources.queue.open();
    try {
      await queue.add(batches);
    } catch (error) {
      if (!RAGError.isInstance(error) || error.reason !== 'QUEUE_UNAVAILABLE') throw error;
      notice(`${error.message} Workers take it up when it does.`);
    }
  };
}

interface HandOverOptions {
  readonly handOver?: boolean;
  readonly force?: boolean;
  readonly prune?: boolean | readonly string[];
  readonly dryRun?: boolean;
}
