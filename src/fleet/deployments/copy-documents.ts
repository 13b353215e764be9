import { RAGError } from '../../core/errors.js';
import { slicesOf } from '../../core/slices.js';
import { type LiveTargets, writeLive } from '../../engine/live-targets.js';
import { copyForgotten, receiptsOf } from '../../features/forgetting/copy-forgotten.js';
import { eraseRetained } from '../../features/forgetting/erase-retained.js';
import {
  type ErasingPushes,
  forgetDeletedPushes,
  forgetPushed,
} from '../../features/forgetting/forget-pushed.js';
import type { ForgettingHost } from '../../features/forgetting/forgetting-host.js';
import { carryOver } from '../../indexing/carry-over.js';
import { deleteItems, purgeDeleted } from '../../indexing/delete-documents.js';
import { type FinishedPushes, finishPushes, unfinishedItems } from '../../indexing/finish-pushes.js';
import { isPushSource } from '../../indexing/folder-names.js';
import { IndexRun } from '../../indexing/index-run.js';
import type { WriteTargets } from '../../indexing/write-batch.js';
import type { GenerationReader, LedgerItem } from '../../ledger/ledger.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import { openForReading } from '../../resources/open-collection.js';

const COMMAND = 'ragstone deployments move';
/** Documents written under one hold of the target's lock, so that its other writers get a turn. */
const BATCH = 50;
/** Longest wait for another writer of the target, in milliseconds. */
const WRITER_WAIT_MS = 60_000;

/** From which index to which a tenant's documents go. */
export interface DocumentCopy {
  readonly tenant: string;
  readonly from: EngineResources;
  readonly to: EngineResources;
  readonly signal?: AbortSignal | undefined;
}

/** What a pass did. */
export interface CopyReport {
  readonly copied: number;
  readonly removed: number;
}

/** A document in words that change with each of its revisions, by source and id. */
type Stamps = Map<string, string>;

/**
 * Copies what programs handed in of a tenant, until both indexes hold the same: chunks stay as they were cut, and are embedded anew.
 * A pass may be repeated, by another process too, and does what is left. While others write the index that is read, a pass is
 * only nearly right; one behind a closed gate is exact.
 */
export class DocumentCopier {
  readonly #copy: DocumentCopy;
  /** What was read of a document that was copied: one that was written meanwhile is copied again. */
  readonly #read: Stamps = new Map();

  constructor(copy: DocumentCopy) {
    this.#copy = copy;
  }

  /**
   * @param isExact there are no writers meanwhile; else what is being written is left to the pass that is exact
   * @throws RAGError `DEPLOYMENT_CONFLICT` for what a writer left that died, where it can be neither finished nor taken back
   */
  async pass({ isExact }: { readonly isExact: boolean }): Promise<CopyReport> {
    if (await this.#hasUnfinished()) await this.#finishUnfinished(isExact);
    const { from, to, tenant, signal } = this.#copy;
    const source = await from.ledger.live();
    const target = await to.ledger.live();
    if (source === undefined && target === undefined) return { copied: 0, removed: 0 };
    let copied = 0;
    let removed = 0;
    for (const name of await pushSourcesOf(tenant, [source?.reader, target?.reader])) {
      const held = (await source?.reader.items(tenant, name)) ?? new Map<string, LedgerItem>();
      const filled = (await target?.reader.items(tenant, name)) ?? new Map<string, LedgerItem>();
      const gone = [...filled.keys()].filter((id) => !held.has(id));
      const changed: LedgerItem[] = [];
      for (const item of held.values()) {
        // Its writer comes to an end, or the exact pass finds out that there is none.
        if (!isSettled(item)) continue;
        const stamp = await stampOf(item, source?.reader);
        const isSame = isFilled(filled.get(item.itemId), item);
        if (!isSame || this.#isOutdated(name, item, stamp)) changed.push(item);
      }
      for (const some of slicesOf(changed, BATCH)) {
        signal?.throwIfAborted();
        copied += await this.#copyItems(name, some);
      }
      if (gone.length > 0) removed += await this.#removeItems(name, gone);
    }
    return { copied, removed };
  }

  /** Makes what was copied quick to search, as an index run does at its end. */
  async finish(): Promise<void> {
    const { to, signal } = this.#copy;
    await whileWriting(this.#target, async ({ collection }, _run, { ledger, facts }) => {
      await collection.optimize(signal);
      await to.models.learnFrom({ ledger, facts, collection }, { signal });
    });
  }

  async #hasUnfinished(): Promise<boolean> {
    const { from, tenant } = this.#copy;
    const reader = (await from.ledger.live())?.reader;
    if (reader === undefined) return false;
    for await (const _ of unfinishedItems(tenant, reader)) return true;
    return false;
  }

