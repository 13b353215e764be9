import type { ParsedDocument } from '../core/document.js';
import { type LineBlock, toBlocks } from './line-blocks.js';

/** A row of a table, on one line. */
export interface TableRow {
  /** 0-based line that the row begins on. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Markdown that is written line for line beside a text in another markup: what stands on a line there stands on the same
 * line here, so that lines of citations are lines of the file. What says nothing leaves its lines empty.
 */
export class MarkdownLines {
  readonly #lines: string[];
  readonly #blocks: LineBlock[] = [];

  constructor(length: number) {
    this.#lines = Array.from({ length }, () => '');
  }

  /** What was written; the title is the first heading of level 1. */
  toDocument(warnings: readonly string[]): ParsedDocument {
    const text = this.#lines.join('\n');
    const blocks = toBlocks(text, this.#blocks, 0);
    const title = blocks.find(({ kind, level }) => kind === 'heading' && level === 1)?.label ?? '';
    return { text, blocks, ...(title === '' ? {} : { title }), metadata: {}, warnings };
  }

  isEmpty(line: number): boolean {
    return this.#lines[line] === '';
  }

  /** The line behind one, or behind the fence that closes code above it. */
  behind(line: number): number {
    return line >= this.#lines.length || this.isEmpty(line) ? line : line + 1;
  }

  write(line: number, text: string, prefix = ''): void {
    this.#lines[line] = text === '' ? '' : prefix + text;
  }

  /** Puts the mark of an item in place of the indentation of its first line. */
  mark(line: number, prefix: string, marker: string): void {
    const text = this.#lines[line] ?? '';
    this.#lines[line] = `${prefix}${marker} ${text.slice(prefix.length + marker.length + 1)}`.trimEnd();
  }

  /** What is inside of a list belongs to the block of the list, so that nothing in it is one. */
  add(block: LineBlock, prefix: string): void {
    if (prefix === '') this.#blocks.push(block);
  }

  heading(line: number, level: number, text: string): void {
    this.write(line, `${'#'.repeat(level)} ${text.replace(/\s+/g, ' ')}`);
    this.add({ kind: 'heading', startLine: line, endLine: line + 1, level, headingSource: text }, '');
  }

  /**
   * Code between fences on the empty lines around it; where there are none, indented.
   *
   * @param code lines from the first to the last one with text, without common indentation
   */
  code(
    start: number,
    code: readonly string[],
    { language, prefix }: { language: string; prefix: string },
  ): void {
    const end = start + code.length;
    if (end === this.#lines.length) this.#lines.push('');
    const isFenced = start > 0 && this.isEmpty(start - 1) && this.isEmpty(end);
    const indentation = isFenced ? prefix : `${prefix}    `;
    for (const [at, line] of code.entries()) this.write(start + at, line, indentation);
    if (isFenced) {
      const fence = fenceAround(code);
      this.write(start - 1, fence + language, prefix);
      this.write(end, fence, prefix);
      this.add({ kind: 'code', startLine: start - 1, endLine: end + 1, openingLines: 1 }, prefix);
    } else this.add({ kind: 'code', startLine: start, endLine: end }, prefix);
  }

  /** @param hasHead the first row is a header: its rule stands on a free line below it, or it moves to one above. */
  table(
    rows: readonly TableRow[],
    end: number,
    { hasHead, prefix }: { hasHead: boolean; prefix: string },
  ): void {
    const [head] = rows;
    if (head === undefined) return;
    for (const { line, cells } of rows) this.write(line, rowOf(cells), prefix);
    const above = head.line - 1;
    const isRuledBelow = head.line + 1 < end && this.isEmpty(head.line + 1);
    const isHeaded = hasHead && (isRuledBelow || this.isEmpty(above));
    const startLine = isHeaded && !isRuledBelow ? above : head.line;
    if (isHeaded) {
      this.write(startLine, rowOf(head.cells), prefix);
      this.write(startLine + 1, rowOf(head.cells.map(() => '---')), prefix);
    }
    this.add({ kind: 'table', startLine, endLine: end, ...(isHeaded ? { openingLines: 2 } : {}) }, prefix);
  }
}

const rowOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replace(/\s+/g, ' ').replace(/\\?\|/g, '\\|').trim()).join(' | ')} |`;

/** A fence that no line of the code closes. */
function fenceAround(code: readonly string[]): string {
  const longest = code.reduce((most, line) => Math.max(most, /^\s*(`{3,})/.exec(line)?.[1]?.length ?? 2), 2);
  return '`'.repeat(longest + 1);
}
