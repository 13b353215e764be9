import type { RAGError } from '../core/errors.js';
import { documentIdOf } from '../core/ids.js';
import { runtime } from '../core/runtime.js';
import type { Scope } from '../core/scope.js';
import { pushSourceName } from '../indexing/configured-sources.js';
import { ItemClaims } from '../indexing/item-claims.js';
import { scopedIndex } from '../indexing/scoped-index.js';
import type { EngineHost } from '../indexing/select-sources.js';
import type { IndexResult } from '../operations/engine.js';
import type { StoreHandle } from '../resources/handles/store-handle.js';
import { retiredGenerations } from '../resources/open-collection.js';
import { tracedDeletion } from '../resources/traced-indexing.js';
import { deleteReadable } from './documents.js';
import type { RunParts } from './index-requests.js';
import { type PushRequest, runPushes, sizeOf, touchedBy } from './push-requests.js';
import type { GroupedWrite } from './write-groups.js';

/** A push, or a deletion of documents by name, that may go together with others. */
export interface EngineWrite extends GroupedWrite {
  readonly scope: Scope;
  /** How long to wait for another process that writes, in milliseconds. */
  readonly waitMs: number | undefined;
  readonly work: { readonly push: PushRequest } | { readonly names: readonly string[] };
}

/** Of a push its result, of a deletion how many documents. */
export type WriteOutcome = { readonly pushed: IndexResult } | { readonly deleted: number };

export const pushWrite = (push: PushRequest, scope: Scope, waitMs: number | undefined): EngineWrite => ({
  kind: JSON.stringify(['push', waitMs ?? 0, nameOf(scope)]),
  touches: touchedBy(push, scope),
  size: sizeOf(push),
  scope,
  waitMs,
  work: { push },
});

export const deletionWrite = (names: readonly string[], scope: Scope): EngineWrite => ({
  kind: JSON.stringify(['delete', nameOf(scope)]),
  // A name is that of a document, or the one that it was pushed under.
  touches: names.flatMap((name) => [name, documentIdOf(scope.tenant, pushSourceName(scope.project), name)]),
  size: 0,
  scope,
  waitMs: undefined,
  work: { names },
});

/** Who differs in any right or place writes apart. */
const nameOf = ({ tenant, project, groups, clearance }: Scope) => [
  tenant,
  project ?? null,
  [...groups].sort(),
  clearance,
];

/** Does writes of one kind. Hold the writer lock. */
export async function writeTogether(
  writes: readonly EngineWrite[],
  { leaseMs, isShared, signal }: Pick<RunParts, 'leaseMs' | 'isShared'> & { readonly signal: AbortSignal },
  host: EngineHost,
): Promise<(WriteOutcome | RAGError)[]> {
  const [first] = writes;
  if (first === undefined) return [];
  const context = { scope: first.scope, leaseMs, isShared, signal };
  const pushes = writes.flatMap(({ work }) => ('push' in work ? [work.push] : []));
  if (pushes.length > 0) {
    const results = await runPushes(pushes, context, host);
    return results.map((result) => ('stats' in result ? { pushed: result } : result));
  }
  const names = writes.flatMap(({ work }) => ('names' in work ? [work.names] : []));
  const counts = await tracedDeletion(
    { kind: 'delete', tenant: first.scope.tenant },
    () => deleteNamed(names, context, host),
    (deleted) => deleted.reduce((sum, count) => sum + count, 0),
  );
  return names.map((_, i) => ({ deleted: counts[i] ?? 0 }));
}

/** Deletes what a scope may read of these documents; says how many of each request. */
async function deleteNamed(
  requests: readonly (readonly string[])[],
  { scope, leaseMs, signal }: Pick<RunParts, 'scope' | 'leaseMs'> & { readonly signal: AbortSignal },
  host: EngineHost,
): Promise<readonly number[]> {
  const index = await scopedIndex(scope, host);
  if (index === undefined) return [];
  const ledger = await host.resources.ledger.writing({ check: false });
  const holder = runtime().uniqueName();
  const writer = ledger.writer(index.reader.generation, holder);
  const storeOf: StoreHandle['of'] = (facts) => host.resources.stores.of(facts);
  const retired = retiredGenerations(ledger, storeOf, { holder, signal });
  const claims = leaseMs === undefined ? undefined : new ItemClaims(writer, leaseMs);
  const { collection } = index;
  try {
    return await deleteReadable(requests, index, { ledger: writer, collection, signal, retired, claims });
  } finally {
    await claims?.close();
  }
}
