import { ageMs } from '../core/age.js';
import type { StoredChunk } from '../core/chunk.js';
import { runtime } from '../core/runtime.js';
import { PART_CHUNKS, packChunks } from '../ledger/history/retained-chunks.js';
import type { Generation, Ledger } from '../ledger/ledger.js';
import { storedDigest } from '../resources/chunk-digests.js';
import { readHeld } from './carry-over.js';
import type { IndexRun } from './index-run.js';
import type { WriteTargets } from './write-batch.js';

const PAGE = 200;
/** Versions that one run deletes because they are too old, at most: the next run goes on. */
const PRUNED_A_RUN = 20_000;
const PRUNED_AT_ONCE = 500;

/** How history is kept, or why it is not. */
export interface HistoryKeeping {
  readonly ledger: Ledger;
  readonly facts: Generation;
  /** `rag.history.keep`. */
  readonly keep: string | undefined;
  /** A push only deletes what is too old. */
  readonly isPush: boolean;
}

/**
 * Brings the history in step with its setting, at the end of a run over the live generation: what is too old goes; where the record has not
 * begun, what the index holds is written down, and it begins. Without the setting all of it is deleted.
 */
export async function keepHistory(
  { ledger, facts, keep, isPush }: HistoryKeeping,
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  const { history } = ledger;
  if (history === undefined) return;
  if (keep === undefined) {
    if (isPush || (await history.isEmpty())) return;
    await history.clear();
    run.notice('The history of the index is deleted: `rag.history.keep` does not keep any.');
    return;
  }
  if (facts.state !== 'live') return;
  if (!isPush && (await history.begins()) === undefined)
    await beginHistory({ ledger, facts, keep, isPush }, targets, run);
  await prune(history, keep, run);
}

async function prune(history: NonNullable<Ledger['history']>, keep: string, run: IndexRun): Promise<void> {
  const before = runtime().now() - ageMs(keep);
  for (let pruned = 0; pruned < PRUNED_A_RUN; ) {
    run.checkAborted();
    const deleted = await run.timedAsync('history', () => history.prune(before, PRUNED_AT_ONCE));
    pruned += deleted;
    if (deleted < PRUNED_AT_ONCE) return;
  }
}

/** Of documents that were indexed before history was kept, what the store and the ledger hold is written down. */
async function beginHistory(
  { ledger, facts }: HistoryKeeping,
  targets: WriteTargets,
  run: IndexRun,
): Promise<void> {
  const { history: writer } = targets.ledger;
  const { history } = ledger;
  if (writer === undefined || history === undefined) return;
  const from = { facts, reader: targets.ledger, collection: targets.collection };
  let left = 0;
  for (let after: string | undefined; ; ) {
    const page = await writer.unrecorded(after, PAGE);
    for (const documentId of page) {
      run.checkAborted();
      const isRecorded = await run.timedAsync('history', () => recordHeld(documentId, from, targets));
      if (!isRecorded) left++;
    }
    if (page.length < PAGE) break;
    after = page.at(-1);
    await targets.giveWay?.();
  }
  const isBegun = left === 0 && (await history.begin(runtime().now()));
  run.notice(
    isBegun
      ? 'History begins now: searches can be asked what the index holds from this moment on (`asOf`).'
      : `History has not begun: ${left === 1 ? 'a document is' : `${left} documents are`} being written, or cannot be read back from the store. The next run tries again; \`ragstone verify\` says what is wrong with them.`,
  );
}

async function recordHeld(
  documentId: string,
  from: Parameters<typeof readHeld>[1],
  { ledger, signal }: WriteTargets,
): Promise<boolean> {
  const document = await ledger.document(documentId);
  if (document?.indexedAt === undefined || document.status !== 'indexed') return false;
  const held = await readHeld(document, from, { signal });
  if (held === undefined) return false;
  const isAsRecorded = (chunk: StoredChunk): boolean =>
    held.digests.get(chunk.id)?.startsWith(storedDigest(chunk)) === true;
  if (!held.chunks.every(isAsRecorded)) return false;
  const kept = held.chunks.map((chunk, index) => {
    const { indexedText = chunk.content, searchText = '' } = held.rebuilt[index] ?? {};
    return { ...chunk, searchText, indexedText };
  });
  const parts = Array.from({ length: Math.ceil(kept.length / PART_CHUNKS) }, (_, place) =>
    packChunks(kept.slice(place * PART_CHUNKS, (place + 1) * PART_CHUNKS)),
  );
  const recorded = await ledger.history?.record(
    { documentId, indexedAt: document.indexedAt },
    { access: held.chunks[0]?.access, parts },
    runtime().now(),
  );
  return recorded === true;
}
