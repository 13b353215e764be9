import { MarkdownLines } from '../markdown-lines.js';
import { type Area, nested } from './area.js';
import type { Blocks } from './blocks.js';
import { directiveAt } from './directive.js';
import { type References, readInline, readReferences } from './inline.js';
import { fieldLabel, fieldOf, isRule, itemMarkOf, optionsOf } from './marks.js';
import { readDirective } from './read-directive.js';
import { SourceLines } from './source-lines.js';
import {
  type FoundTable,
  isGridBorder,
  isSimpleBorder,
  readGridTable,
  readSimpleTable,
  type TableLines,
} from './tables.js';

/** Deeper text is kept, its structure is not. */
const MAX_DEPTH = 24;

/** Reads the lines of a document. Every line is looked at a bounded number of times for each depth, so that time is linear. */
export class RstReader implements Blocks {
  readonly out: MarkdownLines;
  readonly lines: SourceLines;
  readonly #references: References;
  readonly #titleStyles: string[] = [];
  level = 0;
  language = '';
  isTooDeep = false;
  readonly included: string[] = [];
  pictures = 0;
  /** Areas in which no simple table is closed behind the last that was looked at. */
  readonly #unclosedIn = new WeakSet<Area>();

  constructor(lines: readonly string[]) {
    this.lines = new SourceLines(lines);
    this.#references = readReferences(this.lines.all);
    this.out = new MarkdownLines(this.lines.all.length);
  }

  read(): void {
    const to = this.lines.all.length;
    this.readArea({ from: 0, to, indent: 0, prefix: '', depth: 0, definitions: 0, mayHoldHeadings: true });
  }

  inline(text: string): string {
    return readInline(text, this.#references);
  }

  /** Sections stand in no list and in no body. */
  #isSectioned = ({ depth }: Area): boolean => depth === 0;

  readArea(area: Area): void {
    if (area.depth > MAX_DEPTH) this.#keepText(area);
    else this.#readBlocks(area);
  }

  #readBlocks(area: Area): void {
    let line = area.from;
    while (line < area.to) {
      const text = this.lines.at(area, line);
      if (text === '') line += 1;
      else if (text.startsWith(' ')) line = this.#readIndented(area, line);
      else line = this.#readBlock(area, line, text);
    }
  }

