import type { DegradationLevel } from '../core/degradation.js';
import type { PartName } from '../platform/degradation/level.js';
import type { StoresStatus } from '../stores/failover/failover-states.js';

/** Whether one part of an engine answers. */
export interface PartHealth {
  /** Models are among them where they are services, or a program's own. */
  readonly part: PartName;
  readonly ok: boolean;
  /** In words. */
  readonly detail: string;
}

/** What is looked at beside whether parts answer. */
export interface HealthOptions {
  /** Count the chunks of the store too, which takes longer the more there are. @default false */
  readonly counts?: boolean | undefined;
}

/** Whether an engine can answer now. */
export interface EngineHealth {
  /** All parts answer. */
  readonly ok: boolean;
  /** Least level of degradation that a search can have now; absent where none is answered. */
  readonly degradationLevel?: DegradationLevel | undefined;
  readonly parts: readonly PartHealth[];
  /** Of `rag.failover`; absent where there is one store. The part `store` is well as long as one of them answers. */
  readonly stores?: StoresStatus;
  /** Chunks in the store, of all tenants; absent where they were not asked for, or could not be counted in time. */
  readonly chunks?: number;
}
