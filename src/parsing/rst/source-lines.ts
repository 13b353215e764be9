import type { Area } from './area.js';

const TAB = 8;

/** The lines of a document, with blanks for tabs and none at their ends. */
export class SourceLines {
  readonly #lines: string[];

  constructor(lines: readonly string[]) {
    this.#lines = lines.map((line) => expandTabs(line).trimEnd());
  }

  get all(): readonly string[] {
    return this.#lines;
  }

  /** A line without the indentation of its area. */
  at(area: Area, line: number): string {
    return line < area.to ? (this.#lines[line] ?? '').slice(area.indent) : '';
  }

  /** First line with text from a line on; the end of the area where there is none. */
  nextText({ to }: Area, from: number): number {
    let line = from;
    while (line < to && this.#lines[line] === '') line += 1;
    return line;
  }

  /** Line behind what is indented deeper than the area, from a line on, blank lines at its end left out. */
  bodyEnd(area: Area, from: number): number {
    let end = from;
    for (let line = from; line < area.to; line += 1) {
      const text = this.#lines[line] ?? '';
      if (text === '') continue;
      if (indentOf(text) <= area.indent) break;
      end = line + 1;
    }
    return end;
  }

  /** Least indentation of the lines with text. */
  indentation(from: number, to: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (let line = from; line < to; line += 1) {
      const text = this.#lines[line] ?? '';
      if (text !== '') least = Math.min(least, indentOf(text));
    }
    return Number.isFinite(least) ? least : 0;
  }

  /** Takes the mark off a line, so that its text stands at the indentation of what follows. */
  replace(line: number, indent: number, text: string): void {
    this.#lines[line] = text === '' ? '' : ' '.repeat(indent) + text;
  }
}

const indentOf = (line: string): number => line.search(/\S|$/);

function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let column = 0;
  return line.replace(/[^\t]+|\t/g, (part) => {
    const text = part === '\t' ? ' '.repeat(TAB - (column % TAB)) : part;
    column += text.length;
    return text;
  });
}
