import { splitSentences } from '../core/analysis/boundaries.js';
import { passageUnits } from '../core/analysis/passage-units.js';
import type { StoredChunk } from '../core/chunk.js';
import { headingPathOf } from '../core/chunk-metadata.js';
import type { ContextOptions, ContextPiece, LoadDocumentChunks } from './context-pack.js';
import { covers, offsetsOf, type Passage, piecesOf, revisionOf, sliceOf } from './passage.js';

export interface ExpandOptions extends Pick<ContextOptions, 'signal'> {
  readonly neighbours: number;
  readonly sectionHits: number;
  readonly hierarchical: boolean;
  readonly load: LoadDocumentChunks;
  /** Whether so much text may be one passage; what may not stays as it was found. */
  readonly fits: (pieces: readonly ContextPiece[]) => boolean;
}

/** Sentences of a document's beginning that stand for it in hierarchical mode. */
const SUMMARY_SENTENCES = 2;

/**
 * Adds to passages what stands around them in their documents: neighbouring chunks; the rest of a section of which several
 * chunks were hit; the head of a table of which they hold rows; and, in hierarchical mode, the document's first sentences before its details. Passages of one document
 * that come to touch become one, at the rank of the better.
 */
export async function expandPassages(
  passages: readonly Passage[],
  options: ExpandOptions,
): Promise<Passage[]> {
  const documents = new Map<string, readonly StoredChunk[]>();
  for (const documentId of documentsToLoad(passages, options)) {
    documents.set(documentId, await options.load(documentId, options.signal));
  }
  const grown = passages.map((passage) => grow(passage, passages, documents, options));
  const merged = mergeTouching(grown).map((passage) => {
    const headed = withHead(passage, documents.get(passage.chunks[0]?.documentId ?? '') ?? []);
    return options.fits(headed.pieces) ? headed : passage;
  });
  return options.hierarchical ? withSummaries(merged, documents) : merged;
}

function documentsToLoad(passages: readonly Passage[], options: ExpandOptions): Set<string> {
  const wanted = passages.filter(
    (passage) =>
      options.hierarchical ||
      options.neighbours > 0 ||
      lacksHead(passage) ||
      isSectionWanted(passage, passages, options.sectionHits),
  );
  return new Set(wanted.flatMap(({ chunks: [first] }) => (first === undefined ? [] : [first.documentId])));
}

function isSectionWanted(passage: Passage, all: readonly Passage[], sectionHits: number): boolean {
  const [chunk] = passage.chunks;
  if (chunk === undefined || sectionHits < 1) return false;
  const hits = all.filter(({ chunks: [other] }) => other !== undefined && isSameSection(chunk, other));
  return hits.length >= sectionHits;
}

const isSameSection = (a: StoredChunk, b: StoredChunk): boolean =>
  a.documentId === b.documentId &&
  revisionOf(a) === revisionOf(b) &&
  JSON.stringify(headingPathOf(a)) === JSON.stringify(headingPathOf(b));

function grow(
  passage: Passage,
  all: readonly Passage[],
  documents: ReadonlyMap<string, readonly StoredChunk[]>,
  { neighbours, sectionHits, fits }: ExpandOptions,
): Passage {
  const [hit] = passage.chunks;
  const siblings = hit === undefined ? undefined : documents.get(hit.documentId);
  if (hit === undefined || siblings === undefined) return passage;
  // A document may have been indexed anew since it was searched; only the revision that was hit fits.
  const sameRevision = siblings.filter((chunk) => revisionOf(chunk) === revisionOf(hit));
  // The hit may be several chunks that were joined when they were found; then it stands for all of them.
  const isHit = (chunk: StoredChunk): boolean => covers(hit, chunk);
  const [first, last] = [sameRevision.findIndex(isHit), sameRevision.findLastIndex(isHit)];
  const near = first < 0 ? [] : sameRevision.slice(Math.max(0, first - neighbours), last + neighbours + 1);
  const section = isSectionWanted(passage, all, sectionHits)
    ? sameRevision.filter((chunk) => isSameSection(chunk, hit))
    : [];
  const chunks = unique([hit, ...[...near, ...section].filter((chunk) => !isHit(chunk))]);
  const pieces = piecesOf(chunks);
  if (chunks.length === 1 || !fits(pieces)) return passage;
  return { ...passage, chunks, pieces, isExpanded: true };
}

