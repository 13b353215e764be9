import { passageUnits } from '../core/analysis/passage-units.js';
import type { StoredChunk } from '../core/chunk.js';
import type { ContextPiece } from './context-pack.js';
import { isCode, offsetsOf, type Passage, piecesOf, revisionOf, sliceOf } from './passage.js';

/** Whether a text begins with rows of a table whose head stands before it. */
const beginsInTable = (text: string): boolean =>
  text.trimStart().startsWith('|') && passageUnits(text)[0]?.kind === 'table-row';

/** Whether a passage holds rows without the head of their table. */
export const lacksHead = ({ chunks, pieces: [piece] }: Passage): boolean =>
  piece !== undefined && chunks.every((chunk) => !isCode(chunk)) && beginsInTable(piece.text);

/**
 * A passage with the head of the table whose rows it begins with, as a piece of its own: a row says nothing without the names of its columns.
 *
 * @param siblings chunks of its document in order
 */
export function withHead(passage: Passage, siblings: readonly StoredChunk[]): Passage {
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
    const units = passageUnits(chunk.content);
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
