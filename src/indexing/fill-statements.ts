import { packStatements } from '../conflicts/packed-statements.js';
import type { StatementFilling } from '../conflicts/statement-rows.js';
import type { IndexRun } from './index-run.js';
import { unreadPages } from './unread-pages.js';
import type { WriteTargets } from './write-batch.js';

/**
 * Examines the documents of a tenant that are new, have changed, or were indexed by an older version or while it was switched off: keeps what
 * they say, of the texts that the ledger keeps. The work grows with what has changed; documents are compared when somebody asks.
 */
export async function fillStatements(
  tenant: string,
  { ledger, giveWay }: Pick<WriteTargets, 'ledger' | 'giveWay'>,
  run: IndexRun,
): Promise<void> {
  for await (const page of unreadPages(ledger.statements, tenant, giveWay)) {
    const fillings: StatementFilling[] = [];
    for (const documentId of page) {
      run.checkAborted();
      const { revision, status } = (await ledger.document(documentId)) ?? {};
      // Of one that is half written the store may still say who could read the revision before.
      if (revision === undefined || status === 'pending') continue;
      const text = await ledger.text(documentId, revision);
      if (text === undefined) continue;
      fillings.push({ documentId, revision, packed: run.timed('conflicts', () => packStatements(text)) });
    }
    if (fillings.length > 0) await run.timedAsync('conflicts', () => ledger.fillStatements(fillings));
  }
}
