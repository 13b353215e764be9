import type { TextRange } from '../core/document.js';
import { escapeExpression } from '../core/escape-expression.js';
import { withoutMarkup } from './label-reader.js';
import type { StatedFields } from './markdown/stated-names.js';
import { endOfLine, moved } from './text-range.js';

/** Front matter of a page of HTML: its lines became one. A value may hold its mark, so it ends at the last one. */
const ONE_LINE = /^\s*(\\?(---|\+\+\+|;;;)[ \t].*[ \t]\\?\2)(?=\s|$)/;
/** The same where a value holds a block: that became lines of its own. */
const SPLIT_LINE = /^\s*(\\?((?<=\\)---|\+\+\+|;;;)[ \t][\s\S]*?\s\\?\2)(?=\s|$)/;
/** A field of reStructuredText became an item, or is still as it was written, and what stands between two rules became a heading. */
const MARK = /^(?:(?:-|#{1,6}) |:)/;
/** What may stand above and between them. */
const OPENING_LINE = /^(?:#{1,6} .*|-{3,}[ \t]*|- .*|:.*|\.\..*|[ \t].*|)$/;
/** A title of reStructuredText, as it is written, with the line above it. */
const TITLE_LINE = /(?:[^\n]*\n)?([=~^"'`:.*+#_<>-])\1{2,}[ \t\r]*(?:\n|$)/y;

/**
 * Where the beginning of a text that was made of another format states fields.
 *
 * @param names of the fields that are looked for
 * @param from where front matter ends that is still one
 */
export function convertedFields(text: string, names: readonly string[], from: number): StatedFields[] {
  const opening = text.slice(from);
  const line = ONE_LINE.exec(opening) ?? SPLIT_LINE.exec(opening);
  const found = line === null ? inLines(opening, names) : inOneLine(line, names);
  return found.filter((stated) => stated.names.length > 0).map((stated) => moved(stated, from));
}

function inOneLine({ 0: all, 1: line = '' }: RegExpExecArray, names: readonly string[]): StatedFields[] {
  const found = names.filter((name) =>
    new RegExp(String.raw`(?:^|[\s{,.\[])\\?["']?${escapeExpression(name)}["']?\s*(?:[:=.]|\\?\])`).test(
      line,
    ),
  );
  return [{ start: all.length - line.length, end: all.length, names: found, isUnread: true }];
}

/** Fields with the lines that go on with them. */
function inLines(text: string, names: readonly string[]): StatedFields[] {
  const found: StatedFields[] = [];
  let open: { readonly start: number; readonly names: readonly string[] } | undefined;
  let end = 0;
  const close = (): void => {
    if (open !== undefined) found.push({ ...open, end });
    open = undefined;
  };
  for (const { line, start } of linesOf(text)) {
    if (!OPENING_LINE.test(line) && !isTitleAt(text, start)) break;
    const goesOn = line.trim() === '' || /^[ \t]/.test(line);
    if (!goesOn) {
      close();
      const label = labelOf(line);
      const stated = names.filter((name) => name.toLowerCase() === label?.toLowerCase());
      if (stated.length > 0) open = { start, names: stated };
    }
    if (line.trim() !== '') end = start + line.length;
  }
  close();
  return found;
}

/** What a line states a value of. */
function labelOf(line: string): string | undefined {
  if (!MARK.test(line)) return undefined;
  const stated = line
    .replace(/^(?:-|#+)/, '')
    .trimStart()
    .replace(/^:/, '');
  const end = stated.search(/[:=]/);
  return end >= 0 && /^(?:[ \t]|$)/.test(stated.slice(end + 1))
    ? withoutMarkup(stated.slice(0, end).replaceAll('\\', '').trim())
    : undefined;
}

function isTitleAt(text: string, start: number): boolean {
  TITLE_LINE.lastIndex = start;
  return TITLE_LINE.test(text);
}

function* linesOf(text: string): Generator<{ readonly line: string } & Pick<TextRange, 'start'>> {
  for (let start = 0; start <= text.length; ) {
    const end = endOfLine(text, start);
    yield { line: text.slice(start, end).replace(/\r$/, ''), start };
    start = end + 1;
  }
}
