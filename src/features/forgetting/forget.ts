import type { ResolvedConfig } from '../../config/resolved-config.js';
import { RAGError, toRAGError } from '../../core/errors.js';
import { oneOf } from '../../core/filter.js';
import { occurrencesOf } from '../../core/occurrences.js';
import { isoNow } from '../../core/runtime.js';
import type { Scope } from '../../core/scope.js';
import { slicesOf } from '../../core/slices.js';
import { isPushSource } from '../../indexing/folder-names.js';
import { configuredNames, readOwnership } from '../../indexing/source-owners.js';
import { blockedNameHash } from '../../ledger/blocked-name.js';
import { allVersions } from '../../ledger/history/all-versions.js';
import { unpackChunks } from '../../ledger/history/retained-chunks.js';
import { damagedHistory, type LedgerHistory } from '../../ledger/history.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { ForgetReceipt, ForgetRequest, RemovedFrom } from '../../operations/forget-types.js';
import { isWithoutCollection, nothingIndexed, openForReading } from '../../resources/open-collection.js';
import { tracedDeletion } from '../../resources/traced-indexing.js';
import { listPages } from '../../stores/list-pages.js';
import { CacheKeyFinder, cachesOf } from './cache-keys.js';
import { carryOut } from './carry-out.js';
import type { OpenGeneration } from './erase-caches.js';
import { fieldsOf, findForgotten, sourceNamed } from './find-forgotten.js';
import type { ForgettingHost } from './forgetting-host.js';
import type { ForgettingPlan, ForgottenDocument } from './forgetting-plan.js';
import { newReceiptId, Receipts, unfinishedNotice } from './receipts.js';
import { leftInStores } from './stores-behind.js';
import { newKey, tracesBy } from './traces.js';
import { leftOfEarlier } from './unused-copies.js';
import { whatIsLeft } from './what-is-left.js';

const PAGE = 500;
/** Names that a dry run gives. */
const EXAMPLES = 10;
/** Documents in one filter. */
const BATCH = 200;

/**
 * Forgets what a request means, in every generation, the caches and the records beside them. Hold the writer lock for the whole. What is
 * to be done is on the disk before it is begun; where this fails or dies, `finishForgetting` goes on.
 */
export async function forget(
  request: ForgetRequest,
  { scope, signal }: { readonly scope: Scope; readonly signal: AbortSignal },
  host: ForgettingHost,
): Promise<ForgetReceipt> {
  const receipts = new Receipts(host.config.dataDir);
  const plan = await planForgetting(request, { scope, signal }, host);
  const isNothing = plan.documents.length === 0 && plan.items.length === 0 && plan.source === undefined;
  if (request.dryRun === true || isNothing) return asDry(plan, host);
  receipts.begin(plan);
  return carriedOut(plan, { signal, receipts }, host);
}

const carriedOut: typeof carryOut = (plan, parts, host) =>
  tracedDeletion(
    { kind: 'forget', tenant: plan.receipt.tenant },
    () => carryOut(plan, parts, host),
    ({ documents }) => documents,
  );

async function asDry(
  { receipt, documents, items }: ForgettingPlan,
  host: ForgettingHost,
): Promise<ForgetReceipt> {
  const { names: _, ...rest } = receipt;
  const examples = [...documents.map(({ externalId }) => externalId), ...items.map(({ itemId }) => itemId)];
  return {
    ...rest,
    ...{ state: 'dry', traces: [], examples: [...new Set(examples)].slice(0, EXAMPLES) },
    left: [...receipt.left, ...(await leftInStores(host)), ...(await leftOfEarlier(host))],
  };
}

/** Goes on with what was begun; why it cannot, in words. Hold the writer lock for the whole. */
export async function finishForgetting(signal: AbortSignal, host: ForgettingHost): Promise<string[]> {
  const receipts = new Receipts(host.config.dataDir);
  if (receipts.unfinishedIds().length === 0) return [];
  const problems: string[] = [];
  for (const plan of receipts.unfinished())
    try {
      await carriedOut(plan, { signal, receipts }, host);
    } catch (error) {
      const failure = toRAGError(error, 'INTERNAL', 'It failed.');
      if (failure.reason === 'ABORTED') throw failure;
      problems.push(unfinishedNotice(plan.receipt.id, failure.message));
    }
  return problems;
}

