import { graphRowsOf } from '../graph/graph-rows.js';
import type { IndexRun } from './index-run.js';
import type { WriteTargets } from './write-batch.js';

const PAGE = 200;

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
  for (let after: string | undefined; ; ) {
    const page = await ledger.graph.unread(tenant, {
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    for (const documentId of page) {
      run.checkAborted();
      const document = await ledger.document(documentId);
      const text = await ledger.text(documentId, document?.revision);
      if (document === undefined || text === undefined) continue;
      const graph = run.timed('graph', () => graphRowsOf({ ...document, text }));
      if (await ledger.fillGraph({ documentId, revision: document.revision, graph })) filled++;
    }
    if (page.length < PAGE) break;
    after = page.at(-1);
    await giveWay?.();
  }
  if (filled > 0)
    run.notice(
      `The graph was made for ${filled === 1 ? '1 document' : `${filled} documents`} that an older version indexed.`,
    );
}
