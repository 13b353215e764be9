import type { TextRange } from '../../../../core/document.js';
import { matchAt } from '../detection.js';
import { type LabelFrame, labelFrame } from './label-frame.js';
import { type SecretLabel, secretAlone, secretInCell } from './secret-values.js';
import { TableColumns } from './table-columns.js';
import { pipeCells } from './table-rows.js';

/** From the end of a label's line to the next thing that is written: blank lines, an underline, a fence, a bullet. */
const TO_NEXT_LINE =
  /\\?(?:\r?\n[ \t]*){1,3}((?:[=~^"-]{3,}[ \t]*(?:\r?\n[ \t]*){1,2})?)(?:(?:`{3,}|~{3,})[\w-]{0,20}[ \t]*\r?\n[ \t]*)?((?:[-*+>:]|\d{1,3}[.)])[ \t]+)?/y;
/** `name: DB_PASSWORD` and the value that is named so. */
const NAMED_VALUE = /,?[ \t]*(?:\r?\n[ \t]*)?["']?(?:(?:default[_-]?)?value|default)["']?[ \t]?[:=][ \t]?/iy;
/** Tags between a label and its value, of which one ends what the label stands in. */
const TAGS = /(?:\s*<\/?[a-z][^<>]{0,300}>){1,10}\s*/iy;
const ENDS_LABEL = /<\/(?:td|th|dt|dd|h\d|p|div|li|label|key|summary|caption)\b|<br\b/i;
/** The style of a block scalar of YAML and the end of its line. */
const BLOCK_SCALAR = /[|>][-+\d]{0,2}[ \t]*(?:#[^\r\n]{0,100})?\r?\n/y;
/** Lines of a scalar: no key has more. */
const MOST_LINES = 64;
const CELL_END = /(?<!\\)\||[\r\n]/;
const PAIR = /[,;\t](?=\S)([^,;\t\r\n]{1,512})$/my;

/** What stands under names of secrets or in the next cell: below a heading of a column or section, below a label, in a block of YAML. */
export class SecretsBelowLabels {
  readonly #text: string;
  readonly #columns: TableColumns;

  constructor(text: string) {
    this.#text = text;
    this.#columns = new TableColumns(text);
  }

  /** Secrets of a name that stands alone in its line or cell; those of a column all at once. */
  *find(name: TextRange, isPassword: boolean): Generator<TextRange> {
    const frame = labelFrame(this.#text, name);
    if (frame === undefined) return;
    yield* this.#below(frame, { isPassword, isBare: false });
    for (const cell of this.#columns.under(frame)) {
      const secret = secretInCell(this.#text, cell, { isPassword, isBare: false });
      if (secret !== undefined) yield secret;
    }
  }

  #below(frame: LabelFrame, label: SecretLabel): readonly TextRange[] {
    const text = this.#text;
    const { end } = frame;
    const named = matchAt(NAMED_VALUE, text, end);
    if (named !== null) return listOf(this.#upTo(/[,}\r\n]/, end + named[0].length, label));
    switch (text[end]) {
      case '|': {
        const block = this.#blockScalar(frame, label);
        return block === undefined ? this.#nextCells(frame, label) : [block];
      }
      case '>':
        return listOf(this.#blockScalar(frame, label));
      case '<':
        return listOf(this.#behindTags(end, label));
      case ',':
      case ';':
      case '\t':
        return listOf(this.#pair(frame, label));
      default:
        return listOf(this.#nextLine(frame, label));
    }
  }

  /** The next cell; all cells where every one of the row is a secret. */
  #nextCells({ before, end }: LabelFrame, label: SecretLabel): readonly TextRange[] {
    if (!'\n|'.includes(before)) return [];
    const first = this.#upTo(CELL_END, end + 1, label);
    if (first === undefined) return [];
    const bar = endOf(this.#text, first.end, CELL_END);
    const rest = pipeCells(this.#text, bar, endOf(this.#text, bar, /[\r\n]/)).filter(
      (cell) => this.#text.slice(cell.start, cell.end).trim() !== '',
    );
    const others = rest.flatMap((cell) => listOf(secretAlone(this.#text, cell, label)));
    return [first, ...(others.length === rest.length ? others : [])];
  }

  #pair({ before, end }: LabelFrame, label: SecretLabel): TextRange | undefined {
    const pair = '\n'.includes(before) ? matchAt(PAIR, this.#text, end) : null;
    if (pair === null) return undefined;
    return secretAlone(this.#text, { start: end + 1, end: end + pair[0].length }, label);
  }

  #behindTags(at: number, label: SecretLabel): TextRange | undefined {
    const tags = matchAt(TAGS, this.#text, at);
    if (tags === null || !ENDS_LABEL.test(tags[0])) return undefined;
    return this.#upTo(/[<\r\n]/, at + tags[0].length, label);
  }

  #nextLine(
    { start, end, before, isMarked }: LabelFrame,
    { isPassword }: SecretLabel,
  ): TextRange | undefined {
    const between = matchAt(TO_NEXT_LINE, this.#text, end);
    // The last of several headings of columns is no label of the next line.
    if (between === null || (',;\t|'.includes(before) && before !== '' && !isMarked)) return undefined;
    const [whole, underline, bullet = ''] = between;
    const lineBreak = whole.lastIndexOf('\n');
    const label = this.#text.slice(start, end);
    const isDeeper = bullet === '' && whole.length - 1 - lineBreak > label.length - label.trimStart().length;
    const isBare = !(isMarked || isDeeper || underline !== '' || bullet.startsWith(':'));
    return this.#upTo(/[\r\n]/, end + whole.length, { isPassword, isBare });
  }

  #upTo(stop: RegExp, start: number, label: SecretLabel): TextRange | undefined {
    return secretAlone(this.#text, { start, end: endOf(this.#text, start, stop) }, label);
  }

  /** The first line tells; the lines that go on are parts of the same value. */
  #blockScalar({ start, end, isMarked }: LabelFrame, label: SecretLabel): TextRange | undefined {
    const text = this.#text;
    const head = isMarked ? matchAt(BLOCK_SCALAR, text, end) : null;
    if (head === null) return undefined;
    const indent = indentOf(text.slice(start, start + LINE_REACH));
    let at = end + head[0].length;
    let secret: TextRange | undefined;
    for (let count = 0; count < MOST_LINES; count += 1) {
      const stop = endOf(text, at, /[\r\n]/);
      const line = text.slice(at, stop);
      if (indentOf(line) <= indent || !/^\s+\S+\s*$/.test(line)) break;
      secret ??= secretAlone(text, { start: at, end: stop }, label);
      if (secret === undefined) break;
      secret = { start: secret.start, end: Math.max(secret.end, at + line.trimEnd().length) };
      at = text.indexOf('\n', stop) + 1;
      if (at === 0) break;
    }
    return secret;
  }
}

/** Characters of a line that are looked at: nothing longer is a secret in a cell. */
const LINE_REACH = 600;

const listOf = (secret: TextRange | undefined): readonly TextRange[] =>
  secret === undefined ? [] : [secret];

const indentOf = (line: string): number => /^[ \t]*(?:- +)*/.exec(line)?.[0].length ?? 0;

/** Where the first of some characters is, at most so far away. */
function endOf(text: string, from: number, stop: RegExp): number {
  const window = text.slice(from, from + LINE_REACH);
  const at = window.search(stop);
  return from + (at < 0 ? window.length : at);
}
