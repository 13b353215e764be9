import type { ResolvedConfig } from '../../config/resolved-config.js';
import { ageMs } from '../../core/age.js';
import { RAGError } from '../../core/errors.js';
import { isFolded } from '../../core/pushed-fields.js';
import { runtime } from '../../core/runtime.js';
import type { Scope } from '../../core/scope.js';
import { abandonments } from '../../indexing/abandoned-sources.js';
import { pathsOf } from '../../indexing/document-paths.js';
import { configuredNames } from '../../indexing/source-owners.js';
import { failureOfRun } from '../../ledger/failed-run.js';
import type { HistoryStatus } from '../../ledger/history/as-of-report.js';
import type {
  DocumentStatus,
  GenerationReader,
  Ledger,
  LedgerItem,
  RunRecord,
  SourceSummary,
} from '../../ledger/ledger.js';
import type { SourceState } from '../../ledger/source-state.js';
import { unfinishedRunNotice } from '../../ledger/unfinished-run.js';
import type { IndexError, IndexResult, IndexStatus, ReadingProgress } from '../../operations/engine.js';
import { readSyncStatus } from '../../operations/sync-state.js';
import { installedOcr, ocrInWords } from '../../parsing/pdf/installed-ocr.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import { documentsIn } from '../../resources/ledger-rows.js';
import { nothingIndexed } from '../../resources/open-collection.js';
import { unreadNotice } from '../../resources/readable-graph.js';
import type { CollectionStats } from '../../stores/vector-store.js';
import { Receipts, unfinishedNotice } from '../forgetting/receipts.js';
import { readUpgradeStatus } from '../upgrading/upgrade-status.js';
import { syncState, typeOfSource } from './read-source-states.js';
import { readWork } from './read-work.js';

const MAX_FAILURES = 100;
const PAGE = 1_000;

/**
 * What is indexed of the scope's tenant and in which state. Where the index holds other tenants too, what is said of it as a
 * whole (bytes, the last run) is left out, as it is where the scope is of one project. Throws `INDEX_EMPTY` before the first `index`.
 */
export async function readStatus(
  resources: EngineResources,
  scope: Scope,
  reading?: ReadingProgress,
): Promise<IndexStatus> {
  const live = await resources.ledger.live();
  if (live === undefined) throw nothingIndexed(resources.config);
  const { ledger, facts, reader } = live;
  const { origin } = await resources.stores.configured();
  const { stats, problem } = await collectionStats(resources);
  const everySource = await reader.sources();
  const ofTenant = everySource.filter(({ tenant }) => tenant === scope.tenant);
  const states = await reader.sourceStates(scope.tenant);
  const sources =
    scope.project === undefined
      ? [...ofTenant, ...neverRead(ofTenant, { states, tenant: scope.tenant, config: resources.config })]
      : await ofProject(reader, ofTenant, scope);
  const isAlone = scope.project === undefined && ofTenant.length === everySource.length;
  const names = new Set(sources.map(({ source }) => source));
  const configured = configuredNames(resources.config);
  // A run does not say of which tenant and project it was.
  const run = isAlone ? await ledger.lastRun() : undefined;
  const failures = await reader.failures(isAlone ? MAX_FAILURES : Number.MAX_SAFE_INTEGER);
  return {
    dataDir: resources.config.dataDir,
    provider: facts.provider,
    providerOrigin: origin,
    embedder: facts.embedder,
    fingerprint: facts.fingerprint,
    dimensions: facts.dimensions,
    documents: sum(sources.map(({ documents }) => sum(Object.values(documents)))),
    chunks: sum(sources.map(({ chunks }) => chunks)),
    bytes: isAlone ? { ledger: await ledger.bytes(), store: stats?.bytes } : {},
    vectorIndex: (isAlone ? stats?.vectorIndex : undefined) ?? 'unknown',
    textIndex: (isAlone ? stats?.textIndex : undefined) ?? 'unknown',
    sources: sources.map(({ tenant: _, ...summary }) => {
      const state = states.get(summary.source);
      const sync = state && syncState(state, configured.has(summary.source));
      return sync === undefined ? summary : { ...summary, sync };
    }),
    lastRun: run && toLastRun(run),
    work: await readWork(resources, reader, { scope, isAlone }),
    following:
      scope.project === undefined ? readSyncStatus(resources.config.dataDir, scope.tenant) : undefined,
    reading: isAlone ? reading : undefined,
    failures: failures
      .filter(({ tenant, source }) => tenant === scope.tenant && names.has(source))
      .slice(0, MAX_FAILURES)
      .map(errorOf)
      .map(pathAdder(resources.config)),
    notices: [
      ...new Receipts(resources.config.dataDir).unfinishedIds().map((id) => unfinishedNotice(id)),
      ...resources.stores.notice(facts),
      ...(problem === undefined ? [] : [problem]),
      ...(await unfinishedRunNotice(run, ledger)),
      ...waitingNotices(sources),
      ...ocrNotices(sources),
      ...(await foldedNotice(reader, scope.tenant)),
      ...(await unreadNotice(reader.graph, scope.tenant)).map(({ text }) => text),
      ...(await abandonments(reader, ledger, { tenant: scope.tenant, config: resources.config })),
      ...(await resources.models.adaptationNotice(live)),
    ],
    stores: isAlone ? await (await resources.stores.manager())?.status() : undefined,
    history: isAlone ? await readHistory(ledger, resources.config) : undefined,
    upgrade: isAlone ? await readUpgradeStatus(ledger, facts, resources.config) : undefined,
  };
}

