/** A piece of a text; `isMark` where it is a word of the query. */
export interface Piece {
  readonly text: string;
  readonly isMark: boolean;
}

const WORD = /[\p{L}\p{N}_]+/gu;
/** Shorter stems than this say nothing. */
const SHORTEST_STEM = 4;
/** Endings that one word may have and another not: `review`, `reviewers`. */
const LONGEST_ENDING = 4;

/** Words of a query that are worth a mark: what the index understood of it, or all of them. */
export function wantedWords(query: string, keywords: readonly string[] = []): ReadonlySet<string> {
  if (keywords.length > 0) return new Set(keywords.flatMap(wordsOf));
  const own = wordsOf(query);
  const telling = own.filter((word) => !SILENT.has(word));
  return new Set(telling.length === 0 ? own : telling);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];

/** Words of questions that stand in every text. */
const SILENT = new Set(
  'a an and are as at be by can do does for from has have how i if in is it my not of on or our should so that the their there this to was we what when where which who why will with you your'.split(
    ' ',
  ),
);

/** A text cut at the words of a query, in their forms. */
export function markWords(text: string, words: ReadonlySet<string>): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  if (words.size > 0)
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (!isWanted(word.toLowerCase(), words)) continue;
      if (index > end) pieces.push({ text: text.slice(end, index), isMark: false });
      end = index + word.length;
      pieces.push({ text: word, isMark: true });
    }
  if (end < text.length || pieces.length === 0) pieces.push({ text: text.slice(end), isMark: false });
  return pieces;
}

function isWanted(word: string, words: ReadonlySet<string>): boolean {
  if (words.has(word)) return true;
  for (const wanted of words) {
    const common = commonStart(word, wanted);
    if (common >= SHORTEST_STEM && Math.max(word.length, wanted.length) - common <= LONGEST_ENDING)
      return true;
  }
  return false;
}

function commonStart(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  // `reviewer` and `revision` share letters and nothing else.
  return length < Math.min(left.length, right.length) - 1 ? 0 : length;
}

/** Where the words of a query stand closest, as an offset from which a short excerpt begins; 0 where there are none. */
export function excerptStart(text: string, words: ReadonlySet<string>, length: number): number {
  const places = [...text.matchAll(WORD)].filter(({ 0: word }) => isWanted(word.toLowerCase(), words));
  let best = { start: 0, count: 0 };
  for (const { index } of places) {
    const count = places.filter((other) => other.index >= index && other.index < index + length).length;
    if (count > best.count) best = { start: index, count };
  }
  if (best.start < length / 2) return 0;
  const before = text.lastIndexOf('\n', best.start);
  return best.start - before < length / 2 ? before + 1 : text.lastIndexOf(' ', best.start - length / 4) + 1;
}

const FENCE = /^(?:```|~~~)/m;
/** A line that is this long was broken for its writer's screen; one that begins so goes on with it. */
const BROKEN_LINE = /(?<=\S[^\n]{59,})\n(?=[\p{L}\p{N}"'(`*_])(?!\d+[.)] |[*] )/gu;

/** A text without the line breaks within its paragraphs; one with code is left as it is. */
export const unwrapped = (text: string): string => (FENCE.test(text) ? text : text.replace(BROKEN_LINE, ' '));

/** A list that a quotation begins within, after its ellipsis or at once: its lines, indented as they were below what was cut off. */
const CUT_LIST = /^((?:…[ \t]*\n+)?)([ \t]+)(?=(?:[*+-]|\d+[.)])[ \t])(.*)$/s;

/** A quotation whose first lines are items of a list, moved to where Markdown does not take them for code. */
export function outdented(text: string): string {
  const [, before = '', indent, rest = ''] = CUT_LIST.exec(text) ?? [];
  if (indent === undefined) return text;
  const lines = rest.split('\n');
  const end = lines.findIndex((line, at) => at > 0 && line !== '' && !line.startsWith(indent));
  return `${before}${lines.map((line, at) => (at === 0 || (end >= 0 && at >= end) || line === '' ? line : line.slice(indent.length))).join('\n')}`;
}

/** Of Markdown, and of what is read as Markdown. */
const MARKDOWN = /\.(?:md|mdx|markdown|html?|docx|odt|rtf|epub)$/i;

const FENCES = /^[ \t]*(?:```|~~~).*$/gm;

/**
 * An excerpt of Markdown without the marks of headings, of what is bold, and of code within a line. Blocks of code, an excerpt that begins
 * or ends within one, and documents of other kinds are left as they are.
 *
 * @param source path of the document
 */
export function plainExcerpt(text: string, source: string): string {
  const fences = text.match(FENCES) ?? [];
  if (!MARKDOWN.test(source) || fences.length % 2 === 1) return text;
  // Every other piece between fences is code.
  return text
    .split(FENCES)
    .map((piece, at) => (at % 2 === 1 ? piece : withoutMarks(piece)) + (fences[at] ?? ''))
    .join('');
}

const withoutMarks = (text: string): string =>
  text
    .replace(/^#{1,6}[ \t]+/gm, '')
    .replace(/\*\*(?=\S)([^*\n]*[^*\s])\*\*/g, '$1')
    .replace(/`([^`\n]+)`/g, '$1');
