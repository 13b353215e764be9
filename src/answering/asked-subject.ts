import type { ContextEntry } from '../context/context-pack.js';
import { ENGLISH_STOP_WORDS } from '../core/analysis/english-stop-words.js';
import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import { textsOf } from '../core/metadata.js';
import { expectedAnswerOf } from './expected-answer.js';
import { namesIn } from './missing-names.js';
import { numberedNamesIn } from './numbered-names.js';

/** What is known of the quotation that would be the answer. */
export interface JudgedQuotation {
  readonly entry: Pick<ContextEntry, 'source' | 'title' | 'headingPath' | 'pieces' | 'metadata'>;
  readonly text: string;
  /** The sentence, item, row or line that answers best. */
  readonly decisive: string;
}

/**
 * Whether a quotation tells of something else of the same kind: of ADR 12 where ADR 13 is asked for, of the mail service where it is the search
 * service, of holidays where it is sick leave, of when it was opened where it is when it was closed, of nobody where it is who approved it, of no time where it is when it
 * was introduced. Told by words and numbers of the
 * quoted passage, its title, headings, path and metadata.
 */
export function isOfAnother(question: string, quotation: JudgedQuotation): boolean {
  const { entry } = quotation;
  const titles = [entry.title ?? '', ...entry.headingPath];
  const told = [
    ...titles,
    entry.source.replaceAll(/[/_.-]+/g, ' '),
    ...textsOf(entry.metadata),
    ...entry.pieces.map(({ text }) => text),
  ].join('\n');
  const held = new Set(analyzeText(told));
  return (
    isOfAnotherNumber(question, quotation, told) ||
    isOfAnotherThing(question, titles, held) ||
    isOfNoneOf(askedThing(question), held) ||
    isOtherField(question, quotation) ||
    isOfAnotherTime(question, quotation) ||
    namesNobody(question, quotation) ||
    namesNoTime(question, quotation) ||
    isOtherRow(question, quotation, told)
  );
}

function isOfAnotherNumber(question: string, { entry, decisive }: JudgedQuotation, told: string): boolean {
  const titles = [entry.title ?? '', ...entry.headingPath, entry.source].join('\n');
  return numberedNamesIn(question).some(
    (name) =>
      !name.standsIn(told) ||
      (name.isAnotherIn(titles) && !name.standsIn(titles) && !name.standsIn(decisive)),
  );
}

