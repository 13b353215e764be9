import type { Metadata } from '../../core/metadata.js';
import type { UnreadCounts } from '../../core/unread.js';
import { ExpansionRoom } from '../expansion-room.js';
import { MarkdownLines } from '../markdown-lines.js';
import { readInline } from './inline.js';
import { readTable, type TableFormat } from './table.js';

const HEADING = /^(={1,6}|#{1,6})\s+(\S.*)$/;
const ATTRIBUTE = /^:(!?[\w-]{1,60}!?):(?:\s+(\S.*))?$/s;
const BLOCK_SETTINGS = /^\[([^\]]{0,300})\]$/;
const ANCHOR = /^\[\[[^\]]{1,200}\]\]$/;
const BLOCK_TITLE = /^\.([^\s.].*)$/;
const VERBATIM = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|```\w*)$/;
const CONTAINER = /^(?:={4,}|\*{4,}|_{4,}|--)$/;
const TABLE = /^([|,:!])={3,}$/;
const DIRECTIVE = /^(include|ifdef|ifndef|ifeval|endif|toc|image|video|audio)::([^\s[]*)\[(.*)\]$/;
const ITEM = /^\s*(\*{1,5}|-|\.{1,5}|\d{1,4}\.|<\d{1,3}>|<\.>)\s+(\S.*)$/;
const TERM = /^(\S.{0,300}?)(:{2,4}|;;)(?:\s+(\S.*))?$/;
const ADMONITION = /^(NOTE|TIP|IMPORTANT|WARNING|CAUTION):\s+/;
const ADMONITION_STYLE = /^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)$/;

/**
 * Reads the lines of a document once, from the first to the last. Blocks that hold blocks (examples, sidebars, quotes) are read
 * as what they hold, so that nothing nests and time is linear.
 */
export class AsciidocReader {
  readonly out: MarkdownLines;
  readonly #lines: readonly string[];
  readonly #attributes = new Attributes();
  /** Settings of the block that comes next: `source,java`. */
  #settings = '';
  /** "Note" before the next paragraph. */
  #lead = '';
  /** Files that are included, as they are named. */
  readonly included: readonly string[];
  /** What the lines below the title state. No sentence is filled in from it: fields that are encrypted would be told there. */
  readonly #header = new Map<string, string>();
  #pictures = 0;
  #embedded = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines.map((line) => line.trimEnd());
    this.out = new MarkdownLines(lines.length);
    // They stand for lines of the file before any block is read, in code and tables too.
    this.included = this.#lines.flatMap((line) => INCLUSION.exec(line)?.[1] ?? []);
  }

  get unread(): UnreadCounts {
    return {
      pictures: this.#pictures,
      'embedded files': this.#embedded,
      'included files': this.included.length,
    };
  }

  /** Author, version and date of the header. */
  get metadata(): Metadata {
    return Object.fromEntries(
      [...HEADER_FACTS].flatMap(([name, label]) => {
        const value = this.#attributes.get(name) ?? this.#header.get(name) ?? '';
        return value === '' ? [] : [[label.toLowerCase(), value]];
      }),
    );
  }

  read(): void {
    for (let line = 0; line < this.#lines.length; ) line = this.#readBlock(line);
  }

  #at = (line: number): string => this.#lines[line] ?? '';
  #inline = (text: string): string =>
    readInline(this.#attributes.expand(text), () => {
      this.#pictures += 1;
    });

  #readBlock(line: number): number {
    const text = this.#at(line);
    if (text === '' || text === '+' || text === "'''" || text === '<<<' || /^\/\/(?!\/)/.test(text))
      return line + 1;
    if (this.#readSetting(line, text) || this.#readDirective(line, text)) return line + 1;
    const [, marks, title] = HEADING.exec(text) ?? [];
    if (marks !== undefined && title !== undefined) return this.#readHeading(line, marks.length, title);
    if (VERBATIM.test(text)) return this.#readVerbatim(line, text, '');
    if (TABLE.test(text)) return this.#readTable(line, text);
    if (CONTAINER.test(text)) return this.#openContainer(line);
    if (this.#isItem(text)) return this.#readList(line);
    if (/^\s/.test(text)) return this.#readIndented(line);
    return this.#readParagraph(line);
  }

  /** Attributes of the document, settings and titles of blocks. */
  #readSetting(line: number, text: string): boolean {
    const [, name, value = ''] = ATTRIBUTE.exec(text) ?? [];
    if (name !== undefined) {
      this.#attributes.define(name, value);
      const label = HEADER_FACTS.get(name.toLowerCase());
      if (label !== undefined && value !== '') this.#writeParagraph(line, [`${label}: ${value}`]);
      return true;
    }
    if (ANCHOR.test(text)) return true;
    const settings = BLOCK_SETTINGS.exec(text)?.[1];
    if (settings !== undefined) {
      this.#settings = settings;
      return true;
    }
    const title = BLOCK_TITLE.exec(text)?.[1];
    if (title === undefined || ITEM.test(text)) return false;
    this.#writeParagraph(line, [`${title}:`]);
    return true;
  }

  #readDirective(line: number, text: string): boolean {
    const [, name, , content = ''] = DIRECTIVE.exec(text) ?? [];
    if (name === undefined) return false;
    if (name === 'image') this.#pictures += 1;
    if (name === 'video' || name === 'audio') this.#embedded += 1;
    const alt = /^"?([^",=]+)"?(?:,|$)/.exec(content)?.[1];
    if (name === 'image' && alt !== undefined) this.#writeParagraph(line, [alt]);
    // A condition may hold its text itself.
    if (name.startsWith('if') && name !== 'ifeval' && content !== '') this.#writeParagraph(line, [content]);
    return true;
  }

  #readHeading(line: number, level: number, title: string): number {
    this.#settings = '';
    this.out.heading(line, level, this.#inline(title));
    // Author and revision stand below the title, down to the first blank line; attributes among them are read.
    let next = line + 1;
    if (level !== 1 || line >= HEADER_LINES) return next;
    for (let facts = 0; this.#at(next) !== '' && !HEADING.test(this.#at(next)); next += 1) {
      const text = this.#at(next);
      // A comment, or the value of an attribute that goes on.
      if (/^\/\/(?!\/)/.test(text) || / [\\+]$/.test(this.#at(next - 1))) continue;
      if (this.#readSetting(next, text) || this.#readDirective(next, text)) {
        // What stands below an attribute is no author.
        facts = 2;
        continue;
      }
      if (this.#opensBlock(text) || this.#isItem(text)) break;
      this.#writeParagraph(next, [this.#headerLine(text, facts)]);
      facts += 1;
    }
    return next;
  }

  /** The line of authors, and the one of the revision below it (AsciiDoc, "Document header"), with names for what they state. */
  #headerLine(text: string, at: number): string {
    const authors = text.split(';').map((author) => AUTHOR.exec(author.trim()));
    if (at === 0 && authors.every((author) => author !== null)) {
      this.#header.set('author', authors.map(([, name = '']) => name.replaceAll('_', ' ')).join(', '));
      return `Author: ${text}`;
    }
    const { version, date, remark } = REVISION.exec(text)?.groups ?? {};
    const isBelowAuthor = at === 1 && this.#header.has('author');
    if (!isBelowAuthor || (version ?? date) === undefined) return text;
    if (version !== undefined) this.#header.set('revnumber', version);
    if (date !== undefined) this.#header.set('revdate', date);
    const facts = [
      ...(version === undefined ? [] : [`Version: ${version}`]),
      ...(date === undefined ? [] : [`Date: ${date}`]),
      ...(remark === undefined ? [] : [remark]),
    ];
    return facts.join(', ');
  }

  #takeSettings(): string {
    const settings = this.#settings;
    this.#settings = '';
    return settings;
  }

  /** Code between two delimiters; comments and what is passed through are left out. */
  #readVerbatim(line: number, delimiter: string, prefix: string): number {
    const closing = delimiter.startsWith('```') ? '```' : delimiter;
    let end = line + 1;
    while (end < this.#lines.length && this.#at(end) !== closing) end += 1;
    const [style = '', language = ''] = this.#takeSettings().split(',');
    const isRead = !/^[/+]/.test(delimiter);
    let from = line + 1;
    let to = end;
    while (from < to && this.#at(from) === '') from += 1;
    while (to > from && this.#at(to - 1) === '') to -= 1;
    const name =
      delimiter.slice(3).match(/^\w+/)?.[0] ?? (/^(?:source|,|$)/.test(style) ? language.trim() : '');
    if (isRead && from < to)
      this.out.code(from, this.#lines.slice(from, to), {
        language: /^[\w+#-]{0,30}$/.test(name) ? name : '',
        prefix,
      });
    return end + 1;
  }

  #openContainer(line: number): number {
    this.#leadBy(this.#takeSettings());
    const text = this.#at(this.#behindBlank(line + 1));
    // Alone where something else than a paragraph comes first.
    if (this.#lead !== '' && (this.#isItem(text) || this.#opensBlock(text))) this.#writeParagraph(line, ['']);
    return line + 1;
  }

  #leadBy(settings: string): void {
    const [style = ''] = settings.split(',');
    if (ADMONITION_STYLE.test(style)) this.#lead = `${titleOf(style)}: `;
  }

  #readTable(line: number, delimiter: string): number {
    const settings = this.#takeSettings();
    let end = line + 1;
    while (end < this.#lines.length && this.#at(end) !== delimiter) end += 1;
    let from = line + 1;
    while (from < end && this.#at(from) === '') from += 1;
    const rows = readTable(this.#lines.slice(from, end), from, formatOf(delimiter, settings)).map((row) => ({
      ...row,
      cells: row.cells.map((cell) => this.#inline(cell)),
    }));
    const behindHead = (rows[0]?.line ?? from) + 1;
    const isHeaded =
      /header/.test(settings) || (from === line + 1 && this.#at(behindHead) === '' && rows.length > 1);
    this.out.table(rows, Math.max(end, from), { hasHead: isHeaded, prefix: '' });
    return end + 1;
  }

  #isItem = (text: string): boolean => ITEM.test(text) || TERM.test(text);

  /** Items down to a blank line that no item follows; a line with a plus attaches what comes below. */
  #readList(from: number): number {
    this.#takeSettings();
    let line = from;
    let end = from;
    let prefix = '';
    while (line < this.#lines.length) {
      const text = this.#at(line);
      if (this.#isItem(text)) {
        prefix = this.#openItem(line, text);
        const below =
          TERM.exec(text)?.[3] === undefined && !ITEM.test(text) ? this.#behindBlank(line + 1) : line + 1;
        line = this.#readItemText(below, prefix);
      } else if (text === '+') line = this.#readAttached(line + 1, prefix);
      else break;
      end = line;
      const next = this.#behindBlank(line);
      if (this.#isItem(this.#at(next))) line = next;
    }
    this.out.add({ kind: 'list', startLine: from, endLine: this.out.behind(end) }, '');
    return end;
  }

  #behindBlank(from: number): number {
    let line = from;
    while (line < this.#lines.length && this.#at(line) === '') line += 1;
    return line;
  }

  /** @returns the indentation of what belongs to the item */
  #openItem(line: number, text: string): string {
    const [, mark = '-', itemText] = ITEM.exec(text) ?? [];
    if (itemText === undefined) {
      const [, term = '', , description = ''] = TERM.exec(text) ?? [];
      this.out.write(line, `- ${this.#inline(description === '' ? term : `${term}: ${description}`)}`);
      return '  ';
    }
    const depth = /^[*.]+$/.test(mark) ? mark.length - 1 : 0;
    const isNumbered = /^(?:\.|\d)/.test(mark);
    const marker = mark.startsWith('<') ? `- ${mark.replace(/[<>]/g, '')})` : isNumbered ? '1.' : '-';
    this.out.write(line, `${'  '.repeat(depth)}${marker} ${this.#inline(itemText)}`);
    return '  '.repeat(depth + 1);
  }

  #readItemText(from: number, prefix: string): number {
    let line = from;
    for (; line < this.#lines.length; line += 1) {
      const text = this.#at(line);
      const isOwn = text !== '' && text !== '+' && !this.#isItem(text) && !this.#opensBlock(text);
      if (!isOwn) break;
      if (!text.startsWith('//')) this.out.write(line, this.#inline(text.trim()), prefix);
    }
    return line;
  }

  #opensBlock = (text: string): boolean =>
    [VERBATIM, TABLE, CONTAINER, BLOCK_SETTINGS, DIRECTIVE].some((opening) => opening.test(text));

  #readAttached(from: number, prefix: string): number {
    let line = from;
    while (BLOCK_SETTINGS.test(this.#at(line))) {
      this.#readSetting(line, this.#at(line));
      line += 1;
    }
    if (VERBATIM.test(this.#at(line))) return this.#readVerbatim(line, this.#at(line), prefix);
    if (CONTAINER.test(this.#at(line))) return this.#openContainer(line);
    return this.#readItemText(line, prefix);
  }

  /** An indented paragraph is code. */
  #readIndented(from: number): number {
    this.#takeSettings();
    let end = from;
    while (/^\s+\S/.test(this.#at(end))) end += 1;
    const code = this.#lines.slice(from, end);
    const indent = Math.min(...code.slice(0, INDENT_SAMPLE).map((line) => line.search(/\S/)));
    const lines = code.map((line) => line.slice(Math.min(indent, line.search(/\S|$/))));
    this.out.code(from, lines, { language: '', prefix: '' });
    return end;
  }

  #readParagraph(from: number): number {
    const settings = this.#takeSettings();
    let end = from;
    while (this.#at(end) !== '' && !(end > from && this.#opensBlock(this.#at(end))) && this.#at(end) !== '+')
      end += 1;
    const lines = this.#lines.slice(from, end);
    if (/^(?:source|listing|literal)/.test(settings)) {
      this.out.code(from, lines, {
        language: /^source,\s*([\w+#-]{1,30})/.exec(settings)?.[1] ?? '',
        prefix: '',
      });
      return end;
    }
    this.#leadBy(settings);
    this.#writeParagraph(from, lines);
    return end;
  }

  #writeParagraph(from: number, lines: readonly string[]): void {
    const [first = ''] = lines;
    const admonition = ADMONITION.exec(first);
    const opened =
      admonition === null ? first : `${titleOf(admonition[1] ?? '')}: ${first.slice(admonition[0].length)}`;
    const text = this.#inline([this.#lead + opened, ...lines.slice(1)].map(withoutComment).join('\n'));
    this.#lead = '';
    for (const [index, part] of text.split('\n').entries()) this.out.write(from + index, part.trim());
    this.out.add({ kind: 'paragraph', startLine: from, endLine: from + lines.length }, '');
  }
}

const INCLUSION = /^include::([^\s[][^[]{0,1000})\[.*\]$/;
/** Attributes of the header, by what they state. */
const HEADER_FACTS: ReadonlyMap<string, string> = new Map([
  ['author', 'Author'],
  ['revnumber', 'Version'],
  ['revdate', 'Date'],
]);
const AUTHOR = /^(\p{L}[\p{L}\p{M}\p{N}'._-]*(?: +[\p{L}\p{M}\p{N}'._-]+){0,4})(?: +<[^<>]{1,300}>)?$/u;
/** `v1.2, 2026-01-02: what changed`; a version alone has its letter. */
const REVISION =
  /^(?:[^\d,:]{0,20}(?<version>\d[^\s,:]{0,50})(?:,|(?<=^v\S*)(?=:|$)))?\s*(?<date>\p{N}[^:]{0,60}|\p{L}[^:\d]{0,30}\d[^:]{0,30})?(?::\s+(?<remark>\S.*))?$/u;

/** A title this far down is no title of the document. */
const HEADER_LINES = 50;
/** Lines whose indentation is looked at. */
const INDENT_SAMPLE = 1_000;

const withoutComment = (line: string): string => (line.startsWith('//') ? '' : line);
const titleOf = (style: string): string => style.charAt(0) + style.slice(1).toLowerCase();

function formatOf(delimiter: string, settings: string): TableFormat {
  const [mark = '|'] = delimiter;
  const format = /format="?(csv|dsv)/.exec(settings)?.[1];
  const separator = mark === ',' || format === 'csv' ? ',' : mark === ':' || format === 'dsv' ? ':' : '|';
  const [, quoted, bare] = /cols=(?:"([^"]{1,200})"|([^",]{1,20}))/.exec(settings) ?? [];
  const cols = quoted ?? bare;
  return { separator, columns: cols === undefined ? undefined : countColumns(cols) };
}

/** `1,3` are two columns, `3*` are three. */
const countColumns = (cols: string): number =>
  cols.split(',').reduce((count, column) => count + Number(/^(\d{1,2})\*/.exec(column.trim())?.[1] ?? 1), 0);

const REFERENCE = /\{([\w-]{1,60})\}/g;

/** Values that a document defines for its own text: `:name: value`, put in for `{name}`. */
class Attributes {
  readonly #values = new Map<string, string>();
  readonly #room = new ExpansionRoom();

  /** A value may hold other ones; it is read as they are now. */
  define(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), this.expand(value));
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** What nothing is defined for stays. */
  expand(text: string): string {
    return text.replace(REFERENCE, (reference, name: string) => {
      const value = this.#values.get(name.toLowerCase());
      return value !== undefined && this.#room.take(value) ? value : reference;
    });
  }
}
