import type { PendingBatch } from '../ledger/pending-work.js';
import type { IndexResult } from '../operations/engine.js';
import { readBlockedItems } from './blocked-items.js';
import type { IndexPipeline } from './index-pipeline.js';
import { IndexRun } from './index-run.js';
import { openTarget, targetsOf } from './open-target.js';
import { endSource } from './pending-work.js';
import { openPreparers } from './preparation/choose-preparer.js';
import { finishSource } from './run-index.js';
import type { ConfiguredSource, SourceTask } from './source-task.js';
import { type WorkedBatch, workBatch } from './work-batch.js';

/** What became of a batch, and what was counted. */
export interface BatchRun extends WorkedBatch {
  readonly result: IndexResult;
  /** It was the last of its source, which is indexed now as it was listed. */
  readonly isLast: boolean;
}

/** Does one batch of what is pending. The caller shares the writer lock; `leaseMs` is how long its items are claimed for at a time. */
export async function runBatch(
  pipeline: IndexPipeline,
  configured: ConfiguredSource,
  batch: PendingBatch,
): Promise<BatchRun> {
  const { ledger, options, signal, contextualiser } = pipeline;
  const run = new IndexRun(pipeline.onProgress, signal);
  const target = await openTarget(pipeline, run);
  const preparers = openPreparers(signal);
  const targets = targetsOf(pipeline, target);
  try {
    const blocked = (await readBlockedItems(ledger, options.scope.tenant))(configured.source.name);
    const task: SourceTask = {
      ...{ configured, targets, options, run, contextualiser, blocked },
      preparerFor: preparers.choose,
    };
    const worked = await workBatch(task, batch);
    const isLast = await endSource({ task, finish: () => finishSource(pipeline, target, run) });
    return { ...worked, isLast, result: run.result(false) };
  } finally {
    await preparers.close();
    // What cannot be given back is free when its lease is over.
    await targets.claims?.close().catch(() => undefined);
  }
}
