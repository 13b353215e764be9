import type { ResolvedConfig, ResolvedSource } from '../config/resolved-config.js';
import type { CronSchedule } from '../core/cron-schedule.js';
import type { Runtime } from '../core/runtime.js';
import { sourceDefinition } from '../sources/definitions.js';
import type { WatchedPlace } from '../sources/watched-place.js';
import { type RetryPolicy, retryPolicyOf } from './retry-policy.js';

/** When one source is to be read. */
export interface SourceTiming {
  readonly source: string;
  /** At the start: `autoIndex`, or `watch`, because nobody watched before. */
  readonly atStart: boolean;
  /** Where its changes show; absent where it is not watched. */
  readonly places?: (() => Promise<readonly WatchedPlace[]>) | undefined;
  /** `indexSchedule` and `updateSchedule`. */
  readonly schedules: readonly CronSchedule[];
}

/** What the configuration says of when its sources are read. */
export interface SyncPlan {
  /** Enabled sources that state any of it, in the order of the configuration. */
  readonly timings: readonly SourceTiming[];
  /** All enabled sources. */
  readonly sources: readonly string[];
  /** A watched source is read when it was quiet for so long, in milliseconds. */
  readonly settleMs: number;
  /** How often a source is read that is to be watched and cannot be, in milliseconds. */
  readonly pollMs: number;
  /** `rag.indexing.retry`: how long to wait after a failure. */
  readonly retry: RetryPolicy;
  /** What is listed is left to workers (`rag.queue`). @default false */
  readonly handsOver?: boolean | undefined;
  /** Other hosts may read the same sources into the same index. @default false */
  readonly isShared?: boolean | undefined;
  /** Absolute. */
  readonly dataDir: string;
  /** Whose clock and timers count. @default those of the machine */
  readonly runtime?: Runtime | undefined;
}

export function syncPlanOf(config: ResolvedConfig): SyncPlan {
  const { rag, projectRoot, dataDir, own } = config;
  const { settleMs, pollSeconds, timezone } = rag.sync;
  const enabled = rag.sources.filter(({ enabled }) => enabled);
  return {
    timings: enabled
      .map((source) => timingOf(source, timezone, projectRoot))
      .filter(({ atStart, places, schedules }) => atStart || places !== undefined || schedules.length > 0),
    sources: enabled.map(({ name }) => name),
    settleMs,
    pollMs: pollSeconds * 1_000,
    retry: retryPolicyOf(config),
    handsOver: rag.queue.url !== undefined || own?.queue !== undefined,
    isShared: rag.ledger.type === 'postgres',
    dataDir,
    runtime: own?.runtime,
  };
}

function timingOf(source: ResolvedSource, timezone: string | undefined, projectRoot: string): SourceTiming {
  const { name, watch, autoIndex, indexSchedule, updateSchedule, type } = source;
  const places = watch ? sourceDefinition(type).watched?.(source, projectRoot) : undefined;
  return {
    source: name,
    atStart: autoIndex || places !== undefined,
    places,
    schedules: [indexSchedule, updateSchedule].flatMap((expression) =>
      expression === undefined ? [] : [{ expression, timezone }],
    ),
  };
}