async function planForgetting(
  request: ForgetRequest,
  { scope, signal }: { readonly scope: Scope; readonly signal: AbortSignal },
  host: ForgettingHost,
): Promise<ForgettingPlan> {
  const { config, resources, cwd } = host;
  if (request.source === undefined && request.documents === undefined && request.filter === undefined)
    throw new RAGError('USAGE', 'Say what to forget: a source, documents, or a filter.');
  const ledger = await resources.ledger.reading();
  const generations = (await ledger?.generations()) ?? [];
  if (ledger === undefined || generations.length === 0) throw nothingIndexed(config);
  const source = await checkedSource(request, { scope, ledger, host });
  const readers = generations.map(({ generation }) => ledger.reader(generation));
  const sealing = await resources.stores.sealing.open();
  const { history } = ledger;
  const found = await findForgotten(
    { ...request, source },
    { readers, history, scope, config, sealing, cwd },
  );
  const isWhole = isWholeSource(request);
  const open: OpenGeneration[] = [];
  for (const facts of generations) {
    const store = await resources.stores.of(facts);
    if (await isWithoutCollection(facts, store)) continue;
    open.push({ facts, collection: await openForReading(facts, store) });
  }
  const key = newKey();
  const { removed, chunks, traces } = await inventory(found.documents, { open, ledger, key, config, signal });
  const keptOut =
    isWhole || request.allowAgain === true ? undefined : await namesToKeepOut(found, { ledger, scope });
  const stores = await Promise.all(generations.map((facts) => resources.stores.of(facts)));
  const receipt: ForgetReceipt = {
    format: 1,
    id: newReceiptId(),
    state: 'begun',
    tenant: scope.tenant,
    project: scope.project,
    startedAt: isoNow(),
    by: request.by,
    asked: {
      source: request.source !== undefined,
      documents: request.documents?.length ?? 0,
      filterFields: request.filter === undefined ? [] : fieldsOf(request.filter),
    },
    documents: found.documents.length,
    chunks,
    keptOut: keptOut?.hashes.length ?? 0,
    names: keptOut,
    removed,
    left: whatIsLeft(request, { config, stores, keptOut: keptOut?.hashes.length ?? 0 }),
    key,
    traces,
  };
  // Other projects may have documents of it.
  const whole = isWhole && scope.project === undefined ? source : undefined;
  return { receipt, ...found, source: whole, keptOut };
}

const isWholeSource = ({ source, documents, filter }: ForgetRequest): boolean =>
  source !== undefined && documents === undefined && filter === undefined;

/** The source under its full name. Alone it must be one that no run reads. */
async function checkedSource(
  request: ForgetRequest,
  { scope, ledger, host }: { scope: Scope; ledger: Ledger; host: ForgettingHost },
): Promise<string | undefined> {
  if (request.source === undefined) return undefined;
  const { config } = host;
  const { tenant } = scope;
  const known = new Set(await ledger.rememberedSources(tenant));
  for (const { generation } of await ledger.generations())
    for (const name of await ledger.reader(generation).sourceNames(tenant)) known.add(name);
  for await (const version of allVersions(ledger.history, tenant)) known.add(version.source);
  const source = sourceNamed(request.source, [...known].sort());
  if (!isWholeSource(request) || isPushSource(source)) return source;
  const stated = config.rag.sources.find(({ name }) => name === source);
  const isRead = configuredNames(config).has(source) && stated?.enabled !== false;
  if (isRead)
    throw new RAGError(
      'USAGE',
      `The source "${source}" is configured, so the next run would bring all of it back. Set \`enabled: false\` there, or take it out of the configuration, and say it again. To forget some of its documents for good, name them (--document, --filter).`,
    );
  const { elsewhere } = await readOwnership(ledger, tenant, config);
  const others = elsewhere.get(source);
  if (others === undefined) return source;
  throw new RAGError(
    'USAGE',
    `The source "${source}" is indexed by ${others.join(', ')} too, whose next run would bring it back. Take it out there first.`,
  );
}

