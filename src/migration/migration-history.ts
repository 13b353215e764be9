import { RAGError } from '../core/errors.js';
import type { Ledger } from '../ledger/ledger.js';
import type { OpenEnd, OpenEnds } from './migration-ends.js';

const keeps = ({ resources }: OpenEnd): boolean => resources.config.rag.history.keep !== undefined;

/**
 * What becomes of the history of the index that is copied, in words; undefined where none is kept. In one ledger it goes on; between two it
 * stays behind, for its times are those of the ledger that wrote it.
 *
 * @throws RAGError `USAGE` where one ledger keeps it and the configuration of the copy does not: whatever that wrote would end it
 */
export async function historyNotice(
  { from, to, isOneLedger }: OpenEnds,
  { history }: Pick<Ledger, 'history'>,
): Promise<string | undefined> {
  const begins = await history?.begins();
  if (begins === undefined) return undefined;
  const since = new Date(begins).toISOString();
  if (!isOneLedger)
    return `The history of the index (since ${since}) is not copied: ${
      keeps(to)
        ? 'that of the copy begins with the copy'
        : 'the configuration of the copy keeps none (rag.history.keep)'
    }. Earlier moments (asOf) can be asked of the old index, as long as it is there.`;
  if (!keeps(to))
    throw new RAGError(
      'USAGE',
      `The index keeps its history since ${since}, and the configuration of the copy keeps none, so that what it writes would end it. Set rag.history.keep there too${keeps(from) ? ', or take it out of both and run `ragstone index`, which deletes the history' : ''}.`,
      { details: { key: 'rag.history.keep' } },
    );
  return undefined;
}
