import type { ChunkingOptions } from '../chunking/chunker.js';
import type { RAGError } from '../core/errors.js';
import type { Environment } from './expand-variables.js';
import type { OwnPart } from './missing-variables.js';
import type { InactiveSetting } from './not-active.js';
import type { Plugins } from './plugins.js';
import type { ResolvedFailover } from './resolve-failover.js';
import type { RAGSettings } from './schema/index.js';
import type { SourceSettings } from './schema/sources.js';
import type { SecretResolver } from './secret-scheme.js';
import type { FilePosition } from './yaml-file.js';

type WithResolvedChunking<Settings> = Settings extends SourceSettings
  ? Omit<Settings, 'chunking'> & { readonly chunking?: ChunkingOptions }
  : never;

/** One source: `root` of file sources is absolute, and chunking of its own, where it states any, is complete. */
export type ResolvedSource = WithResolvedChunking<SourceSettings>;

/** Settings ready for use: every default filled, every path absolute. */
export interface ResolvedSettings
  extends Omit<RAGSettings, 'chunking' | 'sources' | 'storage' | 'embedding' | 'failover'> {
  readonly chunking: ChunkingOptions;
  readonly sources: readonly ResolvedSource[];
  readonly storage: RAGSettings['storage'] & {
    /** `path` is absolute: the folder of the store. */
    readonly local: RAGSettings['storage']['local'] & { readonly path: string };
  };
  /** Absent where there is one store. `rag.provider` and `rag.storage` are those of the first. */
  readonly failover?: ResolvedFailover | undefined;
  readonly embedding: RAGSettings['embedding'] & {
    /** `path` is absolute: the folder of the vector cache. */
    readonly cache: RAGSettings['embedding']['cache'] & { readonly path: string };
    readonly fallback: 'builtin' | 'error';
  };
}

/** Where a value comes from. */
export type ValueOrigin =
  | { readonly kind: 'default' }
  /** Written in the file; `defaulted` names variables that were not set, so that the file's own default was taken. */
  | { readonly kind: 'file'; readonly position?: FilePosition; readonly defaulted?: readonly string[] }
  | { readonly kind: 'environment'; readonly variables: readonly string[] }
  /** Given by the caller or on the command line. */
  | { readonly kind: 'option' };

/** A configuration that was read, checked and completed. */
export interface ResolvedConfig {
  readonly rag: ResolvedSettings;
  /** By formatted path (`rag.retrieval.topK`), for values that are not defaults. */
  readonly origins: ReadonlyMap<string, ValueOrigin>;
  /** Absolute folder that relative paths of the configuration start from. */
  readonly projectRoot: string;
  /** Absolute folder of ledger, store, caches and lock. */
  readonly dataDir: string;
  /** Data folder of the service where this index is one tenant's beside the shared one. @default dataDir */
  readonly serviceDir?: string;
  /** The file that was read, absolute; absent where there was none. */
  readonly file?: string;
  /** The file was found and nobody said to trust it: what it reaches beyond its folder must be trusted (docs/trust.md). */
  readonly isFound?: boolean;
  /** Settings of one that was found whose paths led out of its folder when it was read (`rag.sources[0].root`), which it is trusted with. */
  readonly reaching?: ReadonlySet<string> | undefined;
  /** Settings that are stated and have no effect in this version. */
  readonly notActive: readonly InactiveSetting[];
  /** The environment that references were read from, for packages and models that read their own variables. */
  readonly environment: Environment;
  /** What to refuse where a source is opened, by its position, or the service is started: variables of its settings are not set. */
  readonly unset?: ReadonlyMap<OwnPart, RAGError>;
  /** Of the caller: they fetch references of schemes of their own. */
  readonly secretResolvers?: readonly SecretResolver[];
  /** Of the caller: objects in place of or beside what the settings name. */
  readonly own?: Plugins | undefined;
  /**
   * Of an index whose texts belong to somebody else: the key in hexadecimal that its SQLite files are encrypted by, asked for when one is
   * opened.
   */
  readonly fileKey?: (() => Promise<string>) | undefined;
  /** Of an index whose texts belong to somebody else: no text is kept in files but encrypted ones. */
  readonly keepsNoText?: boolean | undefined;
  /** See `CreateEngineOptions.waitForReader`. */
  readonly waitsForReader?: boolean | undefined;
}

/** Origin of one value; whatever is not stated anywhere is a default. */
export function originOf(config: ResolvedConfig, path: string): ValueOrigin {
  for (let place = path; place !== ''; place = place.replace(/(\.[^.[]*|\[\d+\])$|^[^.[]*$/, '')) {
    const origin = config.origins.get(place);
    if (origin !== undefined) return origin;
  }
  return { kind: 'default' };
}
