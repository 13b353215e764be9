import { ENGLISH_STOP_WORDS } from './english-stop-words.js';
import { GenerationalCache } from './generational-cache.js';
import { foldCase, normaliseText } from './normalise.js';
import { stemEnglish } from './porter2-stemmer.js';
import { cutToUnits, forEachWord, isSpaceless, MAX_TERM_LENGTH, partsOf } from './tokens.js';

/** Grows with every change of the terms a text yields: an index made by another version must be built again. */
export const ANALYSIS_VERSION = 4;

/** Longest query that is analysed, in UTF-16 code units; the rest is cut and reported. */
export const MAX_QUERY_LENGTH = 8_192;

/** Most distinct terms of a query that are looked up; the rest is cut and reported. */
export const MAX_QUERY_TERMS = 128;

/** A query as the lexical lane needs it. */
export interface AnalyzedQuery {
  /** Distinct terms in order of first appearance. */
  readonly terms: readonly string[];
  /** How often the text holds each of `terms`, in their order. */
  readonly counts: readonly number[];
  /** The text holds words, and all of them are stop words, so nothing can match lexically. */
  readonly isStopWordsOnly: boolean;
  /** The text was longer than `MAX_QUERY_LENGTH` or had more than `MAX_QUERY_TERMS` terms. */
  readonly truncated: boolean;
}

/**
 * Terms of a text in order, repeated as often as they occur; no term holds white space. Writing and reading share it.
 *
 * Text is normalised (NFKC), accents folded, lower-cased and cut at what is neither letter nor digit; names are kept whole
 * and split (`getUserById` -> `getuserbyid get user id`, `PPR-9087` -> `ppr-9087 ppr 9087`); English stop words go; Latin
 * words are stemmed (Porter2); scripts without spaces yield pairs of characters. Umlauts are found both ways they are written without
 * (`Müller`: `muller`, `mueller`), German compounds by their parts where an ending shows them (`Kündigungsfrist`), Arabic words
 * without their article, and with and without a conjunction or preposition that may be part of them. Linear time on any input.
 */
export function analyzeText(text: string): string[] {
  const terms: string[] = [];
  analyze(text, (term) => terms.push(term));
  return terms;
}

const LETTERS_AND_DIGITS = /^[a-z0-9]+$/i;

/** The terms of one word of `forEachWord`, as `analyzeText` gives them. Words without joiners, most of all, take a single look-up. */
export const analyzeWord = (word: string): readonly string[] =>
  word.length <= MAX_TERM_LENGTH && LETTERS_AND_DIGITS.test(word)
    ? termsOfWords.getOrMake(word, termsOf)
    : analyzeText(word);

/** The same analysis for a query: distinct terms with their counts, bounded in number. Operators and quotes have no meaning: they are text. */
export function analyzeQuery(text: string): AnalyzedQuery {
  const cut = cutToUnits(text, MAX_QUERY_LENGTH);
  const counts = new Map<string, number>();
  let truncated = cut.length < text.length;
  const sawWords = analyze(cut, (term) => {
    const count = counts.get(term);
    if (count !== undefined || counts.size < MAX_QUERY_TERMS) counts.set(term, (count ?? 0) + 1);
    else truncated = true;
  });
  return {
    terms: [...counts.keys()],
    counts: [...counts.values()],
    isStopWordsOnly: sawWords && counts.size === 0,
    truncated,
  };
}

/**
 * The terms of which an index holds at least one where it holds a name, as a whole and in whatever case: `SnapshotAgent` is kept
 * as it is, `snapshotagent` is stemmed as a word of English. Of a name of several words (`app.SnapshotAgent`) those of the longest.
 */
export function termsOfName(name: string): string[] {
  const words: string[] = [];
  forEachWord(normaliseText(name), (word) => words.push(word));
  const [longest = ''] = words.sort((a, b) => b.length - a.length);
  const forms = [longest, longest.toLowerCase(), longest.replace(PLURAL, '')];
  return [...new Set(forms.flatMap((form) => analyzeText(form).slice(0, 1)))];
}

