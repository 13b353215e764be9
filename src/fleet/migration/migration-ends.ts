import { realpathSync } from 'node:fs';
import { RAGError } from '../../core/errors.js';
import { openEngine } from '../../engine/create-engine.js';
import { anySignal } from '../../engine/open-work.js';
import { isUnfinished } from '../../features/forgetting/receipts.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { LockSubject } from '../../ledger/lock.js';
import type { Engine } from '../../operations/engine.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import type { MigrateRequest, MigrationEnd } from './migration-types.js';

/** Other writers are waited for this long, in milliseconds. */
const WAIT_MS = 600_000;
const COMMAND = 'ragstone migrate';

/** One of the two indexes, opened. */
export interface OpenEnd {
  readonly engine: Engine;
  readonly resources: EngineResources;
}

/** Both indexes of a migration. */
export interface OpenEnds {
  readonly from: OpenEnd;
  readonly to: OpenEnd;
  /** One ledger keeps both: the copy is one more generation of the same index, in another store. */
  readonly isOneLedger: boolean;
}

/** Opens both, works, and closes both whatever happens. */
export async function withEnds<Outcome>(
  places: Pick<MigrateRequest, 'from' | 'to' | 'cwd' | 'env'>,
  work: (ends: OpenEnds) => Promise<Outcome>,
): Promise<Outcome> {
  const { cwd, env } = places;
  const from = await openEngine({ ...places.from, cwd, env });
  try {
    const to = await openEngine({ ...places.to, cwd, env });
    try {
      return await work({ from, to, isOneLedger: await isOneLedger(from.resources, to.resources) });
    } finally {
      await to.engine.close();
    }
  } finally {
    await from.engine.close();
  }
}

async function isOneLedger(a: EngineResources, b: EngineResources): Promise<boolean> {
  const [own, other] = [a.config.own?.ledger, b.config.own?.ledger];
  if (own !== undefined || other !== undefined) return own === other;
  if (a.ledger.isShared !== b.ledger.isShared) return false;
  if (!a.ledger.isShared) return realFolder(a.config.dataDir) === realFolder(b.config.dataDir);
  // A server has several addresses; no two collections have one name.
  const [mine, yours] = await Promise.all(
    [a, b].map(async (one) => collectionsOf(await one.ledger.reading())),
  );
  return mine !== undefined && mine !== '' && mine === yours;
}

const collectionsOf = async (ledger: Ledger | undefined): Promise<string | undefined> =>
  (await ledger?.generations())?.map(({ collection }) => collection).join();

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Does work while this process may write an index; between two pieces of it others may. */
export async function alone<Outcome>(
  { resources }: OpenEnd,
  { subject, signal }: { readonly subject: LockSubject; readonly signal: AbortSignal | undefined },
  work: (ledger: Ledger, signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const isBrief = subject !== 'upgrading';
  const waitMs = isBrief ? WAIT_MS : 0;
  const lock = await resources.ledger.lock({ subject, command: COMMAND, waitMs, isBrief, signal });
  try {
    if (!resources.ledger.isShared && isUnfinished(resources.config.dataDir)) throw halfForgotten(resources);
    const done = await work(
      await resources.ledger.writing({ check: false }),
      anySignal(signal, lock.lost, new AbortController().signal),
    );
    resources.ledger.assertSame();
    return done;
  } catch (error) {
    throw lock.lost?.aborted === true ? lock.lost.reason : error;
  } finally {
    await lock.release();
  }
}

/** The same for both; one lock where it is one ledger. */
export const aloneInBoth = <Outcome>(
  { from, to, isOneLedger: isOne }: OpenEnds,
  options: { readonly subject: LockSubject; readonly signal: AbortSignal | undefined },
  work: (ledger: Ledger, signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> =>
  isOne
    ? alone(to, options, work)
    : alone(from, options, (_, signal) => alone(to, { ...options, signal }, work));

const halfForgotten = ({ config }: EngineResources): RAGError =>
  new RAGError(
    'INDEX_LOCKED',
    `Documents of the index in ${config.dataDir} were being forgotten when a process died. \`ragstone forget --resume\` finishes that; then migrate.`,
  );

/** As results name it. */
export const endOf = (
  { resources: { config } }: OpenEnd,
  store: string,
  generation: number | undefined,
): MigrationEnd => ({
  store,
  generation,
  ...(config.file === undefined ? {} : { configFile: config.file }),
  dataDir: config.dataDir,
});
