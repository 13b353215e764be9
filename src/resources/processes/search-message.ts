import type { PackedConfig } from '../../config/packed-config.js';
import type { Scope } from '../../core/scope.js';
import type { SentError } from '../../core/sent-error.js';
import type { SentOperation } from '../../core/telemetry-listener.js';
import type { SearchQuery } from '../../operations/engine.js';
import type { PartName } from '../../platform/degradation/level.js';
import type { FoundPassages } from '../found-passages.js';

/** What a search process is told; plain data, as everything here. */
export type ToProcess =
  /** An index under a number of ours. Nothing is opened before it is searched. */
  | { readonly kind: 'open'; readonly index: number; readonly config: PackedConfig }
  | { readonly kind: 'close'; readonly index: number }
  /** A part that searches left alone answers again. */
  | { readonly kind: 'try'; readonly index: number; readonly part: PartName }
  | {
      readonly kind: 'find';
      readonly job: number;
      readonly index: number;
      readonly query: Omit<SearchQuery, 'signal'>;
      readonly scope: Scope;
      /** Whether it is to be told what the search did, step by step. */
      readonly isHeard: boolean;
      /** Milliseconds of its deadline that had passed at `sentAt`. */
      readonly waitedMs: number;
      /** Milliseconds since 1970, of the one machine on which both run: a process that is busy takes it later. */
      readonly sentAt: number;
    }
  /** Nobody waits for it any more. */
  | { readonly kind: 'stop'; readonly job: number };

export type FromProcess =
  | { readonly kind: 'ready' }
  | ({ readonly kind: 'found'; readonly job: number; readonly found: FoundPassages } & Done)
  | ({ readonly kind: 'failed'; readonly job: number; readonly failure: SentError } & Done);

interface Done {
  /** What it did, where that is heard. */
  readonly operations: readonly SentOperation[];
}
