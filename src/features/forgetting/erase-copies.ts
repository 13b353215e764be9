import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { DATA_FILES, DATA_FOLDERS } from '../../core/data-folder.js';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { runtime, sleep } from '../../core/runtime.js';
import { tenantsOf } from '../../indexing/list-generations.js';
import type { GenerationWriter, Ledger } from '../../ledger/ledger.js';
import type { RemovedFrom } from '../../operations/forget-types.js';
import { isWithoutCollection, openForReading } from '../../resources/open-collection.js';
import type { CacheKeys } from './cache-keys.js';
import { eraseCaches, type OpenGeneration } from './erase-caches.js';
import { eraseRetained } from './erase-retained.js';
import type { ForgettingHost } from './forgetting-host.js';
import { storesBehind } from './stores-behind.js';
import { eraseUnused } from './unused-copies.js';

/** How often a log of SQLite that a reader holds is asked for again, and the pause between, in milliseconds. */
const LOG_ATTEMPTS = 10;
const LOG_PAUSE_MS = 200;

export interface WritableGeneration extends OpenGeneration {
  readonly ledger: GenerationWriter;
}

/** All generations that have a collection. */
export async function openGenerations(
  ledger: Ledger,
  { signal, host }: { readonly signal: AbortSignal; readonly host: ForgettingHost },
): Promise<WritableGeneration[]> {
  signal.throwIfAborted();
  const holder = runtime().uniqueName();
  const open: WritableGeneration[] = [];
  for (const facts of await ledger.generations()) {
    const store = await host.resources.stores.of(facts);
    if (await isWithoutCollection(facts, store)) continue;
    const collection = await openForReading(facts, store);
    open.push({ facts, collection, ledger: ledger.writer(facts.generation, holder) });
  }
  return open;
}

/** Takes away what was made of documents beside their chunks: what a model learnt, caches, results that are kept. What is indexed now stays. */
export async function eraseCopies(
  generations: readonly WritableGeneration[],
  ledger: Ledger,
  {
    signal,
    host,
    again,
  }: { readonly signal: AbortSignal; readonly host: ForgettingHost; readonly again: string },
): Promise<{ readonly removed: readonly RemovedFrom[]; readonly held?: CacheKeys }> {
  const learned = await forgetLearned(ledger, generations, { signal, host });
  const caches = await eraseCaches(generations, host.config, signal);
  const results = await forgetResults(host, again);
  const unused = await eraseUnused(
    generations.map(({ facts }) => facts),
    host,
  );
  return { ...caches, removed: [...learned, ...caches.removed, ...results, ...unused] };
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
    await host.resources.models.learnFrom(
      { ledger, facts: { ...facts, learned: undefined }, collection },
      { signal },
    );
  }
  return [{ place: 'what the model learnt', what: 'generations', count }];
}

/** Nobody finds them any more, for the index has changed; the server would keep their text until they are old. */
export async function forgetResults(
  { resources }: Pick<ForgettingHost, 'resources'>,
  again: string,
): Promise<RemovedFrom[]> {
  const count = await resources.results.clear();
  if (count === undefined)
    throw new RAGError(
      'SERVICE_UNAVAILABLE',
      `The Redis server of rag.retrieval.cache does not answer, so results that hold deleted text are still on it. Run \`${again}\` when it does.`,
    );
  return [{ place: 'cache of results', what: 'results', count }];
}

/**
 * Leaves nothing of what was deleted in files of stores and ledger, but for stores of `rag.failover` that are behind. `again` is the command
 * for where a reader keeps a log from being emptied.
 */
export async function purge(
  generations: readonly WritableGeneration[],
  ledger: Ledger,
  {
    signal,
    host,
    again,
  }: { readonly signal: AbortSignal; readonly host: ForgettingHost; readonly again: string },
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const thorough = attempt === 1;
    for (const { collection, ledger: writer } of generations) {
      await collection.purge?.(signal, { thorough });
      await writer.purge?.();
    }
    if (thorough) await ledger.reclaim?.();
    const behind = await bringLevel(host, signal);
    const logs = filledLogs(host.config, behind);
    if (logs.length === 0) return;
    if (attempt === LOG_ATTEMPTS)
      throw new RAGError(
        'INDEX_LOCKED',
        `Another process reads the index and keeps ${logs.join(', ')} from being emptied, where deleted text still stands. Run \`${again}\` when it has ended.`,
      );
    await sleep(LOG_PAUSE_MS);
    signal.throwIfAborted();
  }
}

/** What follows after the acknowledgement has not deleted yet, and is given what it lacks. */
async function bringLevel(host: ForgettingHost, signal: AbortSignal): Promise<readonly string[]> {
  const manager = await host.resources.stores.manager();
  return manager === undefined || (await manager.catchUp(signal)) ? [] : storesBehind(host);
}

/** Logs of SQLite files that are not empty, but for the one that was emptied by itself: a service writes on into it. */
function filledLogs(config: ResolvedConfig, behind: readonly string[]): string[] {
  const paths = new Set(
    foldersOf(config, behind).flatMap((folder) =>
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

/** Where an index keeps SQLite files. A store of `rag.failover` that is behind deletes later. */
function foldersOf({ dataDir, rag }: ResolvedConfig, behind: readonly string[]): string[] {
  const { failover, storage } = rag;
  const { store, lexical, words } = DATA_FOLDERS;
  const own = [dataDir, join(dataDir, words)];
  const first = [join(dataDir, store), join(dataDir, lexical), storage.local.path];
  if (failover === undefined) return [...own, ...first];
  const second = join(dataDir, DATA_FOLDERS.failover, failover.secondary.name);
  return [
    ...own,
    ...(behind.some((name) => name !== failover.secondary.name) ? [] : first),
    ...(behind.includes(failover.secondary.name)
      ? []
      : [second, join(second, lexical), failover.secondary.storage.local.path]),
  ];
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (/ENOENT|ENOTDIR/.test(systemErrorCode(error) ?? '')) return [];
    throw error;
  }
}

/** What a rotation of keys leaves nothing of: copies of what documents were before, and what was deleted. */
export async function eraseAllCopies(
  ledger: Ledger,
  signal: AbortSignal,
  host: ForgettingHost,
): Promise<void> {
  const again = 'ragstone encryption rotate';
  const generations = await openGenerations(ledger, { signal, host });
  await eraseCopies(generations, ledger, { signal, host, again });
  for (const tenant of await tenantsOf(ledger)) await eraseRetained(host.config, tenant, { signal, again });
  await purge(generations, ledger, { signal, host, again });
  const behind = await storesBehind(host);
  if (behind.length > 0)
    throw new RAGError(
      'STORE_UNAVAILABLE',
      `Every document is written anew, but not yet in ${behind.map((name) => `"${name}"`).join(', ')} of rag.failover: what stood there before, in clear or under old keys, stays there and in the journal until it has caught up. Bring it back (\`ragstone stores\`) or give it up (\`ragstone stores rebuild NAME\`), keep the old keys until then, and run \`${again}\` again.`,
    );
}
