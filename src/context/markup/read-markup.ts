import type { Token } from 'markdown-it';
import type { TextRange } from '../../core/document.js';
import type { Edit } from './edits.js';
import { brokenHtml, defang, LINK_LEFT_OUT } from './inert-forms.js';
import { type InlineReading, InlineRecorder } from './inline-recorder.js';
import { type Dialect, markdownFor } from './markdown-dialects.js';
import { SourceLines } from './source-lines.js';
import type { StepCounter } from './step-counter.js';

/** What of a text a renderer would bring to life, and what it would show as code. */
export interface MarkupReading {
  /** What makes it inert; some of it may only show once the rest has been applied. */
  readonly edits: readonly Edit[];
  readonly code: readonly TextRange[];
}

/**
 * Reads a text as CommonMark. Where it holds what other dialects read otherwise (tables, HTML that is switched off), it is
 * read as they would too, and what is live in any of them counts.
 *
 * @param text its only line end is a line feed.
 * @throws TooManySteps
 */
export function readMarkup(text: string, counter: StepCounter): MarkupReading {
  const full = readDialect(text, { tables: true, html: true }, counter);
  if (full.edits.length > 0) return full;
  if (full.hasTable) {
    const { edits } = readDialect(text, { tables: false, html: true }, counter);
    if (edits.length > 0) return { ...full, edits };
  }
  for (const tables of full.hasHtml ? [true, false] : []) {
    const { edits } = readDialect(text, { tables, html: false }, counter);
    // Where dialects disagree on what a block of HTML holds, it becomes text, and they agree.
    if (edits.length > 0) return { ...full, edits: full.htmlBlocks.length > 0 ? full.htmlBlocks : edits };
  }
  return full;
}

interface DialectReading {
  readonly edits: Edit[];
  readonly code: TextRange[];
  hasTable: boolean;
  /** HTML was left as it is. */
  hasHtml: boolean;
  /** Edits that make text of the blocks of HTML that were left. */
  readonly htmlBlocks: Edit[];
}

function readDialect(text: string, dialect: Dialect, counter: StepCounter): DialectReading {
  const markdown = markdownFor(dialect);
  const recorder = new InlineRecorder(counter);
  const tokens: Token[] = [];
  markdown.block.parse(text, markdown, { recorder }, tokens);
  const reader = new TokenReader(text);
  for (const token of tokens) {
    if (token.type !== 'inline') reader.readBlock(token);
    else {
      const content = recorder.read(token.content, (env) =>
        markdown.inline.parse(token.content, markdown, env, []),
      );
      reader.readInline(token, content);
    }
  }
  return reader.reading;
}

/** Turns what is found in tokens into places of the text. */
class TokenReader {
  readonly reading: DialectReading = { edits: [], code: [], hasTable: false, hasHtml: false, htmlBlocks: [] };
  readonly #text: string;
  readonly #lines: SourceLines;
  /** The row that cells belong to, and where in its line the next cell begins. */
  #row = 0;
  #cellStart = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lines = new SourceLines(text);
  }

  readBlock(token: Token): void {
    if (token.map === null) return;
    const range = this.#lines.rangeOf(token.map);
    if (token.type === 'tr_open') [this.#row, this.#cellStart] = [token.map[0], 0];
    if (token.type === 'table_open') this.reading.hasTable = true;
    if (token.type === 'html_block') this.#readHtml(range);
    if (token.type === 'reference_definition') {
      // What stands before it on its line are marks of quotes and lists, which hold no bracket.
      const start = this.#text.indexOf('[', range.start);
      this.reading.edits.push({ start, end: range.end, text: LINK_LEFT_OUT });
    }
    if (token.type === 'fence' || token.type === 'code_block') this.reading.code.push(range);
    if (token.type === 'fence') this.#closeFence(token, range);
  }

  #readHtml(range: TextRange): void {
    const html = this.#text.slice(range.start, range.end);
    const text = brokenHtml(html);
    if (text !== html) this.reading.edits.push({ ...range, text });
    else {
      this.reading.hasHtml = true;
      this.reading.htmlBlocks.push({ ...range, text: html.replaceAll('<', '‹') });
    }
  }

  /** A fence that nothing closes would take in what is put behind the text. In a quote or a list the end of that closes it. */
  #closeFence({ level, markup }: Token, { start, end }: TextRange): void {
    if (level > 0 || end < this.#text.trimEnd().length) return;
    const body = this.#text.slice(start, end).trimEnd();
    const last = body.slice(body.lastIndexOf('\n') + 1).trim();
    const isClosed = body.includes('\n') && last.startsWith(markup) && /^(`+|~+)$/.test(last);
    if (!isClosed)
      this.reading.edits.push({ start: this.#text.length, end: this.#text.length, text: `\n${markup}` });
  }

  readInline(token: Token, { edits, code, hasHtml }: InlineReading): void {
    if (hasHtml) this.reading.hasHtml = true;
    const isCell = token.map === null;
    const line = token.map?.[0] ?? this.#row;
    const places = isCell
      ? this.#lines.placesInLine(token.content, line, this.#cellStart)
      : this.#lines.placesOf(token.content, line);
    if (places === undefined) {
      // A cell with an escaped bar has no place of its own: its whole row is made inert.
      if (edits.length > 0) this.#defangLine(line);
      return;
    }
    if (isCell) this.#cellStart = places.end;
    const inSource = ({ start, end }: TextRange) => ({ start: places.at(start), end: places.endAt(end) });
    // One by one: as arguments of a single call, some 100,000 of them overflow the stack.
    for (const edit of edits) this.reading.edits.push({ ...inSource(edit), text: edit.text });
    for (const range of code) this.reading.code.push(inSource(range));
  }

  #defangLine(line: number): void {
    const range = this.#lines.rangeOf([line, line + 1]);
    this.reading.edits.push({ ...range, text: defang(this.#text.slice(range.start, range.end)) });
  }
}
