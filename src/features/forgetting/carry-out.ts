import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import { groupedBy } from '../../core/grouped-by.js';
import { isoNow } from '../../core/runtime.js';
import { deleteDocuments } from '../../indexing/delete-documents.js';
import { IndexRun } from '../../indexing/index-run.js';
import { disownSource } from '../../indexing/source-owners.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { ForgetReceipt, RemovedFrom } from '../../operations/forget-types.js';
import { feedbackFileOf } from '../feedback/feedback-log.js';
import type { CacheKeys } from './cache-keys.js';
import { eraseCopies, openGenerations, purge, type WritableGeneration } from './erase-copies.js';
import { eraseFeedback } from './erase-feedback.js';
import { eraseRetained } from './erase-retained.js';
import { eraseTries } from './erase-tries.js';
import type { ForgettingHost } from './forgetting-host.js';
import type { ForgettingPlan } from './forgetting-plan.js';
import type { Receipts } from './receipts.js';
import { leftInStores } from './stores-behind.js';
import { tracesBy } from './traces.js';
import { leftOfEarlier } from './unused-copies.js';

const RESUME = 'ragstone forget --resume';

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
  const ledger = await resources.ledger.writing({ check: false });
  if (keptOut !== undefined) await ledger.block(tenant, { ...keptOut, receipt: receipt.id });
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
    for (const { ledger: writer } of generations) await writer.forgetSource(tenant, plan.source);
    await forgetSource(plan.source, { tenant, ledger, config });
  }
  const copies = await eraseCopies(generations, ledger, { signal, host, again: RESUME });
  removed.push(...copies.removed);
  const forgotten = new Set(ids);
  removed.push(...eraseFeedback(feedbackFileOf(config.dataDir, tenant), (id) => forgotten.has(id)));
  removed.push(...(await eraseRetained(config, tenant, { signal, again: RESUME })));
  removed.push(...(await eraseTries(config.dataDir)));
  if (plan.source !== undefined) removed.push(...(await eraseClones(config)));
  await purge(generations, ledger, { signal, host, again: RESUME });
  const done: ForgetReceipt = {
    ...receipt,
    state: 'done',
    finishedAt: isoNow(),
    removed: removed.filter(({ count }) => count > 0),
    left: [...receipt.left, ...(await leftInStores(host)), ...(await leftOfEarlier(host))],
    traces: withoutHeld(receipt, copies.held),
  };
  receipts.finish(done);
  return done;
}

interface RunStats {
  readonly errors?: readonly { readonly source?: string; readonly item?: string }[];
  readonly skipped?: Readonly<Record<string, unknown>>;
  readonly redactions?: Readonly<Record<string, unknown>>;
  readonly unread?: Readonly<Record<string, unknown>>;
  readonly failure?: { readonly reason: string; readonly message: string };
}

/** Takes out of the statistics of a run what names something that was forgotten. */
export function runWithout({
  documents,
  items,
  source: whole,
}: Pick<ForgettingPlan, 'documents' | 'items' | 'source'>): (stats: string) => string {
  const names = new Set([
    ...documents.flatMap(({ source, externalId, itemId }) => [
      keyOf(source, externalId),
      keyOf(source, itemId),
    ]),
    ...items.map(({ source, itemId }) => keyOf(source, itemId)),
  ]);
  const told = [
    ...documents.flatMap(({ externalId, itemId }) => [externalId, itemId]),
    ...items.map(({ itemId }) => itemId),
    ...(whole === undefined ? [] : [whole]),
  ];
  return (text) => {
    const stats = JSON.parse(text) as RunStats;
    const { errors = [], skipped = {}, redactions = {}, unread = {}, failure } = stats;
    const kept = errors.filter(
      ({ source, item }) =>
        source !== whole && (source === undefined || item === undefined || !names.has(keyOf(source, item))),
    );
    const namesSource =
      whole !== undefined && [skipped, redactions, unread].some((counts) => whole in counts);
    const namesIt = failure !== undefined && told.some((name) => failure.message.includes(name));
    if (kept.length === errors.length && !namesSource && !namesIt) return text;
    return JSON.stringify({
      ...stats,
      errors: kept,
      ...(namesIt ? { failure: { ...failure, message: 'It named what was forgotten.' } } : {}),
      ...(stats.skipped === undefined ? {} : { skipped: without(skipped, whole) }),
      ...(stats.redactions === undefined ? {} : { redactions: without(redactions, whole) }),
      ...(stats.unread === undefined ? {} : { unread: without(unread, whole) }),
    });
  };
}

const keyOf = (source: string, name: string): string => JSON.stringify([source, name]);

const without = (counts: Readonly<Record<string, unknown>>, source: string | undefined): unknown =>
  Object.fromEntries(Object.entries(counts).filter(([name]) => name !== source));

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

async function forgetIn(
  { ledger, collection, facts }: WritableGeneration,
  { documents, items }: ForgettingPlan,
  { tenant, signal, run }: { readonly tenant: string; readonly signal: AbortSignal; readonly run: IndexRun },
): Promise<void> {
  const held: string[] = [];
  for (const { documentId } of documents)
    if ((await ledger.document(documentId)) !== undefined) held.push(documentId);
  await deleteDocuments(held, { ledger, collection, signal }, run);
  for (const [source, some] of groupedBy(items, ({ source }) => source))
    await ledger.forgetItems(
      tenant,
      source,
      some.map(({ itemId }) => itemId),
    );
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

/** Of a whole source it cannot be told which clone was its; others fetch theirs again. */
async function eraseClones({ dataDir }: ResolvedConfig): Promise<RemovedFrom[]> {
  const folder = join(dataDir, DATA_FOLDERS.clones);
  const clones = existsSync(folder) ? readdirSync(folder).length : 0;
  await rm(folder, { recursive: true, force: true });
  return [{ place: 'clones of repositories', what: 'clones', count: clones }];
}