  async #finishUnfinished(isExact: boolean): Promise<void> {
    const { from, tenant, signal } = this.#copy;
    try {
      // Beside writers it may be work under way: before the pass that is exact all are out.
      if (!isExact && from.ledger.isBeingWritten) return;
      const waitMs = isExact ? WRITER_WAIT_MS : 0;
      const { left } = await finishInterrupted(from, tenant, { waitMs, signal });
      if (isExact && left[0] !== undefined) throw interruptedWrite(left[0]);
    } catch (error) {
      if (isExact || !(RAGError.isInstance(error) && error.reason === 'INDEX_LOCKED')) throw error;
    }
  }

  #isOutdated(name: string, { itemId }: LedgerItem, stamp: string): boolean {
    const read = this.#read.get(JSON.stringify([name, itemId]));
    return read !== undefined && read !== stamp;
  }

  async #copyItems(name: string, items: readonly LedgerItem[]): Promise<number> {
    const { from, tenant } = this.#copy;
    const live = await from.ledger.live();
    if (live === undefined) return 0;
    const collection = await openForReading(live.facts, await from.stores.of(live.facts));
    return whileWriting(this.#target, async (targets, run) => {
      for (const { itemId } of items) {
        // As it is now, and not as it was listed.
        const item = (await live.reader.items(tenant, name, [itemId])).get(itemId);
        if (item === undefined || !isSettled(item)) continue;
        this.#read.set(JSON.stringify([name, itemId]), await stampOf(item, live.reader));
        await carryOver({ facts: live.facts, reader: live.reader, collection }, [item], targets, run);
      }
      const failure = run.errors[0];
      if (failure !== undefined) throw new RAGError(failure.reason, failure.message);
      return items.length;
    });
  }

  #removeItems(name: string, itemIds: readonly string[]): Promise<number> {
    return whileWriting(this.#target, async (targets, run) => {
      await deleteItems({ tenant: this.#copy.tenant, source: name, itemIds, dryRun: false }, targets, run);
      await purgeDeleted(targets, run);
      return itemIds.length;
    });
  }

  get #target(): WrittenIndex {
    const { to, signal } = this.#copy;
    return { resources: to, signal };
  }
}

