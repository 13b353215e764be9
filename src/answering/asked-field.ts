import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import { type ExpectedAnswer, expectedAnswerOf } from './expected-answer.js';

/** A field of front matter: its key, and what it holds. */
const FIELD = /^\s*["']?([\p{L}_][\p{L}\p{N}_. -]{0,60})["']?\s*[:=]\s*([\s\S]*)$/u;

/** Fields that say what their page is about, in words that a question about its text shares. */
const ABOUT =
  /^(?:title|name|summary|description|abstract|tags?|keywords?|labels?|categor(?:y|ies)|aliases|slug|id)$/i;

/** Fields whose values are of a kind that a question asks for without the word: `who approves it?`, `when was it changed?` */
const KINDS: Readonly<Partial<Record<ExpectedAnswer, RegExp>>> = {
  name: /owner|author|contact|assignee|review|maintain|lead|team|approv|by$/i,
  time: /date|updated|modified|created|lastmod|due|expir|since|until|valid|effective/i,
  quantity: /version|revision|release|size|limit|count|price|cost/i,
};
/** Fields that name nobody. */
const STATES =
  /^(?:(?:doc|document|page|review|approval)[_. -]?)?(?:status|state|stage|phase|lifecycle|draft|published|approved)$/i;
/** Acts that a question asks the person of, and the fields that name one: who owns a page need not have approved it. */
const ACTS: readonly (readonly [asked: RegExp, named: RegExp])[] = [
  [/\b(?:approv\w*|accept\w*|decid\w*|sign(?:s|ed) off)\b/i, /approv|accept|decid|decision|sign|review/i],
  [/\breview\w*\b/i, /review|approv/i],
  [/\b(?:wrote|writ\w+|author\w*|draft\w*)\b/i, /author|writ|draft|creat|by$/i],
  [/\b(?:report(?:s|ed)|filed|raised)\b/i, /report|filed|raised|author|creat|by$/i],
];
/** What may be called so, and is no day, number or switch. */
const NAME = /^(?!\W*(?:true|false|yes|no|null|none)\W*$)(?!\W*\d{4}-\d\d-\d\d).*\p{L}{2}/isu;
const LEAST_STEM = 3;

/** Whether a question asks for what a field of front matter holds, by its key, its kind or its value; true for other text. */
export function asksForField(question: string, field: string): boolean {
  const [, key = '', value = ''] = FIELD.exec(field) ?? [];
  if (key === '') return true;
  if (/\bwho(?:se|m)?\b/i.test(question)) {
    if (STATES.test(key.trim()) || !NAME.test(value)) return false;
    const act = ACTS.find(([asks]) => asks.test(question));
    if (act?.[1].test(key) === false) return false;
  }
  const asked = analyzeText(question);
  const named = analyzeText(key.replaceAll(/[_.-]|(?<=\p{Ll})(?=\p{Lu})/gu, ' '));
  if (named.some((term) => asked.some((other) => isAlike(term, other)))) return true;
  if (ABOUT.test(key.trim())) return false;
  if (KINDS[expectedAnswerOf(question)]?.test(key.trim()) === true) return true;
  const held = new Set(analyzeText(value));
  return asked.some((term) => held.has(term));
}

/** `owns` and `owner`. */
function isAlike(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return a === b || (short.length >= LEAST_STEM && long.length - short.length <= 3 && long.startsWith(short));
}

const OUTDATED_WORDS = 'obsolete|deprecated|superseded|archived|retired|withdrawn|replaced|outdated|old';
/** What its own front matter says is no longer so. */
const OUTDATED = new RegExp(`^(?:${OUTDATED_WORDS})\\b`, 'i');
const ASKS_FOR_OUTDATED = new RegExp(
  `\\b(?:${OUTDATED_WORDS}|older|former(?:ly)?|previous(?:ly)?|histor\\w+|used to)\\b`,
  'i',
);

/** Whether a page calls itself outdated, and the question does not ask for that. */
export const isOutdated = (question: string, status: unknown): boolean =>
  typeof status === 'string' && OUTDATED.test(status.trim()) && !ASKS_FOR_OUTDATED.test(question);
