import type { RAGError } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import { ItemClaims } from '../indexing/item-claims.js';
import { scopedIndex } from '../indexing/scoped-index.js';
import type { EngineHost } from '../indexing/select-sources.js';
import type { StoreHandle } from '../resources/handles/store-handle.js';
import { retiredGenerations } from '../resources/open-collection.js';
import { tracedDeletion } from '../resources/traced-indexing.js';
import type { EngineWrite, WriteOutcome } from './asked-writes.js';
import { deleteReadable } from './documents.js';
import type { RunContext } from './index-requests.js';
import { runPushes } from './push-requests.js';

/** Does writes of one kind. Hold the writer lock. */
export async function writeTogether(
  writes: readonly EngineWrite[],
  { leaseMs, isShared, signal }: Pick<RunContext, 'leaseMs' | 'isShared'> & { readonly signal: AbortSignal },
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
  { scope, leaseMs, signal }: Pick<RunContext, 'scope' | 'leaseMs'> & { readonly signal: AbortSignal },
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
