import type { Block, BlockKind, TextRange } from '../core/document.js';
import { boundRepeated, MAX_REPEATED_LENGTH, startOfLine, trimRange } from './text-range.js';

/** A structural piece of Markdown, as 0-based lines `[startLine, endLine)`. */
export interface LineBlock {
  readonly kind: BlockKind;
  readonly startLine: number;
  readonly endLine: number;
  /** Level of a heading. */
  readonly level?: number;
  /** Markdown of a heading's text. */
  readonly headingSource?: string;
  /** Lines that open the block and are repeated where it is divided: a fence, a table's header and rule. */
  readonly openingLines?: number;
}

/**
 * Lines to offsets: text that no piece claims becomes a paragraph, so that only white space is left between blocks.
 *
 * @param source the text whose lines are meant
 * @param base offset of that text in the document
 */
export function toBlocks(source: string, pieces: readonly LineBlock[], base: number): Block[] {
  const lineStarts = offsetsOfLines(source);
  const offsetOf = (line: number): number => lineStarts[line] ?? source.length;
  const blocks: Block[] = [];
  let covered = 0;
  for (const piece of pieces) {
    const start = Math.max(offsetOf(piece.startLine), covered);
    const end = Math.max(offsetOf(piece.endLine), start);
    blocks.push(...asParagraph(source, { start: covered, end: start }));
    blocks.push(...toBlock(source, piece, { start, end }));
    covered = end;
  }
  blocks.push(...asParagraph(source, { start: covered, end: source.length }));
  return base === 0 ? blocks : blocks.map((block) => moveBlock(block, base));
}

function offsetsOfLines(source: string): number[] {
  const starts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function asParagraph(source: string, range: TextRange): Block[] {
  const trimmed = trimRange(source, range);
  return trimmed === undefined ? [] : [{ kind: 'paragraph', ...trimmed }];
}

function toBlock(source: string, piece: LineBlock, lines: TextRange): Block[] {
  const range = trimRange(source, lines);
  if (range === undefined) return [];
  const { kind, openingLines = 0 } = piece;
  // Indentation carries meaning in code and lists, so they start where their first line starts.
  const start = kind === 'code' || kind === 'list' ? startOfLine(source, range.start) : range.start;
  const block: Block = { kind, start, end: range.end };
  if (kind === 'heading')
    return [{ ...block, level: piece.level ?? 1, label: headingLabel(piece.headingSource ?? '') }];
  return [openingLines === 0 ? block : withOpening(source, block, openingLines)];
}

/** Enough source for a label of the longest length, markup and link targets included; bounds the work below. */
const MAX_LABEL_SOURCE = 8 * MAX_REPEATED_LENGTH;

const LABEL_REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  // A trailing anchor: `## Name {#anchor}`.
  [/\s*\{#[^{}]*\}\s*$/, ''],
  // Images and links keep their text; a reference link has its target elsewhere.
  [/!?\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g, '$1'],
  [/<\/?[A-Za-z][^<>]*>/g, ''],
  [/`+([^`]*)`+/g, '$1'],
  [/(\*\*\*|\*\*|\*|~~)(?=\S)([^*~]*\S)\1/g, '$2'],
  // Underscores are markup only around whole words: `snake_case` stays.
  [/(?<![\p{L}\p{N}_])(___|__|_)(?=[^\s_])([^_]*[^\s_])\1(?![\p{L}\p{N}_])/gu, '$2'],
  [/\\([!-/:-@[-`{-~])/g, '$1'],
  [/\s+/g, ' '],
];

/** Heading text as a person reads it: markup stripped simply, white space collapsed, length bounded. */
function headingLabel(source: string): string {
  let label = source.slice(0, MAX_LABEL_SOURCE);
  for (const [pattern, replacement] of LABEL_REPLACEMENTS) label = label.replace(pattern, replacement);
  return boundRepeated(label.trim());
}

/** The first lines open the block: they are its context, and its body starts below them. */
function withOpening(source: string, block: Block, openingLines: number): Block {
  let bodyStart = block.start;
  for (let line = 0; line < openingLines; line += 1) {
    const lineEnd = source.indexOf('\n', bodyStart);
    if (lineEnd < 0 || lineEnd >= block.end) return block;
    bodyStart = lineEnd + 1;
  }
  const lines = source.slice(block.start, bodyStart).split('\n', openingLines);
  return { ...block, context: lines.map(contextLine).join('\n'), bodyStart };
}

/** Padding and the dashes of a rule row say nothing and would be repeated with every chunk of the table. */
export const contextLine = (line: string): string =>
  boundRepeated(
    line
      .trimEnd()
      .replace(/[ \t]{2,}/g, ' ')
      .replace(/-{4,}/g, '---'),
  );

function moveBlock(block: Block, by: number): Block {
  const moved = { ...block, start: block.start + by, end: block.end + by };
  return block.bodyStart === undefined ? moved : { ...moved, bodyStart: block.bodyStart + by };
}
