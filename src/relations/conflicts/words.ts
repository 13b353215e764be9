import { ENGLISH_STOP_WORDS } from '../../core/analysis/english-stop-words.js';
import { GenerationalCache } from '../../core/analysis/generational-cache.js';
import { foldCase, isAscii, normaliseText } from '../../core/analysis/normalise.js';
import type { TextRange } from '../../core/document.js';
import { NEGATIONS } from './opposites.js';
import { LIGHT_WORDS, termOf } from './word-classes.js';

/**
 * What a word does in a statement. `content`: it says what the statement is about. `name`: as `content`, and it stands for one thing (a
 * capital inside of the sentence, a name of code, an address). `number`: its value can differ. `negation`: it turns the statement round.
 * `grammar`: articles and the like.
 */
export type WordKind = 'content' | 'name' | 'number' | 'negation' | 'grammar';

/** A word of a statement. */
export interface StatementWord extends TextRange {
  /** Lower case, stemmed where it is an English word: equal words mean the same. */
  readonly term: string;
  readonly kind: WordKind;
  /** Of a number. */
  readonly value?: number | undefined;
}

const ADDRESS = String.raw`https?://[^\s<>()[\]"'\x60]+|[#@][a-z][\w.-]*\w`;
/** A dash behind a word or a number joins, or makes a range. */
const SIGN = String.raw`(?<![\p{L}\p{N})%]|\d\s)[-−–]`;
const NUMBER_END = String.raw`(?:(?![\p{L}\p{N}])|(?=[a-z]{1,7}(?![\p{L}\p{N}])))`;
const NUMBER = String.raw`(?:${SIGN})?\p{Sc}?\d+(?:,\d{3})*(?:\.\d+)*${NUMBER_END}`;
/** A time of day, or a proportion. */
const CLOCK = String.raw`(?<![\p{L}\p{N}.:])\d{1,4}(?::\d{1,4}){1,2}${NUMBER_END}`;
const WORD = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’/.@+_-]+[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*`;
const VERSION = String.raw`v\d+(?:\.\d+)+`;
const ONE_ON_ONE = String.raw`1[-:]1s?\b`;
const TOKEN = new RegExp(`${ADDRESS}|${ONE_ON_ONE}|${VERSION}|${CLOCK}|${NUMBER}|[%‰]|${WORD}`, 'giu');

/** Targets of links are where a text leads, not what it says. */
const LINK_TARGET = /\]\([^()\s]*(?:\s"[^"]*")?\)|\]\[[^\]\n]{1,100}\]|<[^<>\n]{1,300}>|\{\{[^{}\n]*\}\}/g;

const MARKED = /[<({[]/;

const CODE_NAME =
  /[a-z][A-Z]|[A-Za-z]_[A-Za-z]|[A-Za-z]\d|^[A-Z]{2,}s?$|^(?!and\/or$)[\w]+\/[\w]|\w\.\w{2,}|^(?:https?:|[#@])|\w@\w/;
const CAPITAL = /^\p{Lu}/u;
const BEGINS_SENTENCE = /[.!?:]\s+["'(*_]*$/;
/** What may stand between the end of a sentence and the beginning of the next one. */
const LOOKED_BACK = 6;
const BACKTICK = 96;

/** Words of a text in order. Time linear in its length. */
export function statementWords(text: string): StatementWord[] {
  // As long as the text, so that ranges stay.
  const shown = !MARKED.test(text) ? text : text.replace(LINK_TARGET, (target) => ' '.repeat(target.length));
  const words: StatementWord[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(shown); match !== null; match = TOKEN.exec(shown)) {
    const [token] = match;
    const start = match.index;
    const reading = readings.getOrMake(token, readWord);
    const { term, value, isName, isCapital } = reading;
    const isMonth = term === 'may' && isMay(token, words, shown.slice(start + token.length));
    const kind = isMonth ? 'content' : reading.kind;
    // A capital at the beginning of a sentence is none of a name.
    const isNamed =
      kind === 'content' &&
      (isName ||
        shown.charCodeAt(start - 1) === BACKTICK ||
        (isCapital &&
          words.length > 0 &&
          !BEGINS_SENTENCE.test(shown.slice(Math.max(0, start - LOOKED_BACK), start))));
    words.push({ term, kind: isNamed ? 'name' : kind, value, start, end: start + token.length });
  }
  return words;
}

/** Before a name of a month. */
const BEFORE_MONTH: ReadonlySet<string> = new Set(
  'in of by since until till during from to through early late last next this every each before after between and mid end'.split(
    ' ',
  ),
);
const DAY = /^\d{1,2}(?:st|nd|rd|th)?$/;

/** Whether "may" is the month: beside a day or a year, or with a capital behind "in" and the like. */
function isMay(token: string, before: readonly StatementWord[], behind: string): boolean {
  const previous = before.at(-1);
  const isDated = previous !== undefined && DAY.test(previous.term);
  if (token !== 'May') return isDated && /^,?\s\d{4}(?!\d)/.test(behind);
  return (
    isDated ||
    /^\s\d{1,4}(?:st|nd|rd|th)?(?![\p{L}\d])/u.test(behind) ||
    BEFORE_MONTH.has(previous?.term ?? '')
  );
}

/** A word as far as it does not depend on its place. */
interface WordReading extends Pick<StatementWord, 'term' | 'kind' | 'value'> {
  readonly isName: boolean;
  readonly isCapital: boolean;
}

const readings = new GenerationalCache<WordReading>(32_768);

function readWord(token: string): WordReading {
  const folded = foldCase(isAscii(token) ? token : normaliseText(token)).replaceAll('’', "'");
  const shape = { isName: CODE_NAME.test(token), isCapital: CAPITAL.test(token) };
  const value = numberValue(folded);
  if (value !== undefined) return { ...shape, term: withoutMarks(folded), kind: 'number', value };
  if (/^v?\d+(?:[.:]\d+)+$/.test(folded)) return { ...shape, term: folded.replace(/^v/, ''), kind: 'number' };
  if (NEGATIONS.has(folded)) return { ...shape, term: folded, kind: 'negation' };
  const bare = folded.replace(/'s$/, '');
  if (LIGHT_WORDS.has(bare) || ENGLISH_STOP_WORDS.has(bare.replaceAll("'", '')))
    return { ...shape, term: bare, kind: 'grammar' };
  return { ...shape, term: termOf(bare), kind: 'content' };
}

/** Numbers that are written out. "One" stands for too many other things. */
const WRITTEN: Readonly<Record<string, number>> = {
  zero: 0,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  ninety: 90,
  hundred: 100,
  thousand: 1000,
  twice: 2,
};

const withoutMarks = (number: string): string =>
  number.replace(/^[−–]/, '-').replace(/\p{Sc}|,(?=\d{3})/gu, '');

/** The value of a number as it is written; undefined for what is none. Hours with minutes count in hours. */
function numberValue(word: string): number | undefined {
  const written = Object.hasOwn(WRITTEN, word) ? WRITTEN[word] : undefined;
  if (written !== undefined) return written;
  const digits = withoutMarks(word);
  const time = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(digits);
  if (time !== null) return Number(time[1]) + Number(time[2]) / 60 + Number(time[3] ?? 0) / 3600;
  return /^-?\d+(?:\.\d+)?$/.test(digits) ? Number(digits) : undefined;
}
