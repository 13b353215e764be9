import type { ResolvedConfig, ResolvedSettings } from '../config/resolved-config.js';
import { resolveSecrets } from '../config/secret-resolver.js';
import type { Runtime } from '../core/runtime.js';

/** What a configuration says of how its engine is watched. */
export interface MonitoringPlan {
  /** Paths are absolute. */
  readonly settings: ResolvedSettings['monitoring'];
  /** Fetches the secrets of the settings. Throws `SECRET_MISSING`. */
  readonly fetchSecrets: () => Promise<void>;
  /** Whose clock and timers count. @default those of the machine */
  readonly runtime: Runtime | undefined;
}

export const monitoringPlanOf = (config: ResolvedConfig): MonitoringPlan => ({
  settings: config.rag.monitoring,
  fetchSecrets: () => resolveSecrets(config.rag.monitoring, ['rag', 'monitoring'], config),
  runtime: config.own?.runtime,
});
