import { RAGError, throwIfAborted, toRAGError } from '../core/errors.js';
import { cacheOwner } from '../core/scope.js';
import type { LedgerDocument } from '../ledger/ledger.js';
import type { ReadResult, Source, SourceItem } from '../sources/source.js';
import type { IndexRun } from './index-run.js';
import type { PreparationOrder, Preparer } from './preparation/preparer.js';
import type { PreparedDocument } from './prepare-document.js';
import type { SourceTask } from './source-task.js';

/** An item in the version that was read. */
export interface ItemAsRead extends SourceItem {
  /** Where it was listed in another one, which nobody has to read any more. */
  readonly listedVersion?: string;
}

/** An item whose documents were prepared, or why they could not be. */
export interface PreparedItem {
  readonly item: ItemAsRead;
  readonly documents: readonly PreparedDocument[];
  readonly failures: ReadonlyMap<string, RAGError>;
  /** Its source could give it. */
  readonly isRead: boolean;
  /** Its source said that it is there no more, and will not say it again. */
  readonly isGone?: boolean;
  readonly notices: readonly string[];
}

const NOTHING = { documents: [], failures: new Map<string, RAGError>(), isRead: false, notices: [] };

/** An item ready to be written. */
export interface ItemRead {
  readonly item: ItemAsRead;
  readonly source: string;
  readonly documents: readonly PreparedDocument[];
  /** Documents of the item in the ledger that the item no longer holds. */
  readonly gone: readonly LedgerDocument[];
  /** Documents of the item that somebody began to write, and did not end. */
  readonly unfinished: readonly LedgerDocument[];
  readonly failure: RAGError | undefined;
}

/** One identity, one document a run: a second document under the same identity would undo the first. */
export function withoutRepeats(read: ItemRead, seen: Set<string>, run: IndexRun): ItemRead {
  const documents: PreparedDocument[] = [];
  let { failure } = read;
  for (const document of read.documents) {
    if (seen.has(document.documentId)) {
      const repeated = new RAGError(
        'DOCUMENT_DUPLICATE_ID',
        `Two documents are called "${document.externalId}"; the first one was kept.`,
      );
      run.of(read.item.id).fail({
        source: read.source,
        item: document.externalId,
        reason: repeated.reason,
        message: repeated.message,
      });
      failure ??= repeated;
    } else {
      seen.add(document.documentId);
      documents.push(document);
    }
  }
  return { ...read, documents, failure };
}

/** An item as its source gave it, or why it could not. */
export interface RawItem {
  readonly item: ItemAsRead;
  readonly result: ReadResult | RAGError;
}

/** Reads one item; what goes wrong with it is part of the result, a cancellation is thrown. */
export async function readItem(item: SourceItem, { configured, targets }: SourceTask): Promise<RawItem> {
  throwIfAborted(targets.signal);
  try {
    const result = await configured.source.read(item, targets.signal);
    const { version = item.version } = result;
    // Else what was listed, changed, read and changed back would count as read as it was listed.
    return {
      item: version === item.version ? item : { ...item, version, listedVersion: item.version },
      result,
    };
  } catch (error) {
    const failure = toRAGError(error, 'DOCUMENT_UNREADABLE', `"${item.id}" could not be read.`);
    if (failure.reason === 'ABORTED') throw failure;
    return { item, result: failure };
  }
}

/** A listing of changes does not name again what it named as gone, so nothing else would ever end the failure. What is handed in is no source's to lose. */
const isGoneForGood = ({ reason }: RAGError, { listChanges, itemIds }: Source): boolean =>
  reason === 'DOCUMENT_VANISHED' && listChanges !== undefined && itemIds === undefined;

/** Reports what was forgotten on purpose and is left out: a program that pushes it is told, a source is counted. */
export function leaveOut(itemId: string, externalId: string, { configured, run, isPush }: SourceTask): void {
  const source = configured.source.name;
  const tally = run.of(itemId);
  if (isPush !== true) {
    tally.leaveOut(source);
    return;
  }
  tally.fail({
    source,
    item: externalId,
    reason: 'DOCUMENT_FORGOTTEN',
    message:
      'It was forgotten on purpose and is left out. `ragstone forget --undo RECEIPT` lets in again what a receipt names.',
  });
}

