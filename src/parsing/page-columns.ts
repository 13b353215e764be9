import { ENGLISH_STOP_WORDS } from '../core/analysis/english-stop-words.js';
import { type Label, labelReader } from './label-reader.js';
import type { StatedFields } from './markdown/stated-names.js';

/** Rows below a line of names, where single blanks part the columns. */
const MOST_PAGE_ROWS = 400;
const MOST_NAME_WORDS = 3;
const MOST_PAGE_WORDS = 40;
/** Words more than there are columns: a cell may hold several. */
const MOST_MORE = 4;
const WORD = /\S+/g;

/**
 * Columns of a page whose text has single blanks between them (PDF): below a line of names, in each line of about as many words, every word that may be of the column. A line of
 * names has no words of a sentence.
 */
export function pageColumns(text: string, names: readonly string[]): StatedFields[] {
  const labelOf = labelReader(names);
  if (!labelOf.occursIn(text)) return [];
  const found: StatedFields[] = [];
  let columns: ReturnType<typeof namedWords> = [];
  /** Names of columns, which go with the first value below. */
  let headings: readonly StatedFields[] = [];
  let rows = 0;
  let start = 0;
  for (const line of text.split('\n')) {
    const words = line.length > MAX_PAGE_LINE ? [] : [...line.matchAll(WORD)];
    const header =
      labelOf.occursIn(line) && !isSentence(words.map(([word]) => word)) ? namedWords(words, labelOf) : [];
    if (header.length > 0) {
      columns = header;
      // Of two words the second may be the value.
      headings = header.map(({ at, count, from, to, names: of }) => ({
        start: start + from,
        end: start + (at === 0 && count === 2 ? line.trimEnd().length : to),
        names: of,
      }));
      rows = 0;
    } else if (columns.length > 0) {
      const more = words.length - (columns[0]?.count ?? 0);
      const isRow =
        words.length > 0 && more <= MOST_MORE && rows < MOST_PAGE_ROWS && !/[.!?:]$/.test(line.trimEnd());
      if (!isRow) columns = [];
      rows += 1;
      // Others were taken out before, or are parted by more blanks; the end of a passage has lost its blanks.
      const isCut = more < 0 && start + line.length >= text.length;
      const isSingle = !isCut && !/^\s|[ \t]{2}|[ \t]\r?$/.test(line);
      for (const { at, names: of } of isSingle ? columns : []) {
        const first = words[Math.max(0, Math.min(at, at + more, words.length - 1))];
        const last = words[Math.max(0, Math.min(words.length - 1, Math.max(at, at + more)))];
        if (first === undefined || last === undefined) continue;
        found.push(...headings, {
          start: start + first.index,
          end: start + last.index + last[0].length,
          names: of,
        });
        headings = [];
      }
    }
    start += line.length + 1;
  }
  return found;
}

/** In UTF-16 code units. */
const MAX_PAGE_LINE = 400;

const isSentence = (words: readonly string[]): boolean =>
  words.length > MOST_PAGE_WORDS ||
  words.some((word) => ENGLISH_STOP_WORDS.has(word.toLowerCase()) || /[.!?;:,]$/.test(word));

/** Of a line of at least two columns those that are names that are looked for, by the number of columns. */
function namedWords(words: readonly RegExpExecArray[], labelOf: Label) {
  const columns: { at: number; names: readonly string[]; from: number; to: number }[] = [];
  let count = 0;
  for (let at = 0; at < words.length; ) {
    let length = MOST_NAME_WORDS;
    let names: readonly string[] = [];
    for (; length > 0 && names.length === 0; length -= 1)
      names = labelOf(
        words
          .slice(at, at + length)
          .map(([word]) => word)
          .join(' '),
      );
    const last = words[Math.min(at + length, words.length - 1)];
    if (names.length > 0)
      columns.push({
        ...{ at: count, names, from: words[at]?.index ?? 0 },
        to: (last?.index ?? 0) + (last?.[0].length ?? 0),
      });
    at += names.length > 0 ? length + 1 : 1;
    count += 1;
  }
  return count < 2 ? [] : columns.map((column) => ({ ...column, count }));
}