/** Stretches of words that are not of grammar, in lower case. */
const phrasesOf = (text: string): string[][] =>
  text
    .split(/[^\p{L}\p{M}\p{N}'’_\s-]+/u)
    .flatMap((part) => {
      const phrases: string[][] = [[]];
      for (const word of part.toLowerCase().split(/\s+/)) {
        if (word === '' || ENGLISH_STOP_WORDS.has(word) || ASKING.has(word)) phrases.push([]);
        else phrases.at(-1)?.push(word);
      }
      return phrases;
    })
    .filter((phrase) => phrase.length > 0);

const ASKING = new Set([
  'what',
  'which',
  'who',
  'whom',
  'whose',
  'when',
  'where',
  'why',
  'how',
  'our',
  'my',
  'your',
  'us',
  'me',
]);

/** `search service` where a title is `Mail service`, and nothing says `search`. */
function isOfAnotherThing(question: string, titles: readonly string[], held: ReadonlySet<string>): boolean {
  const asked = new Set(analyzeText(question));
  const called = titles.flatMap(phrasesOf).filter((phrase) => phrase.length > 1);
  return phrasesBehind(question).some((phrase) => {
    const [modifier, head] = phrase.slice(-2);
    if (modifier === undefined || head === undefined || !/\p{L}{3}/u.test(head)) return false;
    if (isHeld(modifier, held)) return false;
    return called.some((other) => {
      const [otherModifier = '', otherHead = ''] = other.slice(-2);
      return sameStem(otherHead, head) && !isHeld(otherModifier, asked);
    });
  });
}

/** Phrases of a question behind an article, a possessive or `of`: of others the last word may be a verb. */
const phrasesBehind = (question: string): string[][] =>
  question
    .split(/\b(?:the|an?|our|my|your|this|that|of)\s+/i)
    .slice(1)
    .flatMap((part) => phrasesOf(part).slice(0, 1));

const isHeld = (word: string, terms: ReadonlySet<string>): boolean =>
  analyzeText(word).every((term) => terms.has(term));
const sameStem = (left: string, right: string): boolean =>
  analyzeText(left).join(' ') === analyzeText(right).join(' ');

/** What is counted, and what a field is asked of. */
const ASKED_THING = [
  /\bhow (?:many|much) [\p{L}-]+ of (?:the |our |my )?((?:[\p{L}\p{N}-]+ ?){1,3}?)(?= (?:do|does|did|is|are|was|were|can|will|may|must|should|has|have|per|in|for|on|at|to|before|after)\b|[?.!]*$)/iu,
  /^(?:and )?(?:what|which|who)(?:'s| is| are| was| were)? the (?:[\p{L}-]+ ){1,2}(?:of|for) (?:the |our |a |an )?((?:[\p{L}\p{N}-]+ ?){1,3}?)[?.!]*$/iu,
];
const askedThing = (question: string): string[] =>
  ASKED_THING.flatMap((pattern) => analyzeText(pattern.exec(question)?.[1] ?? ''));

const isOfNoneOf = (asked: readonly string[], held: ReadonlySet<string>): boolean =>
  asked.length > 0 && !asked.some((term) => held.has(term));

const WHEN = /^(?:and )?when (?:was|were|did|is|are|will|does)\b/i;
const ROW = /^\s*(?:\||[-*+]\s|[\p{L}][\p{L}\p{N} _-]{0,40}:\s)/u;

/** `Opened | 2019-04-01` where it is asked when it was closed: of rows and fields one has to name what happened, with a date. */
function isOtherField(question: string, { text }: JudgedQuotation): boolean {
  if (!WHEN.test(question) || expectedAnswerOf(question) !== 'time') return false;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2 || !lines.every((line) => ROW.test(line) || /^-{3,}$/.test(line))) return false;
  const verb = analyzeText(phrasesOf(question).at(-1)?.at(-1) ?? '');
  const isDated = (line: string): boolean => /\d{4}|\d{1,2}[.:/]\d{1,2}/.test(line);
  const names = (line: string): boolean => {
    const terms = new Set(analyzeText(line));
    return verb.every((term) => terms.has(term)) || /^\W*(?:date|when)\b/i.test(line);
  };
  return (
    lines.some(isDated) && !lines.some((line) => isDated(line) && (names(line) || names(lines[0] ?? '')))
  );
}

const RELATIVE_TIME =
  /\b(?:(last|previous|past|this|current|next|coming|following|upcoming) (day|night|week|weekend|month|quarter|year|sprint|release)|(yesterday|today|tomorrow))\b/gi;
const TIMES: Readonly<Record<string, string>> = {
  ...{ last: 'before', previous: 'before', past: 'before', yesterday: 'before' },
  ...{ this: 'now', current: 'now', today: 'now' },
  ...{ next: 'after', coming: 'after', following: 'after', upcoming: 'after', tomorrow: 'after' },
};

/** `next week`, `tomorrow`, told by when it is and of what length. */
const relativeTimesIn = (text: string): string[] =>
  [...text.matchAll(RELATIVE_TIME)].map(
    ([, when = '', length = 'day', day]) =>
      `${TIMES[(day ?? when).toLowerCase()] ?? ''} ${length.toLowerCase()}`,
  );

/** Of this week, where it is asked for next month: what is quoted, or its heading, says when, and never the time asked for. */
function isOfAnotherTime(question: string, { entry, text }: JudgedQuotation): boolean {
  const asked = relativeTimesIn(question);
  const told = relativeTimesIn([entry.title ?? '', ...entry.headingPath, text].join('\n'));
  return asked.length > 0 && told.length > 0 && !asked.some((time) => told.includes(time));
}

const WHO_DID =
  /^(?:and )?who (?:has |had )?(?:approved|reviewed|wrote|written|authored|drafted|decided|reported|signed|created|introduced|proposed|invented|founded|filed|requested|owns?|maintains?|leads?|manages?|runs)\b/i;
/** A role, an address, or a name behind a label or within a sentence. */
const PERSON =
  /@|\b(?:I|we|he|she|they|team|group|board|committee|council|company|community|squad|department|members?|maintainers?|contributors?|authors?|engineers?|developers?|managers?|leads?|heads?|owners?|directors?|editors?|officers?|architects?|admins?)\b|(?<=[\p{L}\p{N},;:=|"'] ["']?)\p{Lu}\p{Ll}+/gu;

/** Nobody is told of, where it is asked who did it. */
function namesNobody(question: string, { text }: JudgedQuotation): boolean {
  if (!WHO_DID.test(question)) return false;
  const asked = new Set(analyzeText(question));
  return (text.match(PERSON) ?? []).every((word) => isAskedOf(word, asked));
}

const WHEN_DID = /^(?:and )?when (?:was|were|did|has|have)\b/i;
/** A date, a version, a duration, or what it followed, however it is written. */
const TIME =
  /\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b\p{L}+day\b|\b(?:after|before|once|when|while|during|since|until|till|ago|recently|already|never|always|now|currently|originally|initially|later|first|century|decade|release|version)\b/iu;

/** No time is told, where it is asked when it was. */
const namesNoTime = (question: string, { text }: JudgedQuotation): boolean =>
  WHEN_DID.test(question) && !TIME.test(text);

/** A pronoun and an address are of no question. */
function isAskedOf(word: string, asked: ReadonlySet<string>): boolean {
  const terms = analyzeText(word);
  return terms.length > 0 && terms.every((term) => asked.has(term));
}

/** A row of a table that asks for another one by its name: it is not in the table, nor above it. */
function isOtherRow(question: string, { decisive }: JudgedQuotation, told: string): boolean {
  if (!/^\s*\|.*\|\s*$/.test(decisive)) return false;
  const held = new Set(analyzeText(told));
  return namesIn(question).some((name) => !isHeld(name, held) && !isMajorIn(name, told));
}

/** `v4` is of `4.0.0`. */
const isMajorIn = (name: string, text: string): boolean =>
  /^v\d+$/i.test(name) && new RegExp(`(?<![\\d.])${name.slice(1)}\\.\\d`).test(text);