/** Finishes, or takes back, what writers left that died; see `finishPushes`. */
export async function finishInterrupted(
  resources: EngineResources,
  tenant: string,
  { waitMs, signal }: { readonly waitMs?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<FinishedPushes> {
  if ((await resources.ledger.live()) === undefined) return { finished: 0, takenBack: 0, left: [] };
  return whileWriting({ resources, waitMs, signal }, (targets, run) => finishPushes(tenant, targets, run));
}

/** Makes an index that holds nothing yet, so that who asks it is told that there is nothing, as in any other. */
export async function beginIndex(resources: EngineResources, signal?: AbortSignal): Promise<void> {
  if ((await resources.ledger.live()) !== undefined) return;
  await whileWriting({ resources, signal }, async () => undefined);
}

/**
 * Copies what was forgotten of a tenant, so that it is kept out there too, and its receipts are known there. Nothing stays there of what was
 * forgotten since the copying began.
 *
 * @param since ISO-8601 UTC
 */
export async function copyForgottenNames(copy: DocumentCopy, since: string): Promise<void> {
  const { tenant, from, to, signal } = copy;
  const ledger = await from.ledger.reading();
  if (ledger === undefined) return;
  const there = { resources: to, signal };
  await whileWriting(there, (_targets, _run, written) =>
    copyForgotten(
      tenant,
      { ledger, dataDir: from.config.dataDir },
      { ledger: written.ledger, dataDir: to.config.dataDir },
    ),
  );
  const receipts = receiptsOf(tenant, from.config.dataDir);
  if (receipts.some(({ finishedAt = '' }) => finishedAt >= since)) await removeForgotten(copy);
}

/** Whether anything of a tenant was forgotten in an index. */
export async function holdsForgotten(resources: EngineResources, tenant: string): Promise<boolean> {
  const names = (await (await resources.ledger.reading())?.blockedNames(tenant)) ?? [];
  return names.length > 0 || receiptsOf(tenant, resources.config.dataDir).length > 0;
}

/** Removes what programs handed in of a tenant. What of it was there already gone is none. */
export async function removeDocuments(
  resources: EngineResources,
  tenant: string,
  signal?: AbortSignal,
): Promise<number> {
  const live = await resources.ledger.live();
  if (live === undefined) return 0;
  let removed = 0;
  for (const source of await pushSourcesOf(tenant, [live.reader])) {
    const ids = [...(await live.reader.items(tenant, source)).keys()];
    for (const itemIds of slicesOf(ids, BATCH))
      removed += await whileWriting({ resources, signal }, async (targets, run) => {
        await deleteItems({ tenant, source, itemIds, dryRun: false }, targets, run);
        await purgeDeleted(targets, run);
        return itemIds.length;
      });
  }
  return removed;
}

/** Removes what else an index keeps of what programs handed in of a tenant: other generations, its past, caches, results. */
export async function removeTraces(
  resources: EngineResources,
  tenant: string,
  signal?: AbortSignal,
): Promise<void> {
  if ((await resources.ledger.live()) === undefined) return;
  await whileErasing({ resources, signal }, (erasing, host) => forgetPushed(tenant, erasing, host));
}

/** Removes what the service remembers of a tenant: questions, and outcomes of writes. */
export async function eraseServed(
  { config }: EngineResources,
  tenant: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await eraseRetained(config, tenant, { signal: signal ?? new AbortController().signal, again: COMMAND });
}

/** Removes from the new index what else it keeps of documents that were copied and then forgotten in the old one. */
async function removeForgotten({ tenant, to, signal }: DocumentCopy): Promise<void> {
  await whileErasing({ resources: to, signal }, (erasing, host) =>
    forgetDeletedPushes(tenant, erasing, host),
  );
}

async function whileErasing(
  { resources, signal = new AbortController().signal }: WrittenIndex,
  work: (erasing: ErasingPushes, host: ForgettingHost) => Promise<void>,
): Promise<void> {
  const { config } = resources;
  const lock = await resources.ledger.lock({
    subject: 'whole',
    command: COMMAND,
    waitMs: WRITER_WAIT_MS,
    signal,
  });
  try {
    await work({ signal, again: COMMAND }, { config, resources, cwd: config.projectRoot });
  } finally {
    await lock.release();
  }
}

/** How many documents of a tenant an index holds: handed in, and of sources that are read. */
export async function countDocuments(
  resources: EngineResources,
  tenant: string,
): Promise<{ readonly pushed: number; readonly ofSources: Readonly<Record<string, number>> }> {
  const sources = (await (await resources.ledger.live())?.reader.sources()) ?? [];
  let pushed = 0;
  const ofSources: Record<string, number> = {};
  for (const { tenant: owner, source, documents } of sources) {
    if (owner !== tenant) continue;
    const count = Object.values(documents).reduce((sum, some) => sum + some, 0);
    if (isPushSource(source)) pushed += count;
    else if (count > 0) ofSources[source] = count;
  }
  return { pushed, ofSources };
}

interface WrittenIndex {
  readonly resources: EngineResources;
  /** @default WRITER_WAIT_MS */
  readonly waitMs?: number | undefined;
  readonly signal: AbortSignal | undefined;
}

async function whileWriting<Result>(
  { resources, waitMs = WRITER_WAIT_MS, signal }: WrittenIndex,
  work: (targets: WriteTargets, run: IndexRun, written: LiveTargets) => Promise<Result>,
): Promise<Result> {
  // Alone: nothing that is copied is claimed. What a dead writer claimed is claimed after it.
  const lock = await resources.ledger.lock({ subject: 'whole', command: COMMAND, waitMs, signal });
  try {
    return await writeLive(resources, signal, (live) =>
      work(live.targets, new IndexRun(undefined, signal), live),
    );
  } finally {
    await lock.release();
  }
}

async function pushSourcesOf(
  tenant: string,
  readers: readonly (GenerationReader | undefined)[],
): Promise<string[]> {
  const names = new Set<string>();
  for (const reader of readers) for (const name of (await reader?.sourceNames(tenant)) ?? []) names.add(name);
  return [...names].filter(isPushSource);
}

const isFilled = (filled: LedgerItem | undefined, { version, status }: LedgerItem): boolean =>
  filled?.version !== undefined && filled.version === version && filled.status === 'indexed'
    ? status === 'indexed' || status === 'failed'
    : false;

const isSettled = ({ status }: LedgerItem): boolean => status === 'indexed' || status === 'failed';

const interruptedWrite = (id: string): RAGError =>
  new RAGError(
    'DEPLOYMENT_CONFLICT',
    `The document ${JSON.stringify(id)} is not whole in its index: its writer died over it, or what the store holds is damaged. Push it again or delete it, then move the tenant.`,
  );

async function stampOf(
  { tenant, source, itemId, version }: LedgerItem,
  reader: GenerationReader | undefined,
): Promise<string> {
  const documents = (await reader?.documentsOfItems(tenant, source, [itemId])) ?? [];
  return JSON.stringify([
    version,
    ...documents.map(({ revision, indexedAt, chunkCount }) => [revision, indexedAt, chunkCount]),
  ]);
}
