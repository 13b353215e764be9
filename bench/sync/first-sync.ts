import { join } from 'node:path';
import type pg from 'pg';
import { createEngine } from '../../src/engine/create-engine.js';
import type { Engine, IndexResult } from '../../src/operations/engine.js';
import { type Timed, timed } from '../shared/statistics.js';
import { type BareStages, runBareStages } from './bare-stages.js';
import { ISSUE_SOURCE } from './jira-issues.js';

/** A first sync, beside the stages that it is made of. */
export interface FirstSync {
  readonly bare: Timed<BareStages>;
  readonly sync: Timed<IndexResult>;
}

export const openEngine = (url: string, folder: string): Promise<Engine> =>
  createEngine({
    config: { provider: 'libsql', sources: [{ ...ISSUE_SOURCE, connectionString: url }] },
    cwd: folder,
    dataDir: join(folder, 'data'),
  });

/** Chunks of one transaction, as `ragstone sync` has them. */
const TRANSACTION_CHUNKS = 512;

/** The stages alone, then the engine over the same rows into an index of its own, which is left in the folder. */
export async function measureFirstSync(client: pg.Client, url: string, folder: string): Promise<FirstSync> {
  const files = { driverFile: join(folder, 'bare.db'), storeFile: join(folder, 'store.db') };
  const bare = await timed(() => runBareStages(client, files));
  const engine = await openEngine(url, folder);
  const sync = await timed(() => engine.index({ options: { transactionChunks: TRANSACTION_CHUNKS } }));
  await engine.close();
  const { vectorsIndexed, errors } = sync.value.stats;
  if (vectorsIndexed !== bare.value.chunks || errors.length > 0)
    throw new Error(
      `The engine indexed ${vectorsIndexed} chunks of ${bare.value.chunks}: ${JSON.stringify(errors.slice(0, 3))}`,
    );
  return { bare, sync };
}
