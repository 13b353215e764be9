/** A row as it is drawn: a line of a text, or a part of a line that is longer than the page is wide. */
export interface Row {
  readonly start: number;
  readonly end: number;
  /** From 1; undefined for what goes on from the row before. */
  readonly line: number | undefined;
}

/** The rows of a text, found without a copy of it. Offsets are kept as numbers, so that a line of 50 MB costs a few. */
export class Rows {
  readonly #text: string;
  readonly #starts: number[] = [0];
  /** The line of each row; 0 for what goes on. */
  readonly #lines: number[] = [1];

  /** @param columns characters that one row holds */
  constructor(text: string, columns: number) {
    this.#text = text;
    const width = Math.max(1, columns);
    let line = 1;
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf('\n', at);
      const stop = end === -1 ? text.length : end;
      for (let cut = cutOf(text, at, width); cut < stop; cut = cutOf(text, cut, width)) {
        this.#starts.push(cut);
        this.#lines.push(0);
      }
      if (end === -1) break;
      at = end + 1;
      line += 1;
      this.#starts.push(at);
      this.#lines.push(line);
    }
  }

  get count(): number {
    return this.#starts.length;
  }

  at(index: number): Row {
    const start = this.#starts[index] ?? this.#text.length;
    const next = this.#starts[index + 1] ?? this.#text.length + 1;
    const endsLine = (this.#lines[index + 1] ?? 1) > 0;
    const line = this.#lines[index] ?? 0;
    return { start, end: endsLine ? next - 1 : next, line: line === 0 ? undefined : line };
  }

  /** The row that holds an offset of the text. */
  indexOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** A word longer than this is cut. */
const LONGEST_WORD = 24;
const SPACE = 32;

/** Where the row after that of an offset begins: behind a space where there is one, and in no character. */
function cutOf(text: string, from: number, width: number): number {
  const most = from + width;
  const least = Math.max(from + 1, most - LONGEST_WORD);
  // Not by `lastIndexOf`, which would go back to the beginning of a text without spaces, for each row.
  for (let at = most - 1; at >= least; at--) if (text.charCodeAt(at) === SPACE) return at + 1;
  return isLowSurrogate(text.charCodeAt(most)) && width > 1 ? most - 1 : most;
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** Where a line begins, from 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
