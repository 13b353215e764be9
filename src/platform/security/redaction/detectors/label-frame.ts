import type { TextRange } from '../../../../core/document.js';
import { matchAt } from '../detection.js';

/** A name of a secret that fills its line or cell. */
export interface LabelFrame {
  /** Where the cell begins, and where the label with its marks ends. */
  readonly start: number;
  readonly end: number;
  /** What stands before it: an end of a line, a separator of cells or the end of a tag; empty at the beginning of the text. */
  readonly before: string;
  /** A heading, strong text or a colon says that it is a name of what follows. */
  readonly isMarked: boolean;
}

/** Words before a name that belong to it, as in `initial DB password`: characters, and how many. */
const REACH = 80;
const MOST_WORDS = 4;
const BOUNDARIES = '\n|,;\t>{';
const MARKUP =
  /^[ \t]*(?:(?:[-*+#=]{1,6}|\d{1,3}[.)]|\/\/|--)[ \t]+){0,3}(?:["']?name["']?[ \t]?[:=][ \t]?)?([*_`~"']{0,4})/i;
const WORDS = /^[\p{L}\p{N} _&/.-]*$/u;
/** What the label is of, in `password for the mail server`; a verb, closing marks and what stands behind the cell or line. */
const OF = String.raw`((?: (?:for|of|on|für|von|vom|zum|pour|para|per|dla|voor)\b[^|,;<>:：\r\n]{1,60}?)?)`;
const BEHIND = new RegExp(
  String.raw`s?[*_\x60~"']{0,4}(?: ?\([^()\r\n|<]{0,40}\))?${OF}((?: (?:is|was|lautet|ist|est|es|era|jest|är))?)( ?[:：]{1,2})?[*_\x60~]{0,4}(?: {1,40}[#=]{1,6})? {0,40}(?=[|,;\t<>\r\n\\]|(?<= {2})|$)`,
  'y',
);

/** Undefined where a name is a word of a text. */
export function labelFrame(text: string, name: TextRange): LabelFrame | undefined {
  const behind = matchAt(BEHIND, text, name.end);
  if (behind === null) return undefined;
  const window = text.slice(Math.max(0, name.start - REACH), name.start);
  const boundary = lastOf(BOUNDARIES, window);
  if (boundary < 0 && window.length === REACH) return undefined;
  const before = window.slice(boundary + 1);
  const [mark = '', emphasis = ''] = MARKUP.exec(before) ?? [];
  const words = before.slice(mark.length).replace(/^.* {2}/, '');
  const [, of = '', verb = '', colon] = behind;
  const isMarked = verb !== '' || colon !== undefined || emphasis.length > 1 || /^[ \t]*[#=]/.test(mark);
  const end = name.end + behind[0].length;
  const isSentence = of !== '' && !isMarked && !'|,;\t<'.includes(text[end] ?? '\n');
  const isName = WORDS.test(words) && words.trim().split(/\s+/).length <= MOST_WORDS && !isSentence;
  // A sentence may end in a name and a colon.
  if (!isName && !(colon !== undefined && !/["'`([{=]/.test(words))) return undefined;
  return { start: name.start - before.length, end, before: window[boundary] ?? '', isMarked };
}

function lastOf(characters: string, text: string): number {
  let at = text.length - 1;
  while (at >= 0 && !characters.includes(text[at] ?? '')) at -= 1;
  return at;
}
