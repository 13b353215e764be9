import type { ResolvedConfig } from '../config/resolved-config.js';
import { RAGError } from '../core/errors.js';
import type { Ledger, LedgerItem, RunRecord } from '../ledger/ledger.js';
import type { CollectionStats } from '../stores/vector-store.js';
import { pathsOf } from './document-paths.js';
import type { IndexError, IndexResult, IndexStatus } from './engine.js';
import type { EngineResources } from './engine-resources.js';
import { nothingIndexed } from './open-collection.js';

const MAX_FAILURES = 100;

/** What is indexed and in which state. Throws `INDEX_EMPTY` before the first `index`. */
export async function readStatus(resources: EngineResources): Promise<IndexStatus> {
  const ledger = resources.readingLedger();
  const facts = ledger?.facts();
  if (ledger === undefined || facts === undefined) throw nothingIndexed();
  const { origin } = await resources.store();
  const { stats, problem } = await collectionStats(resources);
  const sources = ledger.sources();
  const run = ledger.lastRun();
  return {
    dataDir: resources.config.dataDir,
    provider: facts.provider,
    providerOrigin: origin,
    embedder: facts.embedder,
    fingerprint: facts.fingerprint,
    dimensions: facts.dimensions,
    documents: sum(sources.map(({ documents }) => sum(Object.values(documents)))),
    chunks: sum(sources.map(({ chunks }) => chunks)),
    bytes: { ledger: ledger.bytes(), ...(stats?.bytes === undefined ? {} : { store: stats.bytes }) },
    vectorIndex: stats?.vectorIndex ?? 'unknown',
    textIndex: stats?.textIndex ?? 'unknown',
    sources: sources.map(({ tenant: _, ...summary }) => summary),
    ...(run === undefined ? {} : { lastRun: toLastRun(run) }),
    failures: ledger.failures(MAX_FAILURES).map(toIndexError).map(pathAdder(resources.config)),
    notices: [
      ...(problem === undefined ? [] : [problem]),
      ...statusNotices(ledger, run),
      ...resources.adaptationNotice(),
    ],
  };
}

/** Figures of the store; a store that cannot be read is a notice, because a status must come even then. */
async function collectionStats(
  resources: EngineResources,
): Promise<{ stats?: CollectionStats; problem?: string }> {
  try {
    const { collection } = await resources.collection();
    return { stats: await collection.stats() };
  } catch (error) {
    if (!RAGError.isInstance(error)) throw error;
    return { problem: error.message };
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function toLastRun({
  command,
  startedAt,
  finishedAt,
  success,
  stats,
}: RunRecord): NonNullable<IndexStatus['lastRun']> {
  return {
    command,
    startedAt,
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(success === undefined ? {} : { success }),
    ...(stats === undefined ? {} : { stats: JSON.parse(stats) as IndexResult['stats'] }),
  };
}

/** Adds the file that a failure is about. */
export function pathAdder(config: ResolvedConfig): (error: IndexError) => IndexError {
  const findPath = pathsOf('items', config);
  return (error) => {
    const path = error.item === undefined ? undefined : findPath(error.source, error.item);
    return path === undefined ? error : { ...error, path };
  };
}

const toIndexError = ({ source, itemId, error }: LedgerItem): IndexError => ({
  source,
  item: itemId,
  reason: error?.reason ?? 'INTERNAL',
  message: error?.message ?? 'It failed for an unknown reason.',
});

function statusNotices(ledger: Ledger, run: RunRecord | undefined): string[] {
  const notices: string[] = [];
  if (run !== undefined && run.finishedAt === undefined) {
    notices.push(
      'The last index run is still under way or was interrupted. `ragstone index` completes its work.',
    );
  }
  for (const { source, documents } of ledger.sources()) {
    const waiting = documents.outdated + documents.pending;
    if (waiting > 0)
      notices.push(`${waiting} documents of "${source}" wait to be indexed again: run \`ragstone index\`.`);
  }
  return notices;
}
