import type { Scope } from '../../core/scope.js';
import type { Generation } from '../../ledger/ledger.js';
import type { VectorStore } from '../../stores/vector-store.js';
import type { OpenEnds } from './migration-ends.js';
import type { MigrateRequest } from './migration-types.js';

/** What every step of a migration works with. */
export interface Migration {
  readonly request: MigrateRequest & { readonly minOverlap: number };
  readonly scope: Scope;
  readonly ends: OpenEnds;
  /** Where the copy is made. */
  readonly store: VectorStore;
  /** What is live there, until the switch. */
  readonly liveBefore: Generation | undefined;
  readonly signal: AbortSignal;
}