/** What there is of the documents, place by place, and the hashes by which it is known later. */
async function inventory(
  documents: readonly ForgottenDocument[],
  {
    open,
    ledger,
    key,
    config,
    signal,
  }: {
    open: readonly OpenGeneration[];
    ledger: Ledger;
    key: string;
    config: ResolvedConfig;
    signal: AbortSignal;
  },
): Promise<{ readonly removed: RemovedFrom[]; readonly chunks: number; readonly traces: string[] }> {
  const trace = tracesBy(key);
  const traces = new Set(documents.map(({ documentId }) => trace('document', documentId)));
  const removed: RemovedFrom[] = [];
  const caches = await cachesOf(config);
  const cached = new CacheKeyFinder(config, caches);
  let chunks = 0;
  for (const { facts, collection } of open) {
    const reader = ledger.reader(facts.generation);
    let [held, ofGeneration] = [0, 0];
    for (const { documentId } of documents) {
      if ((await reader.document(documentId)) === undefined) continue;
      held++;
      for (const { chunkId } of await reader.chunks(documentId)) {
        traces.add(trace('chunk', chunkId));
        ofGeneration++;
      }
    }
    const { generation, provider, state } = facts;
    removed.push(
      {
        place: `ledger, generation ${generation} (${state})`,
        what: 'documents with their revisions',
        count: held,
      },
      {
        place: `store ${provider}, generation ${generation} (${state})`,
        what: 'chunks',
        count: ofGeneration,
      },
    );
    chunks += ofGeneration;
    if (caches.vectors === undefined && caches.contexts === undefined) continue;
    for (const some of slicesOf(documents, BATCH)) {
      const filter = oneOf(
        '$documentId',
        some.map(({ documentId }) => documentId),
      );
      for await (const page of listPages(collection, { filter, limit: PAGE, signal }))
        await cached.add(page, facts.fingerprint);
    }
  }
  const past = await pastOf(documents, ledger.history, (chunkId) => traces.add(trace('chunk', chunkId)));
  if (past > 0) removed.push({ place: 'history', what: 'versions of documents', count: past });
  for (const name of cached.vectors) traces.add(trace('vector', name));
  for (const name of cached.contexts) traces.add(trace('context', name));
  return { removed, chunks, traces: [...traces].sort() };
}

/** How many versions of the documents the history keeps; each of their chunks is told. */
async function pastOf(
  documents: readonly ForgottenDocument[],
  history: LedgerHistory | undefined,
  onChunk: (chunkId: string) => unknown,
): Promise<number> {
  const [first] = documents;
  if (history === undefined || first === undefined) return 0;
  const ids = new Set(documents.map(({ documentId }) => documentId));
  let count = 0;
  for await (const version of allVersions(history, undefined)) {
    if (!ids.has(version.documentId)) continue;
    count++;
    const parts = await history.parts([version.id]);
    const kept = unpackChunks(parts.get(version.id) ?? [], version);
    if (kept === undefined) throw damagedHistory();
    for (const chunk of kept) onChunk(chunk.id);
  }
  return count;
}

/**
 * Of a document its own name, since its item may hold others. Of an item that is one document and nothing else, the item's too: then it is
 * not even read.
 */
async function namesToKeepOut(
  { documents, items }: Pick<ForgettingPlan, 'documents' | 'items'>,
  { ledger, scope: { tenant } }: { readonly ledger: Ledger; readonly scope: Scope },
): Promise<{ readonly key: string; readonly hashes: readonly string[] }> {
  const key = (await ledger.blockedNames(tenant))[0]?.key ?? newKey();
  const keyOf = ({ source, itemId }: { source: string; itemId: string }) => JSON.stringify([source, itemId]);
  const counts = occurrencesOf(documents.map(keyOf));
  const own = new Set(
    documents.flatMap((document) => (document.externalId === document.itemId ? keyOf(document) : [])),
  );
  const hashes = [
    ...documents.map(({ source, externalId: name }) =>
      blockedNameHash(key, { tenant, source, kind: 'document', name }),
    ),
    ...items.flatMap((item) => {
      const { source, itemId: name } = item;
      const count = counts.get(keyOf(item)) ?? 0;
      const isDocument = count === 0 || (count === 1 && own.has(keyOf(item)));
      return isDocument ? [blockedNameHash(key, { tenant, source, kind: 'item', name })] : [];
    }),
  ];
  return { key, hashes: [...new Set(hashes)] };
}
