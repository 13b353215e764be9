import type { ResolvedConfig } from '../../config/resolved-config.js';
import type { EngineResources } from '../../resources/engine-resources.js';

/** What a forgetting works with. */
export interface ForgettingHost {
  readonly config: ResolvedConfig;
  readonly resources: EngineResources;
  /** Folder that relative paths of a call start from. */
  readonly cwd: string;
}
