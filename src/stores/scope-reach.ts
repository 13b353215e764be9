import { ownedFilter, type Scope, scopeFilter } from '../core/scope.js';
import type { RunRecord } from '../ledger/ledger.js';
import { scopeMemory } from './scope-memory.js';
import type { VectorCollection } from './vector-store.js';

const answers = scopeMemory((): { isWhole?: Promise<boolean> | undefined } => ({}));

/**
 * Whether a scope may read everything of its tenant and project, asked once for each state of the index, so that searches do not count.
 * It depends on the scope and on nothing that is asked: an answer by query would tell what the unreadable documents say.
 */
export function remembersReach(
  collection: VectorCollection,
  scope: Scope,
  run: RunRecord | undefined,
): Promise<boolean> {
  const known = answers(collection, scope, run);
  known.isWhole ??= Promise.all([
    collection.count(ownedFilter(scope)),
    collection.count(scopeFilter(scope)),
  ]).then(
    ([owned, readable]) => owned === readable,
    (error: unknown) => {
      known.isWhole = undefined;
      throw error;
    },
  );
  return known.isWhole;
}

/** Told of a scope for which the tenant keeps documents that it may not read: that there are some, never how many or which. */
export const RESTRICTED_NOTICE =
  'This tenant keeps documents that this scope may not read, and they are not searched. Say who asks with --tenant, --group and --clearance, or with engine.as({ tenant, groups, clearance }).';
