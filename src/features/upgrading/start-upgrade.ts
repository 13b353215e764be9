import { RAGError, toRAGError } from '../../core/errors.js';
import { runtime, sleep } from '../../core/runtime.js';
import type { Engine } from '../../operations/engine.js';
import type { ReembedProgress, ReembedResult, UpgradeStatus } from '../../operations/upgrade-types.js';
import { isUpgradeDue } from './upgrade-status.js';

/** How often it is looked whether an upgrade is wanted, in milliseconds: an index may be made meanwhile, or a generation dropped. */
const LOOK_MS = 60_000;
/** First and longest pause after a failure, in milliseconds. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** What is told of an upgrade in the background. Times are ISO-8601 UTC. */
export type UpgradeEvent =
  | { readonly type: 'upgrade-started'; readonly at: string; readonly status: UpgradeStatus }
  | { readonly type: 'upgrade-finished'; readonly at: string; readonly result: ReembedResult }
  | {
      readonly type: 'upgrade-failed';
      readonly at: string;
      readonly reason: string;
      readonly message: string;
      readonly nextAt: string;
    };

export interface UpgradeOptions {
  readonly onEvent?: ((event: UpgradeEvent) => void) | undefined;
  readonly onProgress?: ((progress: ReembedProgress) => void) | undefined;
}

/** An upgrade in the background. */
export interface BackgroundUpgrade {
  /** Gives back what is under way; what has its vectors keeps them. */
  stop(): Promise<void>;
}

/**
 * Makes the vectors of `rag.embedding.upgrade` while an engine does other work, and switches as the configuration says. What a person has
 * taken back, or what was not switched to, is left alone. A failure is told and tried again. Stop it before the engine is closed.
 */
export function startUpgrade(
  engine: Pick<Engine, 'reembed' | 'status'>,
  options: UpgradeOptions = {},
): BackgroundUpgrade {
  const stopping = new AbortController();
  const running = follow(engine, options, stopping.signal).catch(() => undefined);
  return {
    stop: async () => {
      stopping.abort(new RAGError('ABORTED', 'The upgrade was stopped.'));
      await running;
    },
  };
}

async function follow(
  engine: Pick<Engine, 'reembed' | 'status'>,
  { onEvent, onProgress }: UpgradeOptions,
  signal: AbortSignal,
): Promise<void> {
  const time = (ahead = 0): string => new Date(runtime().now() + ahead).toISOString();
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    let wait = LOOK_MS;
    try {
      const status = await dueUpgrade(engine);
      if (status !== undefined) {
        onEvent?.({ type: 'upgrade-started', at: time(), status });
        const result = await engine.reembed({ signal, onProgress });
        onEvent?.({ type: 'upgrade-finished', at: time(), result });
      }
      pause = FIRST_PAUSE_MS;
    } catch (error) {
      if (signal.aborted) return;
      const { reason, message } = toRAGError(error, 'INTERNAL', `The upgrade failed: ${String(error)}`);
      wait = pause;
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      onEvent?.({ type: 'upgrade-failed', at: time(), reason, message, nextAt: time(wait) });
    }
    await sleep(wait, signal);
  }
}

/** Undefined where nothing is to do, or nothing is indexed yet. */
async function dueUpgrade(engine: Pick<Engine, 'status'>): Promise<UpgradeStatus | undefined> {
  try {
    const { upgrade } = await engine.status();
    return isUpgradeDue(upgrade) ? upgrade : undefined;
  } catch (error) {
    if (RAGError.isInstance(error) && error.reason === 'INDEX_EMPTY') return undefined;
    throw error;
  }
}
