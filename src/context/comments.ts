import type { TextRange } from '../core/document.js';

const OPENING = '<!--';
const CLOSING = '-->';

/** HTML comments, which no reader sees; one without an end reaches to the end of the text. Linear time. */
export function commentRanges(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  for (let at = text.indexOf(OPENING); at >= 0; ) {
    const close = text.indexOf(CLOSING, at + OPENING.length);
    const end = close < 0 ? text.length : close + CLOSING.length;
    ranges.push({ start: at, end });
    at = text.indexOf(OPENING, end);
  }
  return ranges;
}

/** The text with each comment replaced. */
export function replaceComments(text: string, replacement: string): string {
  let result = '';
  let at = 0;
  for (const { start, end } of commentRanges(text)) {
    result += text.slice(at, start) + replacement;
    at = end;
  }
  return result + text.slice(at);
}
