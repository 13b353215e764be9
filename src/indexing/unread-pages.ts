import type { GraphPage } from '../graph/graph.js';
import type { WriteTargets } from './write-batch.js';

const PAGE = 200;

/** What the ledger keeps of documents, and of which documents it is to be made yet. */
interface UnreadDocuments {
  unread(tenant: string, page: GraphPage): Promise<readonly string[]>;
}

/** Ids of a tenant's documents of which something is to be made yet, a page at a time; between two pages others have a turn. */
export async function* unreadPages(
  reader: UnreadDocuments,
  tenant: string,
  giveWay: WriteTargets['giveWay'],
): AsyncGenerator<readonly string[]> {
  for (let after: string | undefined; ; ) {
    const page = await reader.unread(tenant, { limit: PAGE, ...(after === undefined ? {} : { after }) });
    yield page;
    if (page.length < PAGE) return;
    after = page.at(-1);
    await giveWay?.();
  }
}
