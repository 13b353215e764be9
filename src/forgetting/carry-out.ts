import { existsSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { DATA_FILES, DATA_FOLDERS } from '../core/data-folder.js';
import { RAGError, systemErrorCode } from '../core/errors.js';
import { runtime, sleep } from '../core/runtime.js';
import { feedbackFileOf } from '../feedback/feedback-log.js';
import { deleteDocuments } from '../indexing/delete-documents.js';
import { IndexRun } from '../indexing/index-run.js';
import { isWithoutCollection, openForReading } from '../indexing/open-collection.js';
import { disownSource } from '../indexing/source-owners.js';
import type { GenerationWriter, Ledger } from '../ledger/ledger.js';
import type { CacheKeys } from './cache-keys.js';
import { runWithout } from './edit-runs.js';
import { eraseCaches, type OpenGeneration } from './erase-caches.js';
import { eraseFeedback } from './erase-feedback.js';
import { eraseShown } from './erase-shown.js';
import { eraseTries } from './erase-tries.js';
import type { ForgetReceipt, RemovedFrom } from './forget-types.js';
import type { ForgettingHost } from './forgetting-host.js';
import type { ForgettingPlan } from './forgetting-plan.js';
import type { Receipts } from './receipts.js';
import { tracesBy } from './traces.js';

/** How often a log of SQLite that a reader holds is asked for again, and the pause between, in milliseconds. */
const LOG_ATTEMPTS = 10;
const LOG_PAUSE_MS = 200;

interface WritableGeneration extends OpenGeneration {
  readonly ledger: GenerationWriter;
}

/**
 * Does what a plan says. Each step may be done twice: after a death or a failure the whole is done again from the beginning.
 *
 * What is kept out comes first, so that no run brings back what is half forgotten; the receipt comes last, in place of the plan.
 */
export async function carryOut(
  plan: ForgettingPlan,
  { signal, receipts }: { readonly signal: AbortSignal; readonly receipts: Receipts },
  host: ForgettingHost,
): Promise<ForgetReceipt> {
  const { config, resources } = host;
  const { receipt, keptOut } = plan;
  const { tenant } = receipt;
  const ledger = await resources.writingLedger({ check: false });
  if (keptOut !== undefined) await ledger.keepOut(tenant, { ...keptOut, receipt: receipt.id });
  const generations = await openGenerations(ledger, { signal, host });
  const run = new IndexRun(undefined, signal);
  // What is gone from every moment first: a deletion makes the present version a past one.
  const ids = plan.documents.map(({ documentId }) => documentId);
  await ledger.history?.erase(ids);
  for (const generation of generations) await forgetIn(generation, plan, { tenant, signal, run });
  await ledger.history?.erase(ids);
  const removed: RemovedFrom[] = [...receipt.removed];
  const edited = await ledger.editRuns(runWithout(plan));
  if (edited > 0) removed.push({ place: 'records of runs', what: 'runs', count: edited });
  if (plan.source !== undefined) {
    for (const { ledger: books } of generations) await books.forgetSource(tenant, plan.source);
    await forgetSource(plan.source, { tenant, ledger, config });
  }
  removed.push(...(await forgetLearned(ledger, generations, { signal, host })));
  const caches = await eraseCaches(generations, config, signal);
  removed.push(...caches.removed);
  removed.push(...(await forgetResults(host)));
  const forgotten = new Set(ids);
  removed.push(...eraseFeedback(feedbackFileOf(config.dataDir, tenant), (id) => forgotten.has(id)));
  removed.push(...(await eraseShown(config.dataDir, tenant, signal)));
  removed.push(...(await eraseTries(config.dataDir)));
  if (plan.source !== undefined) removed.push(...(await eraseClones(config)));
  await purge(generations, ledger, { signal, config });
  const done: ForgetReceipt = {
    ...receipt,
    state: 'done',
    finishedAt: new Date(runtime().now()).toISOString(),
    removed: removed.filter(({ count }) => count > 0),
    traces: withoutHeld(receipt, caches.held),
  };
  receipts.finish(done);
  return done;
}

/** Nobody finds them any more, for the index has changed; the server would keep their text until they are old. */
async function forgetResults({ resources }: ForgettingHost): Promise<RemovedFrom[]> {
  const cache = await resources.queryCache();
  if (cache === undefined) return [];
  const count = await cache.clear(await resources.revision());
  if (count === undefined)
    throw new RAGError(
      'SERVICE_UNAVAILABLE',
      'The Redis server of rag.retrieval.cache does not answer, so results that hold forgotten text are still on it. Run `ragstone forget --resume` when it does.',
    );
  return [{ place: 'cache of results', what: 'results', count }];
}

/** What another document has too stays in the caches, and is no trace. */
function withoutHeld({ key, traces }: ForgetReceipt, held: CacheKeys | undefined): readonly string[] {
  if (held === undefined) return traces;
  const trace = tracesBy(key);
  const others = new Set([
    ...[...held.vectors].map((name) => trace('vector', name)),
    ...[...held.contexts].map((name) => trace('context', name)),
  ]);
  return traces.filter((name) => !others.has(name));
}

async function openGenerations(
  ledger: Ledger,
  { signal, host }: { readonly signal: AbortSignal; readonly host: ForgettingHost },
): Promise<WritableGeneration[]> {
  signal.throwIfAborted();
  const holder = runtime().uniqueName();
  const open: WritableGeneration[] = [];
  for (const facts of await ledger.generations()) {
    const store = await host.resources.storeOf(facts);
    if (await isWithoutCollection(facts, store)) continue;
    const collection = await openForReading(facts, store);
    open.push({ facts, collection, ledger: ledger.writer(facts.generation, holder) });
  }
  return open;
}

async function forgetIn(
  { ledger, collection, facts }: WritableGeneration,
  { documents, items }: ForgettingPlan,
  { tenant, signal, run }: { readonly tenant: string; readonly signal: AbortSignal; readonly run: IndexRun },
): Promise<void> {
  const held: string[] = [];
  for (const { documentId } of documents)
    if ((await ledger.document(documentId)) !== undefined) held.push(documentId);
  await deleteDocuments(held, { ledger, collection, signal }, run);
  const bySource = new Map<string, string[]>();
  for (const { source, itemId } of items) bySource.set(source, [...(bySource.get(source) ?? []), itemId]);
  for (const [source, itemIds] of bySource) await ledger.forgetItems(tenant, source, itemIds);
  if (held.length > 0 && facts.state !== 'building') await collection.optimize(signal);
}

async function forgetSource(
  source: string,
  {
    tenant,
    ledger,
    config,
  }: { readonly tenant: string; readonly ledger: Ledger; readonly config: ResolvedConfig },
): Promise<void> {
  await ledger.forgetSources(tenant, [source]);
  await disownSource(ledger, { tenant, source, config });
}

/** What a model learnt of the live generation is learnt anew without them; of the others it is forgotten. */
async function forgetLearned(
  ledger: Ledger,
  generations: readonly WritableGeneration[],
  { signal, host }: { readonly signal: AbortSignal; readonly host: ForgettingHost },
): Promise<RemovedFrom[]> {
  let count = 0;
  for (const { facts, collection } of generations) {
    if (facts.learned === undefined) continue;
    count++;
    await ledger.setLearned(facts.generation, undefined);
    if (facts.state !== 'live') continue;
    await host.resources.learnFrom(
      { ledger, facts: { ...facts, learned: undefined }, collection },
      { signal },
    );
  }
  return [{ place: 'what the model learnt', what: 'generations', count }];
}

/** Of a whole source it cannot be told which clone was its; others fetch theirs again. */
async function eraseClones({ dataDir }: ResolvedConfig): Promise<RemovedFrom[]> {
  const folder = join(dataDir, DATA_FOLDERS.clones);
  const clones = existsSync(folder) ? readdirSync(folder).length : 0;
  await rm(folder, { recursive: true, force: true });
  return [{ place: 'clones of repositories', what: 'clones', count: clones }];
}

async function purge(
  generations: readonly WritableGeneration[],
  ledger: Ledger,
  { signal, config }: { readonly signal: AbortSignal; readonly config: ResolvedConfig },
): Promise<void> {
  for (const { collection, ledger: books } of generations) {
    await collection.purge?.(signal, { thorough: true });
    await books.purge?.();
  }
  await ledger.reclaim?.();
  for (let attempt = 1; ; attempt++) {
    const logs = filledLogs(config);
    if (logs.length === 0) return;
    if (attempt === LOG_ATTEMPTS)
      throw new RAGError(
        'INDEX_LOCKED',
        `Another process reads the index and keeps ${logs.join(', ')} from being emptied, where deleted text still stands. Run \`ragstone forget --resume\` when it has ended.`,
      );
    await sleep(LOG_PAUSE_MS);
    signal.throwIfAborted();
    for (const { collection, ledger: books } of generations) {
      await collection.purge?.(signal);
      await books.purge?.();
    }
  }
}

/** Logs of SQLite files that are not empty, but for the one that was emptied by itself: a service writes on into it. */
function filledLogs({ dataDir, rag }: ResolvedConfig): string[] {
  const folders = [
    dataDir,
    join(dataDir, DATA_FOLDERS.store),
    join(dataDir, DATA_FOLDERS.lexical),
    rag.storage.local.path,
  ];
  const paths = new Set(
    folders.flatMap((folder) =>
      entriesOf(folder)
        .filter(
          (name) =>
            name.endsWith('-wal') &&
            !name.startsWith(DATA_FILES.writerLock) &&
            name !== `${DATA_FILES.serviceValues}-wal`,
        )
        .map((name) => join(folder, name)),
    ),
  );
  return [...paths].filter((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0);
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (/ENOENT|ENOTDIR/.test(systemErrorCode(error) ?? '')) return [];
    throw error;
  }
}
