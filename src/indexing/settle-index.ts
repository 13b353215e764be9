import type { Generation, LedgerItem } from '../ledger/ledger.js';
import { packStatements } from '../relations/conflicts/packed-statements.js';
import type { StatementFilling } from '../relations/conflicts/statement-rows.js';
import type { GraphPage } from '../relations/graph/graph.js';
import { graphRowsOf } from '../relations/graph/graph-rows.js';
import { dropRetired, openForReading } from '../resources/open-collection.js';
import { giveUpMovedFiles } from './abandoned-sources.js';
import { carryOver } from './carry-over.js';
import { purgeDeleted } from './delete-documents.js';
import { finishInterrupted } from './finish-interrupted.js';
import type { IndexPipeline } from './index-pipeline.js';
import type { IndexRun } from './index-run.js';
import { keepHistory } from './keep-history.js';
import type { OpenTarget } from './open-target.js';
import { liftFolded } from './renew-documents.js';
import type { WriteTargets } from './write-batch.js';

/** Makes what was written quick to search; a new generation is completed and takes the place of the live one. */
export async function settleIndex(
  pipeline: IndexPipeline,
  {
    target,
    targets,
    isPurgePending,
  }: { readonly target: OpenTarget; readonly targets: WriteTargets; readonly isPurgePending: boolean },
  run: IndexRun,
): Promise<void> {
  const { facts, collection } = target;
  if (facts === undefined) return;
  const isDry = pipeline.options.dryRun;
  if (isDry) return lift({ facts, collection }, { pipeline, targets, isDry }, run);
  const live = facts.state === 'building' ? await pipeline.ledger.live() : undefined;
  if (live !== undefined) await completeGeneration(live, { pipeline, targets, run });
  const { sources: owners, options } = pipeline;
  for (const source of pipeline.abandonedSources ?? [])
    await giveUpMovedFiles(source, { owners, targets, options }, run);
  await lift({ facts, collection }, { pipeline, targets, isDry }, run);
  const { vectorsIndexed, documentsDeleted } = run.total();
  if (vectorsIndexed > 0 || documentsDeleted > 0) {
    run.enter('optimizing');
    await run.timedAsync('optimize', () => collection.optimize(pipeline.signal));
  }
  if (documentsDeleted > 0 || isPurgePending) await purgeDeleted(targets, run);
  if (pipeline.isPush !== true) await fillGraphs(pipeline.options.scope.tenant, targets, run);
  if (pipeline.isExamined === true) await fillStatements(pipeline.options.scope.tenant, targets, run);
  const { ledger, history, isPush = false } = pipeline;
  await keepHistory({ ledger, facts, keep: history, isPush }, targets, run);
  const changed = pipeline.isPush === true ? vectorsIndexed + documentsDeleted : undefined;
  // Who does the last of what was handed over learns of it.
  if (run.total().handedOver === 0)
    await run.timedAsync('learn', () => pipeline.learn({ facts, collection }, changed));
  if (live === undefined) return;
  // Of what never could be read nothing is lost by the switch.
  const held = new Set(
    await pipeline.ledger.reader(live.generation).sourceNames(pipeline.options.scope.tenant),
  );
  const unread = run.errors.filter(({ source, item }) => item === undefined && held.has(source));
  if (unread.length > 0) {
    run.notice(
      `The new generation ${facts.generation} is not in use, because these sources could not be read: ${unread.map(({ source }) => source).join(', ')}. Searches go on with generation ${live.generation}. \`ragstone index --force\` goes on with the new one.`,
    );
    return;
  }
  run.checkAborted();
  await pipeline.ledger.switchTo(facts.generation, pipeline.now(), live.generation);
  for (const problem of await dropRetired(pipeline.ledger, pipeline.storeOf, KEPT_GENERATIONS))
    run.notice(problem);
}

/**
 * Examines the documents of a tenant that are new, have changed, or were indexed by an older version or while it was switched off: keeps what
 * they say, of the texts that the ledger keeps. The work grows with what has changed; documents are compared when somebody asks.
 */
async function fillStatements(
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

const PAGE = 200;

/** What the ledger keeps of documents, and of which documents it is to be made yet. */
interface UnreadDocuments {
  unread(tenant: string, page: GraphPage): Promise<readonly string[]>;
}

/** Ids of a tenant's documents of which something is to be made yet, a page at a time; between two pages others have a turn. */
async function* unreadPages(
  reader: UnreadDocuments,
  tenant: string,
  giveWay: WriteTargets['giveWay'],
): AsyncGenerator<readonly string[]> {
  for (let after: string | undefined; ; ) {
    const page = await reader.unread(tenant, { limit: PAGE, ...(after === undefined ? {} : { after }) });
    yield page;
    if (page.length < PAGE) return;
    after = page.at(-1);
    await giveWay?.();
  }
}

/**
 * Makes rows of the graph for the documents of a tenant that an older version wrote, of the texts that the ledger keeps: no source is read
 * and nothing embedded. One whose text is gone stays without.
 */
async function fillGraphs(
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

async function lift(
  { facts, collection }: OpenTarget & { readonly facts: Generation },
  { pipeline, targets, isDry }: { pipeline: IndexPipeline; targets: WriteTargets; isDry: boolean },
  run: IndexRun,
): Promise<void> {
  const { sealing, isPush = false, givenUp } = pipeline;
  if (sealing === undefined) return;
  const from = { facts, reader: targets.ledger, collection };
  await run.timedAsync('metadata', () => liftFolded({ from, sealing, isPush, isDry, givenUp }, targets, run));
}

/** Generations that are kept to go back to. */
const KEPT_GENERATIONS = 1;

/** Copies what the run could not read: documents that programs handed in, of sources that are not read now, and failures. */
async function completeGeneration(
  live: Generation,
  { pipeline, targets, run }: { pipeline: IndexPipeline; targets: WriteTargets; run: IndexRun },
): Promise<void> {
  const { ledger, options, givenUp } = pipeline;
  const { tenant } = options.scope;
  const reader = ledger.reader(live.generation);
  await finishInterrupted(live, { pipeline, targets, run });
  const inRun = new Set(pipeline.sources.map(({ source }) => source.name));
  const items: LedgerItem[] = [];
  for (const source of await reader.sourceNames(tenant)) {
    if (givenUp?.has(source)) continue;
    const held = await reader.items(tenant, source);
    const filled = await targets.ledger.items(tenant, source);
    const isRead = inRun.has(source) ? readIn(filled) : () => false;
    for (const item of held.values()) {
      const now = filled.get(item.itemId);
      const isMissed = now?.status === 'failed' || (now?.version !== item.version && !isRead(item.itemId));
      if (isMissed) items.push(now?.error === undefined ? item : { ...item, error: now.error });
    }
  }
  if (items.length === 0) return;
  const collection = await openForReading(live, await pipeline.storeOf(live));
  await carryOver({ facts: live, reader, collection }, items, targets, run);
}

/** Whether a run could look at an item, whatever it found: not where the folder could not be listed. */
function readIn(filled: ReadonlyMap<string, LedgerItem>): (itemId: string) => boolean {
  const folders = [...filled.values()].flatMap(({ itemId, status }) =>
    itemId.endsWith('/') && status === 'failed' ? itemId : [],
  );
  return (itemId) => !folders.some((folder) => itemId.startsWith(folder));
}
