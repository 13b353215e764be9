import type { Environment } from '../config/expand-variables.js';
import type { LoadConfigOptions } from '../config/load-config.js';
import type { OwnParts } from '../config/own-parts.js';

/** What `createEngine` takes; anything else is refused (`USAGE`). */
export interface CreateEngineOptions extends OwnParts {
  /** A configuration as an object: the content of `rag:`, or a whole file. Without it a file is looked for. */
  readonly config?: LoadConfigOptions['config'] | undefined;
  /** Default: `config/rag-config.yaml`, then `ragstone.yaml`, in the project that `cwd` lies in: it, or the nearest folder above with one of them or with an index. None means defaults. */
  readonly configFile?: string | undefined;
  /** Settings over those of the file or object. */
  readonly overrides?: LoadConfigOptions['overrides'] | undefined;
  /** @default `.ragstone` in the project's folder */
  readonly dataDir?: string | undefined;
  /** Folder that relative paths start from. @default process.cwd() */
  readonly cwd?: string | undefined;
  /** Variables for `${NAME}`, keys of hosted models and the place of what is trusted. @default process.env */
  readonly env?: Environment | undefined;
  /**
   * `true` trusts a configuration that is found in `cwd`; without it, one that connects to hosts, reaches outside its folder or
   * starts a program is refused (`CONFIG_UNTRUSTED`) until the user trusted it (`ragstone trust`, `RAGSTONE_TRUST`).
   */
  readonly trust?: true | undefined;
  /**
   * Most processes that search for the engine, so that searches use as many cores and leave this one free. The first starts at once,
   * others as they are needed; they end with the engine. Refused (`USAGE`) for an index that is in this process alone. @default 0
   */
  readonly searchProcesses?: number | undefined;
  /**
   * Whether a search waits until the reader (`rag.retrieval.rerank.model`) has read all candidates, up to a second longer: for a process that ends with
   * its search. Else it reads for some 300 ms, and idle time reads the rest. @default false
   */
  readonly waitForReader?: boolean | undefined;
  /** Fetch secrets that the configuration names as `scheme:name`; beside `env`, `file` and `keyvault`. */
  readonly secretResolvers?: LoadConfigOptions['secretResolvers'] | undefined;
}