/** What history is kept; undefined where none is. */
async function readHistory(
  { history }: Pick<Ledger, 'history'>,
  { rag }: ResolvedConfig,
): Promise<HistoryStatus | undefined> {
  const { keep } = rag.history;
  if (keep === undefined || history === undefined) return undefined;
  const { begins, versions, past, bytes } = await history.summary();
  const earliest = begins === undefined ? undefined : Math.max(begins, runtime().now() - ageMs(keep));
  return {
    keep,
    ...(earliest === undefined ? {} : { begins: new Date(earliest).toISOString() }),
    ...{ past, present: versions - past, bytes },
  };
}

/** Says of how many documents of a tenant an earlier version kept fields under another name. */
async function foldedNotice(reader: GenerationReader, tenant: string): Promise<string[]> {
  let count = 0;
  for (let after: string | undefined; ; ) {
    const page = (await reader.folded?.({ limit: PAGE, after })) ?? [];
    for (const id of page) {
      const document = await reader.document(id);
      if (document?.tenant === tenant && isFolded(document.metadata)) count++;
    }
    if (page.length < PAGE) break;
    after = page.at(-1);
  }
  if (count === 0) return [];
  const documents = count === 1 ? '1 document' : `${count} documents`;
  return [
    `Fields of ${documents} lie under \`knowledgeMetadata\`, where an earlier version put them. They are found and shown under their own names, but a filter by a name with dots, or on metadata that was a text, may miss them. \`ragstone index\`, each push and, at once, \`ragstone encryption rotate\` bring them in step.`,
  ];
}

/** Sources that failed from their beginning, so that nothing was ever indexed of them. */
function neverRead(
  read: readonly SourceSummary[],
  {
    states,
    tenant,
    config,
  }: {
    readonly states: ReadonlyMap<string, SourceState>;
    readonly tenant: string;
    readonly config: ResolvedConfig;
  },
): SourceSummary[] {
  const names = new Set(read.map(({ source }) => source));
  return [...states].flatMap(([source, { error }]) => {
    if (error === undefined || names.has(source)) return [];
    const documents = { pending: 0, indexed: 0, failed: 0, outdated: 0 };
    return { tenant, source, sourceType: typeOfSource(source, config), documents, failedItems: 0, chunks: 0 };
  });
}

/** The same sources with the documents of one project alone; sources without any are left out. */
async function ofProject(
  ledger: GenerationReader,
  sources: readonly SourceSummary[],
  { tenant, project }: Scope,
): Promise<SourceSummary[]> {
  const counts = new Map<string, { documents: Record<DocumentStatus, number>; chunks: number }>();
  for await (const document of documentsIn(ledger, PAGE)) {
    if (document.tenant !== tenant || document.project !== project) continue;
    const count = counts.get(document.source) ?? {
      documents: { pending: 0, indexed: 0, failed: 0, outdated: 0 },
      chunks: 0,
    };
    count.documents[document.status] += 1;
    count.chunks += document.chunkCount;
    counts.set(document.source, count);
  }
  return sources.flatMap(({ redactions: _redactions, unread: _unread, ...source }) => {
    const count = counts.get(source.source);
    return count === undefined ? [] : [{ ...source, ...count }];
  });
}

/** Figures of the store; a store that cannot be read is a notice, because a status must come even then. */
async function collectionStats(
  resources: EngineResources,
): Promise<{ stats?: CollectionStats; problem?: string }> {
  try {
    const { collection } = await resources.stores.collection();
    return { stats: await collection.stats() };
  } catch (error) {
    if (!RAGError.isInstance(error)) throw error;
    return { problem: error.message };
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function toLastRun(run: RunRecord): NonNullable<IndexStatus['lastRun']> {
  const { command, startedAt, finishedAt, success, stats: text } = run;
  const error = failureOfRun(run);
  const ended = { command, startedAt, finishedAt, success, ...(error === undefined ? {} : { error }) };
  if (text === undefined) return { ...ended, stats: undefined };
  const { failure: _, ...stats } = JSON.parse(text) as IndexResult['stats'] & { failure?: unknown };
  return { ...ended, stats };
}

/** Adds the file that a failure is about. */
export function pathAdder(config: ResolvedConfig): (error: IndexError) => IndexError {
  const findPath = pathsOf('items', config);
  return (error) => {
    const path = error.item === undefined ? undefined : findPath(error.source, error.item);
    return path === undefined ? error : { ...error, path };
  };
}

/** What failed of an item. */
export const errorOf = ({ source, itemId, error }: LedgerItem): IndexError & { readonly item: string } => ({
  source,
  item: itemId,
  reason: error?.reason ?? 'INTERNAL',
  message: error?.message ?? 'It failed for an unknown reason.',
});

/** Says whether pages without text could be read. */
function ocrNotices(sources: readonly SourceSummary[]): string[] {
  const pages = sum(sources.map(({ unread }) => unread?.['pages without text'] ?? 0));
  if (pages === 0) return [];
  const ocr = installedOcr();
  const left = ocr === undefined ? '' : ' The run that read these documents said why it left them.';
  return [`Pages without text: ${pages}. ${ocrInWords(ocr)}${left}`];
}

function waitingNotices(sources: readonly SourceSummary[]): string[] {
  return sources.flatMap(({ source, documents }) => {
    const waiting = documents.outdated + documents.pending;
    return waiting > 0
      ? [
          `${waiting === 1 ? 'A document of' : `${waiting} documents of`} "${source}" ${waiting === 1 ? 'waits' : 'wait'} to be indexed again: run \`ragstone index\`.`,
        ]
      : [];
  });
}
