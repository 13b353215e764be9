import type { Token } from 'markdown-it';
import type { TextRange } from '../core/document.js';
import { InlineRecorder } from './markup/inline-recorder.js';
import { markdownFor } from './markup/markdown-dialects.js';
import { SourceLines } from './markup/source-lines.js';
import { StepCounter, TooManySteps } from './markup/step-counter.js';
import { stepLimit } from './neutralise.js';

/** A part of a Markdown text that says something: a paragraph, a heading, a block of code, or a row of a table. */
export interface MarkdownBlock {
  readonly kind: 'prose' | 'heading' | 'code' | 'row' | 'head';
  /** Without the marks of the quotes and lists that it stands in; of code without its fences. */
  readonly content: string;
  /** Where characters of the content stand in the text. For code, and whatever of it: all of its lines. */
  readonly rangeOf: (range: TextRange) => TextRange;
  /** Code, links and tags in the content: words that are put into one are not read as words. */
  readonly wholes: readonly TextRange[];
  /** Words about it that stand behind it. */
  readonly behind: Behind;
}

/** Where words can be put, and what has to stand before and behind them. */
export interface Behind {
  readonly at: number;
  readonly before: string;
  readonly after: string;
}

/**
 * Reads a text as Markdown with tables. Rules and definitions of links are left out. A text that costs more to read
 * than its length allows is one block.
 *
 * @param text its only line end is a line feed.
 */
export function markdownBlocks(text: string): MarkdownBlock[] {
  try {
    return new BlockReader(text).read();
  } catch (error) {
    if (error instanceof TooManySteps) return [plainBlock(text, { start: 0, end: text.length })];
    throw error;
  }
}

const plainBlock = (text: string, { start, end }: TextRange): MarkdownBlock => ({
  kind: 'prose',
  content: text.slice(start, end),
  rangeOf: (range) => ({ start: start + range.start, end: start + range.end }),
  wholes: [],
  behind: { at: end, before: ' ', after: '' },
});

class BlockReader {
  readonly #text: string;
  readonly #lines: SourceLines;
  readonly #recorder: InlineRecorder;
  readonly #markdown = markdownFor({ tables: true, html: true });

  constructor(text: string) {
    this.#text = text;
    this.#lines = new SourceLines(text);
    this.#recorder = new InlineRecorder(new StepCounter(stepLimit(text.length)));
  }

  read(): MarkdownBlock[] {
    const tokens: Token[] = [];
    this.#markdown.block.parse(this.#text, this.#markdown, { recorder: this.#recorder }, tokens);
    return tokens.flatMap((token, at) => this.#blockOf(token, tokens, at) ?? []);
  }

  #blockOf(token: Token, tokens: readonly Token[], at: number): MarkdownBlock | undefined {
    const { type, map } = token;
    if (map === null) return undefined;
    if (type === 'fence' || type === 'code_block') return this.#code(token, map);
    if (type === 'html_block') return this.#prose(token, map[0]);
    if (type === 'inline' && tokens[at - 1]?.type === 'paragraph_open') return this.#prose(token, map[0]);
    if (type === 'inline' && tokens[at - 1]?.type === 'heading_open')
      return { ...this.#prose(token, map[0]), kind: 'heading' };
    if (type === 'tr_open')
      return {
        ...this.#row(tokens, at, map[0]),
        kind: tokens[at - 1]?.type === 'thead_open' ? 'head' : 'row',
      };
    return undefined;
  }

  #prose(token: Token, line: number): MarkdownBlock {
    const content = token.content.replace(/\n$/, '');
    const places = this.#lines.placesOf(content, line);
    const range = this.#lines.rangeOf([line, line + content.split('\n').length]);
    if (places === undefined) return plainBlock(this.#text, range);
    return {
      kind: 'prose',
      content,
      rangeOf: ({ start, end }) => ({ start: places.at(start), end: places.endAt(end) }),
      wholes: token.type === 'inline' ? this.#wholesOf(content) : [],
      behind: { at: places.end, before: ' ', after: '' },
    };
  }

  #wholesOf(content: string): readonly TextRange[] {
    const { wholes } = this.#recorder.read(content, (env) =>
      this.#markdown.inline.parse(content, this.#markdown, env, []),
    );
    return wholes;
  }

  /** A row is its line. Renderers show no words behind the last cell of its head, so words go into the last cell. */
  #row(tokens: readonly Token[], opening: number, line: number): MarkdownBlock {
    const { start: lineStart, end } = this.#lines.rangeOf([line, line + 1]);
    const start = lineStart + (/^[\s>]*/.exec(this.#text.slice(lineStart, end))?.[0].length ?? 0);
    const wholes: TextRange[] = [];
    let behind = start;
    for (let at = opening; tokens[at]?.type !== 'tr_close'; at += 1) {
      const { type, content } = tokens[at] ?? { type: 'tr_close', content: '' };
      if (type !== 'inline' || content === '') continue;
      const cell = this.#cell(content, line, behind);
      for (const whole of this.#wholesOf(content)) {
        wholes.push({ start: cell.start + whole.start - start, end: cell.start + whole.end - start });
      }
      behind = cell.end;
    }
    return {
      ...plainBlock(this.#text, { start, end }),
      kind: 'row',
      wholes,
      behind: { at: behind, before: ' ', after: '' },
    };
  }

  /** A cell with escaped bars is read without the backslashes before them. */
  #cell(content: string, line: number, from: number): TextRange {
    const escaped = content.replaceAll('|', '\\|');
    const places =
      this.#lines.placesInLine(content, line, from) ?? this.#lines.placesInLine(escaped, line, from);
    return { start: places?.at(0) ?? from, end: places?.end ?? from };
  }

  #code({ type, markup, content }: Token, map: readonly [number, number]): MarkdownBlock {
    const whole = this.#lines.rangeOf(map);
    const range = {
      start: whole.start,
      end: whole.start + this.#text.slice(whole.start, whole.end).trimEnd().length,
    };
    const last = this.#text.slice(this.#text.lastIndexOf('\n', range.end - 1) + 1, range.end);
    const isFence = type === 'fence';
    const [, closed] = (isFence ? /^([\s>]*)(?:`{3,}|~{3,})$/ : /^([\s>]*?)(?: {4}|\t)/).exec(last) ?? [];
    // What nothing closes ends where its quote or list does.
    const isClosed = closed !== undefined && (!isFence || last.slice(closed.length).startsWith(markup));
    const prefix = isClosed ? closed : '';
    const following = this.#lines.rangeOf([map[1], map[1] + 1]);
    const next = this.#text.slice(following.start, following.end);
    return {
      kind: 'code',
      content,
      rangeOf: () => range,
      wholes: [],
      behind: {
        at: range.end,
        before: `\n${prefix}`,
        after: next.trim() === '' ? '' : `\n${prefix.trimEnd()}`,
      },
    };
  }
}
