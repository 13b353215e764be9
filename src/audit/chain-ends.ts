import { join } from 'node:path';
import type { ChainEnd, RemovedFiles } from './audit-record.js';
import { auditLineOf, linesOf } from './read-audit.js';

/** Writers whose ends are carried on from one removal to the next. A process is one; the youngest are kept. */
const MOST_CHAINS = 200;

/** Where the chains of files end that are about to be removed, with those of files that were removed before them. */
export async function chainEndsOf(folder: string, files: readonly string[]): Promise<RemovedFiles> {
  const ends = new Map<string, ChainEnd>();
  const keep = (end: ChainEnd): void => {
    const known = ends.get(end.writer);
    if (known !== undefined && known.sequence > end.sequence) return;
    // The youngest stand last.
    ends.delete(end.writer);
    ends.set(end.writer, end);
  };
  for (const file of files)
    for await (const line of linesOf(join(folder, file))) {
      const { record } = auditLineOf(file, line);
      if (record === undefined) continue;
      for (const end of record.removed?.chains ?? []) keep(end);
      keep({ writer: record.writer, sequence: record.sequence, hash: record.hash });
    }
  return { files, chains: [...ends.values()].slice(-MOST_CHAINS) };
}
