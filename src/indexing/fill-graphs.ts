import { graphRowsOf } from '../graph/graph-rows.js';
import type { IndexRun } from './index-run.js';
import { unreadPages } from './unread-pages.js';
import type { WriteTargets } from './write-batch.js';

/**
 * Makes rows of the graph for the documents of a tenant that an older version wrote, of the texts that the ledger keeps: no source is read
 * and nothing embedded. One whose text is gone stays without.
 */
export async function fillGraphs(
  tenant: string,
  { ledger, giveWay }: Pick<WriteTargets, 'ledger' | 'giveWay'>,
  run: IndexRun,
): Promise<void> {
  let filled = 0;
  for await (const page of unreadPages(ledger.graph, tenant, giveWay)) {
    for (const documentId of page) {
      run.checkAborted();
      const document = await ledger.document(documentId);
      const text = await ledger.text(documentId, document?.revision);
      if (document === undefined || text === undefined) continue;
      const { cut, ...graph } = run.timed('graph', () => graphRowsOf({ ...document, text }));
      if (cut !== undefined) run.notice(`${document.externalId}: ${cut}`);
      if (await ledger.fillGraph({ documentId, revision: document.revision, graph })) filled++;
    }
  }
  if (filled > 0)
    run.notice(
      `The graph was made for ${filled === 1 ? '1 document' : `${filled} documents`} that an older version indexed.`,
    );
}
