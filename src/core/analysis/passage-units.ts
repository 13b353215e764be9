import type { TextRange } from '../document.js';
import type { Metadata } from '../metadata.js';
import { splitSentences } from './boundaries.js';

/** The least part of a passage that may be shown or dropped on its own. */
export interface PassageUnit extends TextRange {
  /** `definition`: where a link that stands elsewhere leads (`[guide]: guide.md`). Readers see none. `field`: a field of front matter, with what it holds. */
  readonly kind:
    | 'sentence'
    | 'list-item'
    | 'table-head'
    | 'table-row'
    | 'code-line'
    | 'fence'
    | 'heading'
    | 'definition'
    | 'field';
}

interface Line extends TextRange {
  readonly text: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*(\S*)/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
/** The line below a heading of one line; aligned columns above it are none. */
const UNDERLINE = /^ {0,3}(?:={2,}|-{2,})\s*$/;
const COLUMNS = /\S {2,}\S/;
const TABLE_ROW = /^\s*\|.*\|\s*$/;
const TABLE_RULE_CHARACTERS = /^\|[\s|:-]*\|$/;
const DEFINITION =
  /^ {0,3}\[(?!\^)[^[\]]{1,300}\]:\s*(?:<[^<>]{0,1000}>|[^\s<]\S{0,1000})\s*(?:"[^"]{0,300}"|'[^']{0,300}'|\([^()]{0,300}\))?\s*$/;
const LIST_ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+\S/;
const CODE_LINE =
  /[;{}]\s*$|^\s*(?:import|export|const|let|var|def|class|function|return|if|for|while|#include|public|private|fn|use)\b.*[;:{(]|\)\s*(?:=>|->)|^\s*[@#]?\w+\(.*\)\s*$/;

const FIELD = /^[\p{L}_][\p{L}\p{N}_. -]{0,60}:(?:\s|$)/u;
const MOST_FRONT_LINES = 200;

interface FrontMatter {
  readonly opens: RegExp;
  readonly closes: RegExp;
  readonly field: RegExp;
  /** Lines that hold no field: braces, the name of a table, a comment. */
  readonly bare?: RegExp;
  /** The closing line is part of what is read, so without text behind it is a file of its own. */
  readonly isOpen?: boolean;
}

const JSON_LINES = { field: /^\s*"[^"\n]{1,60}"\s*:/, bare: /^\s*[{}]\s*,?\s*$/ };
/** Front matter in YAML, TOML and JSON. */
const FRONT_MATTER: readonly FrontMatter[] = [
  { opens: /^---\s*$/, closes: /^---\s*$/, field: FIELD },
  {
    opens: /^(?:\+{3}|---\s*toml)\s*$/i,
    closes: /^(?:\+{3}|-{3})\s*$/,
    field: /^\s*["']?[\p{L}_][\p{L}\p{N}_. -]{0,60}["']?\s*=/u,
    bare: /^(?:\[{1,2}[^\]]*\]{1,2}|\s*#.*)\s*$/,
  },
  { opens: /^(?:;{3}|---\s*json)\s*$/i, closes: /^(?:;{3}|-{3})\s*$/, ...JSON_LINES },
  { opens: /^\{\s*$/, closes: /^\}\s*$/, isOpen: true, ...JSON_LINES },
];

/** In two looks, because one pattern for both takes the square of a long line. */
function isTableRule(line: string): boolean {
  const rule = line.trim();
  return TABLE_RULE_CHARACTERS.test(rule) && rule.includes('-');
}

/**
 * Cuts a passage into units in order: sentences of prose, and list items, table rows and lines of code as wholes. Every
 * character that is not white space belongs to exactly one unit. Linear time.
 *
 * @param metadata of its document, which tells source code and tables as text from prose.
 */
export function passageUnits(text: string, metadata: Metadata = {}): PassageUnit[] {
  const lines = linesOf(text);
  if (metadata.symbols !== undefined) return lines.flatMap((line) => unitOf(text, line, 'code-line'));
  const columns = columnsOf(metadata);
  if (columns !== undefined) return recordsOf(text, lines, columns);
  return new UnitReader(text, lines).read();
}

/** Names of the columns of a document in CSV or TSV; undefined for any other. */
export const columnsOf = ({ columns, rowCount }: Metadata): readonly string[] | undefined =>
  Array.isArray(columns) && typeof rowCount === 'number' ? columns.map(String) : undefined;

/** Records of CSV and TSV: the first one is the head where it holds the names of the columns. */
function recordsOf(text: string, lines: readonly Line[], columns: readonly string[]): PassageUnit[] {
  const records = joinedLines(lines).flatMap((range) => unitOf(text, range, 'table-row'));
  const [first, ...others] = records;
  if (first === undefined) return [];
  const names = text.slice(first.start, first.end).replaceAll('""', '"');
  return [
    { ...first, kind: columns.every((name) => names.includes(name)) ? 'table-head' : 'table-row' },
    ...others,
  ];
}

/** Lines of one record: a quoted field may hold line ends. Where a quotation mark never closes, each line is one. */
function joinedLines(lines: readonly Line[]): readonly TextRange[] {
  const records: TextRange[] = [];
  let start: number | undefined;
  for (const line of lines) {
    const isOpen = endsQuoted(line.text, start !== undefined);
    start ??= line.start;
    if (isOpen) continue;
    records.push({ start, end: line.end });
    start = undefined;
  }
  return start === undefined ? records : lines;
}

/** Whether a line ends inside of a quoted field. A mark opens one at its beginning alone; a doubled one closes and opens. */
function endsQuoted(line: string, isQuoted: boolean): boolean {
  let isOpen = isQuoted;
  for (const { index } of line.matchAll(/"/g))
    isOpen = !isOpen && (index === 0 || /[,;|\t"]/.test(line.charAt(index - 1)));
  return isOpen;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    lines.push({ start, end, text: text.slice(start, end).replace(/\r$/, '') });
    start = end + 1;
  }
  return lines;
}

function unitOf(text: string, { start, end }: TextRange, kind: PassageUnit['kind']): PassageUnit[] {
  let last = end;
  while (last > start && /\s/.test(text.charAt(last - 1))) last -= 1;
  let first = start;
  // The indentation of code and of list items is part of them.
  if (kind === 'sentence' || kind === 'heading' || kind === 'field') {
    while (first < last && /\s/.test(text.charAt(first))) first += 1;
  }
  return first < last ? [{ start: first, end: last, kind }] : [];
}

class UnitReader {
  readonly #text: string;
  readonly #lines: readonly Line[];
  readonly #units: PassageUnit[] = [];
  #at = 0;

  constructor(text: string, lines: readonly Line[]) {
    this.#text = text;
    this.#lines = lines;
  }

  read(): PassageUnit[] {
    if (this.#startsInsideFence()) this.#readCode(undefined);
    this.#readFrontMatter();
    while (this.#at < this.#lines.length) this.#readBlock();
    return this.#units;
  }

  #readFrontMatter(): void {
    const form = FRONT_MATTER.find(({ opens }) => opens.test(this.#lines[0]?.text ?? ''));
    if (form === undefined) return;
    const { closes, field, bare } = form;
    const close = this.#lines.findIndex(({ text }, at) => at > 0 && closes.test(text));
    const inside = this.#lines.slice(1, close);
    const isBare = (text: string): boolean => bare?.test(text) === true;
    const isRead = field.test(inside.find(({ text }) => !isBare(text))?.text ?? '');
    const isFile =
      form.isOpen === true && this.#lines.slice(close + 1).every(({ text }) => text.trim() === '');
    if (close < 0 || close > MOST_FRONT_LINES || !isRead || isFile) return;
    this.#take('fence');
    while (this.#at < close) {
      const first = this.#at;
      if (isBare(this.#line)) {
        this.#take('fence');
        continue;
      }
      this.#at += 1;
      while (this.#at < close && !field.test(this.#line) && !isBare(this.#line)) this.#at += 1;
      this.#addRange(first, 'field');
    }
    this.#take('fence');
  }

  get #line(): string {
    return this.#lines[this.#at]?.text ?? '';
  }

  /** A chunk of a divided code block holds the closing fence alone, which opens nothing: it has no language. */
  #startsInsideFence(): boolean {
    const fences = this.#lines.filter(({ text }) => FENCE.test(text));
    return fences.length % 2 === 1 && FENCE.exec(fences[0]?.text ?? '')?.[2] === '';
  }

  #readBlock(): void {
    const line = this.#line;
    const [, fence] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      this.#take('fence');
      this.#readCode(fence);
    } else if (HEADING.test(line)) this.#take('heading');
    else if (DEFINITION.test(line)) this.#take('definition');
    else if (TABLE_ROW.test(line)) this.#readTable();
    else if (LIST_ITEM.test(line)) this.#readListItem();
    else if (line.trim() === '') this.#at += 1;
    else if (this.#isUnderlined()) {
      this.#at += 2;
      this.#addRange(this.#at - 2, 'heading');
    } else this.#readParagraph();
  }

  #isUnderlined(): boolean {
    const isText = /^ {0,3}\S/.test(this.#line) && !UNDERLINE.test(this.#line) && !COLUMNS.test(this.#line);
    return isText && UNDERLINE.test(this.#lines[this.#at + 1]?.text ?? '');
  }

  #take(kind: PassageUnit['kind']): void {
    const line = this.#lines[this.#at];
    if (line !== undefined) this.#units.push(...unitOf(this.#text, line, kind));
    this.#at += 1;
  }

  /** Up to the closing fence; without an opening one, up to the first fence. */
  #readCode(opening: string | undefined): void {
    while (this.#at < this.#lines.length) {
      const [, fence] = FENCE.exec(this.#line) ?? [];
      const closes = fence !== undefined && (opening === undefined || closesFence(opening, fence));
      this.#take(closes ? 'fence' : 'code-line');
      if (closes) return;
    }
  }

  #readTable(): void {
    const hasHead = isTableRule(this.#lines[this.#at + 1]?.text ?? '');
    if (hasHead) {
      this.#take('table-head');
      this.#take('table-head');
    }
    for (;;) {
      while (TABLE_ROW.test(this.#line)) this.#take('table-row');
      const next = this.#rowBehindBlank();
      if (next === undefined) return;
      this.#at = next;
    }
  }

  /** Rows of converted tables stand on the lines of their file, blank lines between them; a table of its own has a rule. */
  #rowBehindBlank(): number | undefined {
    let at = this.#at;
    while (this.#lines[at]?.text.trim() === '') at += 1;
    const isRow = at > this.#at && TABLE_ROW.test(this.#lines[at]?.text ?? '');
    return isRow && !isTableRule(this.#lines[at + 1]?.text ?? '') ? at : undefined;
  }

  /** An item with what belongs to it: deeper items are items of their own, other text down to a blank line is not. */
  #readListItem(): void {
    const first = this.#at;
    this.#at += 1;
    while (this.#continues()) this.#at += 1;
    this.#addRange(first, 'list-item');
  }

  #readParagraph(): void {
    const first = this.#at;
    this.#at += 1;
    while (this.#continues()) this.#at += 1;
    const lines = this.#lines.slice(first, this.#at);
    const code = lines.filter(({ text }) => CODE_LINE.test(text) || /^(?: {4}|\t)\s*\S/.test(text)).length;
    if (code / lines.length > 0.5) {
      for (const line of lines) this.#units.push(...unitOf(this.#text, line, 'code-line'));
    } else this.#addRange(first, 'sentence');
  }

  #continues(): boolean {
    const line = this.#line;
    if (this.#at >= this.#lines.length || line.trim() === '') return false;
    return ![FENCE, HEADING, DEFINITION, TABLE_ROW, LIST_ITEM].some((other) => other.test(line));
  }

  #addRange(first: number, kind: 'sentence' | 'list-item' | 'field' | 'heading'): void {
    const range = { start: this.#lines[first]?.start ?? 0, end: this.#lines[this.#at - 1]?.end ?? 0 };
    const parts = kind === 'sentence' ? splitSentences(this.#text, range) : [range];
    for (const part of parts) this.#units.push(...unitOf(this.#text, part, kind));
  }
}

const closesFence = (opening: string, fence: string): boolean =>
  fence[0] === opening[0] && fence.length >= opening.length;
