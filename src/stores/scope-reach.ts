import { ownedFilter, type Scope, scopeFilter } from '../core/scope.js';
import type { VectorCollection } from './vector-store.js';

/** Scopes remembered for one state of one collection; beyond them the memory starts anew. */
const REMEMBERED = 1_000;

interface Memory {
  readonly state: string;
  readonly answers: Map<string, Promise<boolean>>;
}

const memories = new WeakMap<VectorCollection, Memory>();

/** Whether a scope may read everything of its tenant and project. */
export async function readsEverything(
  collection: VectorCollection,
  scope: Scope,
  signal?: AbortSignal,
): Promise<boolean> {
  const [owned, readable] = await Promise.all([
    collection.count(ownedFilter(scope), signal),
    collection.count(scopeFilter(scope), signal),
  ]);
  return owned === readable;
}

/**
 * `readsEverything`, asked once for each state of the index (`state` changes with every run), so that searches do not count.
 * It depends on the scope and on nothing that is asked: an answer by query would tell what the unreadable documents say.
 */
export function remembersReach(collection: VectorCollection, scope: Scope, state: string): Promise<boolean> {
  let memory = memories.get(collection);
  if (memory?.state !== state || memory.answers.size >= REMEMBERED) {
    memory = { state, answers: new Map() };
    memories.set(collection, memory);
  }
  const { answers } = memory;
  const key = JSON.stringify(scope);
  const known = answers.get(key);
  if (known !== undefined) return known;
  const answer = readsEverything(collection, scope);
  answers.set(key, answer);
  answer.catch(() => answers.delete(key));
  return answer;
}

/** Told of a scope for which the tenant keeps documents that it may not read: that there are some, never how many or which. */
export const RESTRICTED_NOTICE =
  'This tenant keeps documents that this scope may not read, and they are not searched. Say who asks with --tenant, --group and --clearance, or with engine.as({ tenant, groups, clearance }).';
