import type { TextRange } from '../../core/document.js';
import { partitionPoint } from '../../core/partition-point.js';

/** Where the characters of a block's content stand in the text it was read from. */
export interface Places {
  readonly at: (offset: number) => number;
  /** The place behind the character before the offset. */
  readonly endAt: (offset: number) => number;
  /** Behind the last character. */
  readonly end: number;
}

interface Stretch {
  readonly content: number;
  readonly source: number;
  readonly length: number;
}

/** The lines of a text, and the way back from what a parser made of them. */
export class SourceLines {
  readonly #text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  /** From the first of these lines to the last, without its line end. */
  rangeOf([first, end]: readonly [number, number]): TextRange {
    const start = this.#starts[first] ?? this.#text.length;
    return { start, end: Math.max(start, (this.#starts[end] ?? this.#text.length + 1) - 1) };
  }

  /**
   * Places of a paragraph's or a heading's content. A line of it is the end of its source line, without the marks and blanks
   * before it. Undefined where it is not.
   */
  placesOf(content: string, firstLine: number): Places | undefined {
    const stretches: Stretch[] = [];
    let contentStart = 0;
    for (const [index, line] of content.split('\n').entries()) {
      const blanks = /^[ \t]*/.exec(line)?.[0].length ?? 0;
      const { start, end } = this.rangeOf([firstLine + index, firstLine + index + 1]);
      const at = this.#text.slice(start, end).lastIndexOf(line.slice(blanks));
      if (at < 0) return undefined;
      stretches.push({ content: contentStart + blanks, source: start + at, length: line.length - blanks });
      contentStart += line.length + 1;
    }
    return placesFrom(stretches);
  }

  /** Places of a cell's content, the first at or behind `from`. */
  placesInLine(content: string, line: number, from: number): Places | undefined {
    const { start, end } = this.rangeOf([line, line + 1]);
    const source = Math.max(start, from);
    const at = this.#text.slice(source, end).indexOf(content);
    return at < 0 ? undefined : placesFrom([{ content: 0, source: source + at, length: content.length }]);
  }
}

function placesFrom(stretches: readonly Stretch[]): Places {
  const at = (offset: number): number => {
    const begun = partitionPoint(stretches.length, (index) => (stretches[index]?.content ?? 0) <= offset);
    const { content = 0, source = 0, length = 0 } = stretches[Math.max(0, begun - 1)] ?? {};
    return source + Math.min(length, Math.max(0, offset - content));
  };
  const last = stretches.at(-1);
  return {
    at,
    endAt: (offset) => at(offset - 1) + 1,
    end: last === undefined ? 0 : last.source + last.length,
  };
}
