import { literalPattern } from '../literal-pattern.js';
import { oneLine } from '../one-line.js';
import { ENGLISH_STOP_WORDS } from './english-stop-words.js';
import { analyzeText } from './lexical-analyzer.js';
import { foldCase } from './normalise.js';
import { holdsPhrase, phraseWords, SIGNS_BEHIND } from './phrase-words.js';

/** What a query asks for beside its words: `"a phrase"`, `-word`, `-"a phrase"`, `word*`. */
export interface QueryOperators {
  /** As written, without the quotes. */
  readonly phrases: readonly string[];
  /** What is found may not hold. */
  readonly excluded: readonly ExcludedWords[];
  /** Beginnings of words, without the star. */
  readonly beginnings: readonly string[];
  /** Numbers behind a minus sign, as written: they leave out nothing. */
  readonly negatives: readonly string[];
  /** The query with the words of phrases and beginnings as plain words, and without what it excludes: empty where it does nothing else. */
  readonly text: string;
  /** The query says nothing else, so that only what has the phrases and beginnings is wanted. */
  readonly isStrict: boolean;
}

export interface ExcludedWords {
  readonly words: string;
  /** Without quotes, it may be the option of a command as well. */
  readonly isQuoted: boolean;
}

/** A longer query, or one of several lines, was pasted: its quotes, minus signs and stars are text. */
const LONGEST = 512;

const QUOTED = `"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»`;
/** `4.1.0`, `4.1.0-rc.1`; `06.07.2026` is a date. */
const VERSION = String.raw`(?!\d{1,2}\.\d{1,2}\.\d{4}(?![\p{N}.]))\d+(?:\.\d+){2,}(?:[-+.]?[\p{L}\p{N}])*`;
/** A version, or a letter and two characters more, or a sign behind it (`-C#`): `-n` and `-it` are options of commands. */
const EXCLUDED_WORD = String.raw`${VERSION}|\.?\p{L}(?:[\p{L}\p{M}\p{N}_'-]|\.(?=[\p{L}\p{N}])){2,}(?:${SIGNS_BEHIND})?|\p{L}{1,2}${SIGNS_BEHIND}`;
const BEGINNING = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_.-]*[\p{L}\p{M}\p{N}])?-?`;
const NEGATIVE = /(?<=(?:^|\s)\(?)-\d\S*/gu;
const END = String.raw`(?=[?.!,;:)]*(?:\s|$))`;
const OPERATOR = new RegExp(
  String.raw`(?<=(?:^|\s)\(?)(?:(-?)(?:${QUOTED})|-(${EXCLUDED_WORD})|(${BEGINNING})\*)${END}`,
  'gu',
);

/** Where a query has none of these it has no operator, and the large expression need not be compiled: 60 ms of a command. */
const SIGN = /["“„«*]|(?:^|[\s(])-/u;

/** Before the second half of a compound: `Privatpersonen und -organisationen`. */
const JOINS = /(?:^|\s)(?:und|oder|sowie|bzw\.|en|of|and|or|och|og|eller|y|o|et|ou|e),?\s+$/iu;

/** The operators of a query, undefined where it has none. Linear time. */
export function readOperators(query: string): QueryOperators | undefined {
  if (query.length > LONGEST || query.includes('\n') || !SIGN.test(query)) return undefined;
  const phrases: string[] = [];
  const excluded: ExcludedWords[] = [];
  const beginnings: string[] = [];
  const rest: string[] = [];
  let at = 0;
  let text = '';
  for (const match of query.matchAll(OPERATOR)) {
    const [whole, minus, ...parts] = match;
    const [excludedWord, beginning] = parts.slice(-2);
    const quoted = parts.slice(0, -2).find((part) => part !== undefined);
    if (!/[\p{L}\p{N}]/u.test(quoted ?? excludedWord ?? beginning ?? '')) continue;
    const before = query.slice(at, match.index);
    if (excludedWord !== undefined && JOINS.test(before)) continue;
    at = match.index + whole.length;
    rest.push(before);
    if (excludedWord !== undefined || (quoted !== undefined && minus === '-')) {
      excluded.push({ words: excludedWord ?? quoted ?? '', isQuoted: excludedWord === undefined });
      text += before;
    } else if (quoted !== undefined) {
      phrases.push(quoted.trim());
      text += before + quoted;
    } else if (beginning !== undefined) {
      beginnings.push(beginning);
      text += before + beginning;
    }
  }
  rest.push(query.slice(at));
  text += query.slice(at);
  const isNone = phrases.length + excluded.length + beginnings.length === 0;
  if (isNone) return undefined;
  const isStrict = phrases.length + beginnings.length > 0 && !/[\p{L}\p{N}]/u.test(rest.join(' '));
  const negatives = rest.flatMap((part) => part.match(NEGATIVE) ?? []);
  return { phrases, excluded, beginnings, negatives, text: oneLine(text), isStrict };
}

const IS_VERSION = new RegExp(`^(?:${VERSION})$`, 'u');

/** Tells whether a text holds what is excluded: a word in any of its forms (`cars` for `-car`), a phrase as it is. */
export function excludes(excluded: string): (text: string) => boolean {
  if (IS_VERSION.test(excluded)) {
    const version = new RegExp(String.raw`(?<![\p{N}.])v?${literalPattern(excluded)}(?![\p{N}])`, 'iu');
    return (text) => version.test(text);
  }
  const [term, ...others] = analyzeText(excluded);
  // Of several words, with signs, or a word of grammar, which has no term.
  const isPlain = /^[\p{L}\p{M}\p{N}'_-]+$/u.test(excluded) && !ENGLISH_STOP_WORDS.has(foldCase(excluded));
  if (term === undefined || others.length > 0 || !isPlain)
    return (text) => holdsPhrase(phraseWords(text), excluded);
  return (text) => analyzeText(text).includes(term);
}

/** Whether a text holds `-word` as it is written, as the option of a command. */
export const holdsOption = (text: string, word: string): boolean => {
  const at = text.toLowerCase().indexOf(`-${word.toLowerCase()}`);
  return (
    at >= 0 &&
    !/[\p{L}\p{N}-]/u.test(text.charAt(at - 1)) &&
    !/[\p{L}\p{N}]/u.test(text.charAt(at + word.length + 1))
  );
};
