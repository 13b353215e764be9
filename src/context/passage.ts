import type { StoredChunk } from '../core/chunk.js';
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
export function offsetsOf({ metadata, content }: StoredChunk): TextRange {
  const range = rangeOf(metadata.offsets);
  return range ?? { start: 0, end: content.length };
}

/** 1-based, inclusive; the first line where the chunk does not say. */
export const linesOf = ({ metadata }: StoredChunk): LineRange =>
  rangeOf(metadata.lines) ?? { start: 1, end: 1 };

function rangeOf(value: MetadataValue | undefined): { start: number; end: number } | undefined {
  if (typeof value !== 'object' || value === null || !('start' in value) || !('end' in value))
    return undefined;
  const { start, end } = value;
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : undefined;
}

export const textOf = (value: MetadataValue | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const headingPathOf = ({ metadata }: StoredChunk): readonly string[] =>
  Array.isArray(metadata.headingPath) ? metadata.headingPath.map(String) : [];

export const revisionOf = ({ metadata }: StoredChunk): string => textOf(metadata.revision) ?? '';

/** Source code: its lines are not prose. */
export const isCode = ({ metadata }: StoredChunk): boolean => metadata.symbols !== undefined;

/** The exact text of chunks of one revision, joined where they overlap or touch. */
export function piecesOf(chunks: readonly StoredChunk[]): ContextPiece[] {
  const sorted = [...chunks].sort((a, b) => offsetsOf(a).start - offsetsOf(b).start);
  const pieces: { start: number; end: number; text: string }[] = [];
  for (const chunk of sorted) {
    const { start, end } = offsetsOf(chunk);
    const last = pieces.at(-1);
    if (last !== undefined && start <= last.end) {
      if (end > last.end) {
        last.text += chunk.content.slice(last.end - start);
        last.end = end;
      }
    } else pieces.push({ start, end, text: chunk.content });
  }
  return pieces;
}

/** Lines that pieces of a document stand on, told from a chunk that covers or precedes them. */
export function linesOfPieces(chunks: readonly StoredChunk[], pieces: readonly ContextPiece[]): LineRange {
  const first = pieces[0];
  const last = pieces.at(-1);
  if (first === undefined || last === undefined) return { start: 1, end: 1 };
  return { start: lineAt(chunks, first.start), end: lineAt(chunks, Math.max(first.start, last.end - 1)) };
}

/** Line of an offset of the stored text. */
export function lineAt(chunks: readonly StoredChunk[], offset: number): number {
  for (const chunk of chunks) {
    const { start, end } = offsetsOf(chunk);
    if (offset < start || offset >= end) continue;
    const before = chunk.content.slice(0, offset - start);
    return linesOf(chunk).start + (before.match(/\r\n|\n|\r/g)?.length ?? 0);
  }
  return chunks[0] === undefined ? 1 : linesOf(chunks[0]).start;
}