function unique(chunks: readonly StoredChunk[]): StoredChunk[] {
  const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
  return [...byId.values()].sort((a, b) => offsetsOf(a).start - offsetsOf(b).start);
}

function mergeTouching(passages: readonly Passage[]): Passage[] {
  const merged: Passage[] = [];
  for (const passage of passages) {
    const at = merged.findIndex((other) => shareChunk(other, passage));
    const other = merged[at];
    if (other === undefined) merged.push(passage);
    else {
      const chunks = unique([...other.chunks, ...passage.chunks]);
      merged[at] = { ...other, chunks, pieces: piecesOf(chunks), isExpanded: true };
    }
  }
  return merged;
}

const shareChunk = (a: Passage, b: Passage): boolean =>
  a.chunks.some(({ id }) => b.chunks.some((chunk) => chunk.id === id));

/** Before the first passage of each document its first sentences, unless a passage shows them anyway. */
function withSummaries(
  passages: readonly Passage[],
  documents: ReadonlyMap<string, readonly StoredChunk[]>,
): Passage[] {
  const seen = new Set<string>();
  return passages.flatMap((passage) => {
    const [hit] = passage.chunks;
    if (hit === undefined || seen.has(hit.documentId)) return [passage];
    seen.add(hit.documentId);
    const summary = summaryOf(hit, documents.get(hit.documentId) ?? [], passage.score);
    const isShown = passages.some(({ chunks }) => chunks.some(({ id }) => id === summary?.chunks[0]?.id));
    return summary === undefined || isShown ? [passage] : [summary, passage];
  });
}

function summaryOf(hit: StoredChunk, siblings: readonly StoredChunk[], score: number): Passage | undefined {
  const first = siblings.find((chunk) => revisionOf(chunk) === revisionOf(hit));
  if (first === undefined || first.content.trim() === '') return undefined;
  const { content } = first;
  const last = splitSentences(content, { start: 0, end: content.length })[SUMMARY_SENTENCES - 1];
  const end = last?.end ?? content.length;
  const pieces = piecesOf([first]).map((piece) => sliceOf(piece, { start: 0, end }));
  return {
    kind: 'summary',
    chunks: [first],
    pieces,
    score,
    isCompressed: end < content.length,
    isExpanded: false,
  };
}

/** Whether a passage begins with rows of a table whose head stands before it. */
const lacksHead = ({ chunks: [first], pieces: [piece] }: Passage): boolean =>
  piece !== undefined && passageUnits(piece.text, first?.metadata)[0]?.kind === 'table-row';

/**
 * A passage with the head of the table whose rows it begins with, as a piece of its own: a row says nothing without the names of its columns.
 *
 * @param siblings chunks of its document in order
 */
function withHead(passage: Passage, siblings: readonly StoredChunk[]): Passage {
  const [piece] = passage.pieces;
  const [hit] = passage.chunks;
  if (piece === undefined || hit === undefined || !lacksHead(passage)) return passage;
  const earlier = siblings.filter(
    (chunk) => revisionOf(chunk) === revisionOf(hit) && offsetsOf(chunk).start < piece.start,
  );
  const head = headBefore(piece, earlier);
  return head === undefined ? passage : { ...passage, pieces: [head, ...passage.pieces], isExpanded: true };
}

const MOST_BETWEEN = 4;

/** Walks back over chunks of the same rows; undefined where one is not there, or the table has no head. */
function headBefore(piece: ContextPiece, earlier: readonly StoredChunk[]): ContextPiece | undefined {
  let next = piece.start;
  for (const chunk of earlier.toReversed()) {
    const { start, end } = offsetsOf(chunk);
    // Nothing but the end of a line, or an empty one, is between two chunks of a table.
    if (end < next - MOST_BETWEEN) return undefined;
    const [whole] = piecesOf([chunk]);
    const units = passageUnits(chunk.content, chunk.metadata);
    const rows = units.slice(units.findLastIndex(({ kind }) => !kind.startsWith('table-')) + 1);
    const last = rows.findLastIndex(({ kind }) => kind === 'table-head');
    if (rows.length === 0) return undefined;
    if (last >= 0 && whole !== undefined) {
      const first = rows.findLastIndex(({ kind }, at) => at <= last && kind !== 'table-head') + 1;
      return sliceOf(whole, { start: rows[first]?.start ?? 0, end: rows[last]?.end ?? 0 });
    }
    if (rows.length < units.length) return undefined;
    next = start;
  }
  return undefined;
}