/** Parses, chunks and analyses what was read; why a document cannot be processed is part of the result, a cancellation is thrown. */
export async function prepareItem(
  { item, result }: RawItem,
  task: SourceTask,
  preparer: Preparer,
): Promise<PreparedItem> {
  if (RAGError.isInstance(result)) {
    if (isGoneForGood(result, task.configured.source)) return { ...NOTHING, item, isGone: true };
    return { ...NOTHING, item, failures: new Map([[item.id, result]]) };
  }
  const failures = new Map<string, RAGError>();
  const order = preparationOrder(task);
  const { ownMediaTypes } = task.configured;
  const documents: PreparedDocument[] = [];
  const isBlocked = (externalId: string): boolean => task.blocked?.hasDocument(externalId) === true;
  for (const { externalId, error } of result.failures)
    if (!isBlocked(externalId)) failures.set(externalId, error);
  for (const raw of result.documents) {
    if (isBlocked(raw.externalId)) {
      leaveOut(item.id, raw.externalId, task);
      continue;
    }
    try {
      const isOwn = ownMediaTypes?.has(raw.mediaType) === true;
      documents.push(await preparer.prepare(raw, isOwn ? { ...order, recipe: undefined } : order));
    } catch (error) {
      const failure = toRAGError(error, 'DOCUMENT_INVALID', `"${raw.externalId}" could not be processed.`);
      if (failure.reason === 'ABORTED') throw failure;
      failures.set(raw.externalId, failure);
    }
  }
  return { item, documents, failures, isRead: true, notices: result.notices ?? [] };
}

/** Reports what became of an item, in the order of the listing, and finds what it no longer holds. */
export async function settleItem(prepared: PreparedItem, task: SourceTask): Promise<ItemRead> {
  const { configured, targets, options, run } = task;
  const { item, documents, failures, isRead, notices } = prepared;
  const source = configured.source.name;
  const tally = run.of(item.id);
  const report = (externalId: string, error: RAGError): void =>
    tally.fail({ source, item: externalId, reason: error.reason, message: error.message });
  for (const notice of notices) tally.notice(notice);
  for (const [externalId, error] of failures) report(externalId, error);
  const shortcomings = documents.flatMap(({ externalId, shortcoming }) => {
    if (shortcoming !== undefined) report(externalId, shortcoming);
    return shortcoming ?? [];
  });
  for (const { externalId, warnings, redactions, unread } of documents) {
    tally.countRedactions(source, redactions);
    if (unread !== undefined) tally.countUnread(source, externalId, unread);
    for (const warning of warnings) tally.notice(`${externalId}: ${warning}`);
  }
  const failure = [...failures.values(), ...shortcomings][0];
  if (!isRead) return { item, source, documents, gone: [], unfinished: [], failure };
  const known = await targets.ledger.documentsOfItems(options.scope.tenant, source, [item.id]);
  const unfinished = known.filter(({ status }) => status !== 'indexed');
  return { item, source, documents, gone: goneDocuments(known, documents, failures), unfinished, failure };
}

/**
 * Documents that an item no longer holds. One that failed is still there, and a failure that is of no known document (a file
 * cut short, a line without a readable id) may be any of them: then none is gone, and what was indexed before stays.
 */
function goneDocuments(
  known: readonly LedgerDocument[],
  documents: readonly PreparedDocument[],
  failed: ReadonlyMap<string, RAGError>,
): LedgerDocument[] {
  const names = new Set(known.map(({ externalId }) => externalId));
  if ([...failed.keys()].some((externalId) => !names.has(externalId))) return [];
  const kept = new Set([...documents.map(({ externalId }) => externalId), ...failed.keys()]);
  return known.filter(({ externalId }) => !kept.has(externalId));
}

function preparationOrder(task: SourceTask): PreparationOrder {
  const { configured, options, run, targets, contextualiser } = task;
  return {
    scope: options.scope,
    source: configured.source.name,
    sourceType: configured.sourceType,
    sourceMetadata: configured.metadata,
    ...configured.preparation,
    recipe: configured.recipe,
    modelFolder: targets.embedder.modelFolder,
    contextualise:
      contextualiser &&
      (async (given, spans) => {
        const document = { ...given, owner: cacheOwner(options.scope) };
        if (!options.dryRun) return contextualiser.contextualise(document, spans, targets.signal);
        run.addContexts(await contextualiser.estimate(document, spans));
        return { spans };
      }),
    timed: run.timed,
    timedAsync: (stage, work) => run.timedAsync(stage, work),
    addTimes: (times) => run.addTimes(times),
  };
}
