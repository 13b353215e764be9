import { hasQueue } from '../assembly/open-queue.js';
import { RAGError } from '../core/errors.js';
import type { HandOver } from '../indexing/source-task.js';
import type { EngineHost } from './select-sources.js';

/** Adds to the queue what a listing leaves to workers; undefined where the run is to do it itself. */
export function handOverFor(
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
