import { runtime } from '../core/runtime.js';
import type { Generation, GenerationReader } from '../ledger/ledger.js';
import { openForReading, retiredGenerations } from '../resources/open-collection.js';
import { finishPushes } from './finish-pushes.js';
import { isPushSource } from './folder-names.js';
import type { IndexPipeline } from './index-pipeline.js';
import type { IndexRun } from './index-run.js';
import { ItemClaims } from './item-claims.js';
import type { OpenTarget } from './open-target.js';
import type { WriteTargets } from './write-batch.js';

/** Beside other writers an unfinished push may be another's work under way. */
export const canFinishPushes = (
  { options, isPush, isShared = false }: IndexPipeline,
  target: OpenTarget,
): target is OpenTarget & { readonly facts: Generation } =>
  target.facts?.state === 'live' && !options.dryRun && isPush !== true && !isShared;

/**
 * Pushes and deletions that a death interrupted are finished or taken back: they cannot be read again, and what is copied has to be
 * one revision.
 */
export async function finishInterrupted(
  live: Generation,
  { pipeline, targets, run }: { pipeline: IndexPipeline; targets: WriteTargets; run: IndexRun },
): Promise<void> {
  const { ledger, options, leaseMs } = pipeline;
  const { tenant } = options.scope;
  if (!(await hasUnfinishedPushes(tenant, ledger.reader(live.generation)))) return;
  const collection = await openForReading(live, await pipeline.storeOf(live));
  const holder = runtime().uniqueName();
  const writer = ledger.writer(live.generation, holder);
  // The new one may hold what an earlier attempt copied, before its deletion was begun.
  const retired = retiredGenerations(ledger, pipeline.storeOf, { holder, signal: pipeline.signal });
  // The lease of a dead holder may not be over.
  const claims = leaseMs === undefined ? undefined : new ItemClaims(writer, leaseMs);
  try {
    const writing = { ...targets, ledger: writer, collection, claims, retired };
    const { finished, takenBack, left } = await finishPushes(tenant, writing, run);
    if (finished + takenBack > 0)
      run.notice(
        `Pushes and deletions that were interrupted: ${finished} finished, ${takenBack} taken back.`,
      );
    for (const id of left)
      run.notice(
        `The push of "${id}" was interrupted and can be neither finished nor taken back: push it again.`,
      );
  } finally {
    await claims?.close().catch(() => undefined);
  }
}

async function hasUnfinishedPushes(tenant: string, reader: GenerationReader): Promise<boolean> {
  const sources = await reader.sources();
  return sources.some(
    ({ tenant: owner, source, documents }) =>
      owner === tenant && isPushSource(source) && documents.pending + documents.outdated > 0,
  );
}
