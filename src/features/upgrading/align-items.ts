import { runtime } from '../../core/runtime.js';
import { slicesOf } from '../../core/slices.js';
import { tenantsOf } from '../../indexing/list-generations.js';
import type { GenerationReader, GenerationWriter, Ledger, LedgerItem } from '../../ledger/ledger.js';
import type { GenerationPair } from './upgrade-host.js';

/** Items that are completed in one transaction. */
const AT_ONCE = 1000;

/**
 * Brings what the ledger knows of items, listings and failures to what the live generation knows, so that the next run of a
 * source goes on where the last one was. An item stays to be read again where it is so in the live generation, and where one of its documents
 * could not be copied exactly.
 */
export async function alignItems(ledger: Ledger, { live, target }: GenerationPair): Promise<void> {
  const from = ledger.reader(live.facts.generation);
  const to = ledger.writer(target.facts.generation, runtime().uniqueName());
  await alignTenants(await tenantsOf(ledger), from, to);
}

/** The same for two generations that may be of two ledgers. */
export async function alignTenants(
  tenants: Iterable<string>,
  from: GenerationReader,
  to: GenerationWriter,
): Promise<void> {
  for (const tenant of tenants) {
    const sources = new Set([...(await from.sourceNames(tenant)), ...(await to.sourceNames(tenant))]);
    for (const source of sources) await alignSource({ tenant, source }, from, to);
    for (const [source, state] of await from.sourceStates(tenant))
      await to.setSourceState(tenant, source, state);
  }
}

async function alignSource(
  { tenant, source }: { readonly tenant: string; readonly source: string },
  from: GenerationReader,
  to: GenerationWriter,
): Promise<void> {
  const held = await from.items(tenant, source);
  const filled = await to.items(tenant, source);
  const different = [...held.values()].filter((item) => !isSame(item, filled.get(item.itemId)));
  for (const some of slicesOf(different, AT_ONCE)) {
    const documents = await to.documentsOfItems(
      tenant,
      source,
      some.map(({ itemId }) => itemId),
    );
    const unsure = new Set(documents.flatMap(({ status, itemId }) => (status === 'indexed' ? [] : [itemId])));
    await to.completeItems(
      some.flatMap(({ itemId, version, processingKey, status }) =>
        isSettled(status) && version !== undefined && processingKey !== undefined && !unsure.has(itemId)
          ? [{ tenant, source, itemId, version, processingKey }]
          : [],
      ),
    );
    for (const { itemId, error, attempts } of some)
      for (let attempt = 0; error !== undefined && attempt < attempts; attempt += 1)
        await to.failItem({ tenant, source, itemId }, error);
  }
  const gone = [...filled.keys()].filter((itemId) => !held.has(itemId));
  if (gone.length > 0) await to.forgetItems(tenant, source, gone);
  // What workers have still to do of a listing is listed again.
  const isPending = ((await from.pendingWork?.items(tenant, source)) ?? []).length > 0;
  const cursor = isPending ? undefined : await from.sourceCursor(tenant, source);
  if (cursor !== undefined && cursor !== (await to.sourceCursor(tenant, source)))
    await to.setSourceCursor(tenant, source, cursor);
}

const isSettled = (status: LedgerItem['status']): boolean => status === 'indexed' || status === 'failed';

const isSame = (item: LedgerItem, filled: LedgerItem | undefined): boolean =>
  filled !== undefined &&
  item.status === filled.status &&
  item.version === filled.version &&
  item.processingKey === filled.processingKey &&
  item.attempts === filled.attempts;
