import type { StoredChunk } from '../core/chunk.js';
import { FIRST_LINE, linesOf, offsetsOf as statedOffsetsOf } from '../core/chunk-metadata.js';
import type { LineRange, TextRange } from '../core/document.js';
import type { MetadataValue } from '../core/metadata.js';
import type { ContextPiece } from './context-pack.js';

/** One or more chunks of a document that stand together in a pack. */
export interface Passage {
  readonly kind: 'passage' | 'summary';
  /** In document order; the first says what the passage is called. */
  readonly chunks: readonly StoredChunk[];
  readonly pieces: readonly ContextPiece[];
  /** Of the best chunk. */
  readonly score: number;
  readonly isCompressed: boolean;
  readonly isExpanded: boolean;
}

/** Offsets of a chunk in its stored revision; a chunk from elsewhere counts from 0. */
export const offsetsOf = (chunk: StoredChunk): TextRange =>
  statedOffsetsOf(chunk) ?? { start: 0, end: chunk.content.length };

export const textOf = (value: MetadataValue | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const revisionOf = ({ metadata }: StoredChunk): string => textOf(metadata.revision) ?? '';

/** Whether the text of a chunk holds that of another. */
export function covers(outer: StoredChunk, inner: StoredChunk): boolean {
  if (outer.documentId !== inner.documentId) return false;
  const a = offsetsOf(outer);
  const b = offsetsOf(inner);
  return a.start <= b.start && b.end <= a.end;
}

/** The exact text of chunks of one revision, joined where they overlap or touch. */
export function piecesOf(chunks: readonly StoredChunk[]): ContextPiece[] {
  const sorted = [...chunks].sort((a, b) => offsetsOf(a).start - offsetsOf(b).start);
  const pieces: { start: number; end: number; text: string; line: number }[] = [];
  for (const chunk of sorted) {
    const { start, end } = offsetsOf(chunk);
    const last = pieces.at(-1);
    if (last !== undefined && start <= last.end) {
      if (end > last.end) {
        last.text += chunk.content.slice(last.end - start);
        last.end = end;
      }
    } else pieces.push({ start, end, text: chunk.content, line: (linesOf(chunk) ?? FIRST_LINE).start });
  }
  return pieces;
}

/** Lines that pieces stand on, first to last. */
export function linesOfPieces(pieces: readonly ContextPiece[]): LineRange {
  const first = pieces[0];
  const last = pieces.at(-1);
  if (first === undefined || last === undefined) return FIRST_LINE;
  return { start: first.line, end: last.line + newlinesIn(last.text.trimEnd()) };
}

/** Line ends of a text. */
export const newlinesIn = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

/** A part of a piece. */
export function sliceOf(piece: ContextPiece, { start, end }: TextRange): ContextPiece {
  const before = piece.text.slice(0, start);
  return {
    start: piece.start + start,
    end: piece.start + end,
    text: piece.text.slice(start, end),
    line: piece.line + newlinesIn(before),
  };
}