/** `ProxyAgents`, but not `iOS` or `SaaS`. */
const PLURAL = /(?<=\p{Ll})s$/u;

const termsOfWords = new GenerationalCache<readonly string[]>(32_768);

/** A word with an umlaut, which may also be written with two letters. */
const WITH_UMLAUT = /[\p{L}\p{N}]*[äöüÄÖÜ][\p{L}\p{N}]*/gu;
const HAS_UMLAUT = /[äöüÄÖÜ]|[aouAOU]\u0308/;
const WRITTEN_OUT: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };

const writtenOut = (word: string): string =>
  foldCase(normaliseText(word.toLowerCase().replace(/[äöü]/g, (letter) => WRITTEN_OUT[letter] ?? letter)));

/** A word in small letters without accents, in each way in which `analyzeText` takes it, without its stem. */
export function writtenForms(word: string): readonly string[] {
  const folded = foldCase(normaliseText(word));
  if (HAS_UMLAUT.test(word)) return [folded, writtenOut(word)];
  return ARABIC_WORD.test(folded) ? [...new Set([folded, ...arabicForms(folded)])] : [folded];
}

/** Returns whether the text holds any word at all. */
function analyze(text: string, emit: (term: string) => void): boolean {
  let sawWords = false;
  if (HAS_UMLAUT.test(text))
    for (const [word] of text.normalize('NFC').matchAll(WITH_UMLAUT)) {
      if (word.length > MAX_TERM_LENGTH) continue;
      for (const term of simpleTerms(writtenOut(word))) emit(term);
    }
  forEachWord(normaliseText(text), (word) => {
    sawWords = true;
    for (const term of termsOfWords.getOrMake(word, termsOf)) emit(term);
  });
  return sawWords;
}

function termsOf(word: string): readonly string[] {
  if (isSpaceless(word)) return [foldCase(word)];
  const bare = withoutApostrophes(word);
  const parts = partsOf(bare);
  const whole = cutToUnits(foldCase(bare), MAX_TERM_LENGTH);
  return parts.length === 0
    ? simpleTerms(whole)
    : [whole, ...parts.flatMap((part) => simpleTerms(foldCase(part)))];
}

// `patient's` is `patient`, `don't` is `dont`.
const withoutApostrophes = (word: string): string =>
  word.includes("'") ? word.replace(/'s$/i, '').replaceAll("'", '') : word;

const LATIN_WORD = /^[a-z]+$/;

const ARABIC_WORD = /^\p{Script=Arabic}+$/u;
/** With a conjunction or preposition before it (Larkey, Ballesteros and Connell, SIGIR 2002, light stemming); at least three letters are left. */
const ARABIC_ARTICLE = /^(?:[وفبك]?ال|لل)(?=\p{L}{3})/u;

/** A conjunction or preposition that is written as part of the word; a word that begins with the letter itself keeps its form beside. */
const ARABIC_PREFIX = /^(?:و(?=\p{L}{3})|[فبكل](?=\p{L}{4}))/u;

/** Without its article; where it may have a conjunction or preposition, also without that. */
function arabicForms(word: string): readonly string[] {
  const bare = word.replace(ARABIC_ARTICLE, '');
  const rest = bare === word ? word.replace(ARABIC_PREFIX, '') : bare;
  return rest === bare ? [bare] : [bare, rest];
}

/** The `s` behind these endings joins the words of a German compound, and ends no word of English with so many letters behind it. */
const COMPOUND = /^([a-z]{3,}(?:ung|heit|keit|schaft|ion|taet|tat|ling))s([a-z]{4,})$/;

function simpleTerms(word: string): readonly string[] {
  if (ARABIC_WORD.test(word)) return arabicForms(word).map((form) => cutToUnits(form, MAX_TERM_LENGTH));
  if (!LATIN_WORD.test(word)) return [cutToUnits(word, MAX_TERM_LENGTH)];
  if (ENGLISH_STOP_WORDS.has(word)) return [];
  const [, first, second] = COMPOUND.exec(word) ?? [];
  return first === undefined || second === undefined
    ? [stemEnglish(word)]
    : [stemEnglish(word), stemEnglish(first), ...simpleTerms(second)];
}