  #keepText(area: Area): void {
    this.isTooDeep = true;
    for (let line = area.from; line < area.to; line += 1)
      this.out.write(line, this.lines.at(area, line).trim(), area.prefix);
  }

  /** A block quote; often a list or a paragraph that was indented for looks. */
  #readIndented(area: Area, from: number): number {
    const to = this.lines.bodyEnd(area, from);
    this.readArea(nested(area, { from, to, indent: this.lines.indentation(from, to) }));
    return to;
  }

  #readBlock(area: Area, line: number, text: string): number {
    if (this.#isSectioned(area)) {
      const behind = this.#readTitle(area, line, text);
      if (behind !== undefined) return behind;
    }
    if (text.startsWith('.. ') || text === '..') return this.#readExplicit(area, line, text);
    if (text.startsWith('__ ')) return line + 1;
    const table = this.#readTable(area, line, text);
    if (table !== undefined) return table;
    if (text.startsWith('>>> ')) return this.#readDoctest(area, line);
    if (text.startsWith('| ')) return this.#readLineBlock(area, line);
    if (this.#isItem(area, line)) return this.#readList(area, line);
    if (isRule(text) && text.length >= 4) return line + 1;
    return this.#readParagraph(area, line);
  }

  #titleAt(
    area: Area,
    line: number,
    text: string,
  ): { title: string; style: string; lines: number } | undefined {
    const below = this.lines.at(area, line + 1);
    if (isRule(text) && below !== '' && !isRule(below) && this.lines.at(area, line + 2) === text)
      return { title: below.trim(), style: `${text[0]} over`, lines: 3 };
    const isUnderlined = isRule(below) && (below.length >= text.length || below.length >= 4);
    if (!isUnderlined || isRule(text)) return undefined;
    return { title: text, style: below[0] ?? '', lines: 2 };
  }

  #readTitle(area: Area, line: number, text: string): number | undefined {
    const found = this.#titleAt(area, line, text);
    if (found === undefined) return undefined;
    if (!this.#titleStyles.includes(found.style)) this.#titleStyles.push(found.style);
    this.level = Math.min(6, this.#titleStyles.indexOf(found.style) + 1);
    this.out.heading(line + (found.lines - 2), this.level, this.inline(found.title));
    return line + found.lines;
  }

  /** A directive, or what is not read: comments, targets, substitutions. */
  #readExplicit(area: Area, line: number, text: string): number {
    const footnote = /^\.\. +(\[[^\]\s]{1,80}\])(?: +(.*))?$/.exec(text);
    const to = this.#explicitEnd(area, line, text);
    const directive = directiveAt(this.lines, area, { line, to });
    if (directive !== undefined) readDirective(this, area, directive);
    else if (/^\.\. +\|[^|]+\| +image::/.test(text)) this.pictures += 1;
    else if (footnote !== null)
      this.readBody(area, { line, to, text: `${footnote[1]} ${footnote[2] ?? ''}`.trim() });
    return to;
  }

  #explicitEnd(area: Area, line: number, text: string): number {
    const isEmptyComment = text === '..' && this.lines.at(area, line + 1) === '';
    return isEmptyComment ? line + 1 : Math.max(line + 1, this.lines.bodyEnd(area, line + 1));
  }

  /** Text that begins on the line of its mark and goes on below, as blocks of the area. */
  readBody(
    area: Area,
    { line, to, text, ...more }: { line: number; to: number; text: string } & Partial<Area>,
  ): void {
    const indent = line + 1 < to ? this.lines.indentation(line + 1, to) : area.indent + 1;
    this.lines.replace(line, indent, text);
    this.readArea(nested(area, { from: line, to, indent, ...more }));
  }

  isSectionEnd(area: Area, from: number): boolean {
    for (let line = this.lines.nextText(area, from); ; line = this.lines.nextText(area, line)) {
      if (line >= area.to) return area.mayHoldHeadings;
      const text = this.lines.at(area, line);
      if (this.#isSectioned(area) && this.#titleAt(area, line, text) !== undefined) return true;
      if (!text.startsWith('.. ')) return false;
      const to = this.#explicitEnd(area, line, text);
      const directive = directiveAt(this.lines, area, { line, to });
      if (directive !== undefined) return directive.kind === 'definition';
      if (text.startsWith('.. [')) return false;
      line = to;
    }
  }

  #readTable(area: Area, line: number, text: string): number | undefined {
    const lines = this.tableLines(area);
    if (isGridBorder(text) && this.lines.at(area, line + 1).startsWith('|'))
      return this.writeTable(area, readGridTable(lines, line));
    if (!isSimpleBorder(text) || this.#unclosedIn.has(area)) return undefined;
    const found = readSimpleTable(lines, line);
    if (found === undefined) this.#unclosedIn.add(area);
    return found === undefined ? undefined : this.writeTable(area, found);
  }

  tableLines = (area: Area): TableLines => ({ at: (line) => this.lines.at(area, line), end: area.to });

  writeTable(area: Area, { rows, hasHead, end }: FoundTable): number {
    const read = rows.map(({ line, cells }) => ({ line, cells: cells.map((cell) => this.inline(cell)) }));
    this.out.table(read, end, { hasHead, prefix: area.prefix });
    return end;
  }

  /** Examples of a session that stand one behind the other are one piece of code. */
  #readDoctest(area: Area, from: number): number {
    let to = from;
    for (let line = from; line < area.to; line = this.lines.nextText(area, to)) {
      if (!this.lines.at(area, line).startsWith('>>> ')) break;
      to = line;
      while (to < area.to && this.lines.at(area, to) !== '') to += 1;
    }
    this.writeCode(area, { from, to, language: 'python' });
    return to;
  }

  writeCode(area: Area, { from, to, language }: { from: number; to: number; language: string }): void {
    const indent = this.lines.indentation(from, to);
    const code = this.lines.all.slice(from, to).map((line) => line.slice(indent));
    this.out.code(from, code, { language, prefix: area.prefix });
  }

  #readLineBlock(area: Area, from: number): number {
    let line = from;
    for (; /^\|(?: |$)/.test(this.lines.at(area, line)); line += 1)
      this.out.write(line, this.inline(this.lines.at(area, line).slice(1).trim()), area.prefix);
    this.out.add({ kind: 'paragraph', startLine: from, endLine: line }, area.prefix);
    return line;
  }

  #isItem(area: Area, line: number): boolean {
    const text = this.lines.at(area, line);
    if (itemMarkOf(text) !== undefined || fieldOf(text) !== undefined) return true;
    return this.#isOption(area, line) || this.#isTerm(area, line);
  }

  #isOption(area: Area, line: number): boolean {
    const text = this.lines.at(area, line);
    const options = optionsOf(text);
    return options !== undefined && (options.length < text.length || this.#isTerm(area, line));
  }

  /** The term of a definition: one line, and what is indented below it. */
  #isTerm(area: Area, line: number): boolean {
    return this.lines.at(area, line + 1).startsWith(' ') && !this.lines.at(area, line).endsWith('::');
  }

  /** Items of one kind behind each other, blank lines between them or not. */
  #readList(area: Area, from: number): number {
    const kind = this.#kindOfItem(area, from);
    let end = from;
    for (let line = from; line < area.to && this.#kindOfItem(area, line) === kind; ) {
      end = this.#readItem(area, line);
      line = this.lines.nextText(area, end);
    }
    this.out.add({ kind: 'list', startLine: from, endLine: this.out.behind(end) }, area.prefix);
    return end;
  }

  #kindOfItem(area: Area, line: number): string | undefined {
    const text = this.lines.at(area, line);
    if (text === '' || /^(?:\.\.|>>>|\|)(?: |$)/.test(text) || isGridBorder(text)) return undefined;
    const mark = itemMarkOf(text);
    if (mark !== undefined) return mark.kind;
    if (fieldOf(text) !== undefined) return 'field';
    if (this.#isOption(area, line)) return 'option';
    if (this.#isSectioned(area) && this.#titleAt(area, line, text) !== undefined) return undefined;
    return this.#isTerm(area, line) ? 'term' : undefined;
  }

  #readItem(area: Area, line: number): number {
    const to = Math.max(line + 1, this.lines.bodyEnd(area, line + 1));
    const { marker, text, indent } = this.#openItem(area, line, to);
    const prefix = `${area.prefix}${' '.repeat(marker.length + 1)}`;
    this.lines.replace(line, indent, text);
    this.readArea(nested(area, { from: line, to, indent, prefix, mayHoldHeadings: false }));
    this.out.mark(line, area.prefix, marker);
    return to;
  }

  #openItem(area: Area, line: number, to: number): { marker: string; text: string; indent: number } {
    const text = this.lines.at(area, line);
    const below = line + 1 < to ? this.lines.indentation(line + 1, to) : area.indent + 1;
    const mark = itemMarkOf(text);
    if (mark !== undefined) {
      const indent = Math.min(area.indent + mark.width, line + 1 < to ? below : Number.POSITIVE_INFINITY);
      return { marker: mark.marker, text: text.slice(mark.width), indent };
    }
    const field = fieldOf(text);
    if (field !== undefined)
      return { marker: '-', text: `${fieldLabel(field.name)}: ${field.text}`.trim(), indent: below };
    const options = this.#isOption(area, line) ? optionsOf(text) : undefined;
    if (options !== undefined)
      return {
        marker: '-',
        text: `\`${options}\` ${text.slice(options.length).trim()}`.trim(),
        indent: below,
      };
    return { marker: '-', text, indent: below };
  }

  #readParagraph(area: Area, from: number): number {
    let to = from + 1;
    while (to < area.to && this.lines.at(area, to) !== '') to += 1;
    const lines = this.lines.all.slice(from, to).map((line) => line.trim());
    const last = lines.at(-1) ?? '';
    const announcesCode = last.endsWith('::');
    if (announcesCode) lines[lines.length - 1] = withoutCodeMark(last);
    for (const [index, line] of this.inline(lines.join('\n')).split('\n').entries())
      this.out.write(from + index, line.trim(), area.prefix);
    this.out.add({ kind: 'paragraph', startLine: from, endLine: to }, area.prefix);
    return announcesCode ? this.#readLiteral(area, to) : to;
  }

  /** Code behind `::`: what is indented, or lines that one punctuation character begins. */
  #readLiteral(area: Area, from: number): number {
    const start = this.lines.nextText(area, from);
    const text = this.lines.at(area, start);
    let to = text.startsWith(' ') ? this.lines.bodyEnd(area, start) : start;
    const quote = /^[!-/:-@[-`{-~]/.exec(text)?.[0];
    if (quote !== undefined) while (this.lines.at(area, to).startsWith(quote)) to += 1;
    if (to === start) return from;
    this.writeCode(area, { from: start, to, language: this.language });
    return to;
  }
}

/** Without the colons that announce code; one stays behind a word. */
function withoutCodeMark(line: string): string {
  const text = line.slice(0, -2);
  return /(?:^|\s)$/.test(text) ? text.trimEnd() : `${text}:`;
}
