import { analyzeText } from '../core/analysis/lexical-analyzer.js';

/** What kind of thing a question asks for. */
export type ExpectedAnswer = 'time' | 'quantity' | 'name' | 'reason' | 'any';

const PATTERNS: readonly (readonly [ExpectedAnswer, RegExp])[] = [
  ['time', /\bwhen\b|\b(?:what|which) (?:year|date|day|month|century|decade|season|time)\b/i],
  [
    'quantity',
    /\bhow (?:many|much|long|old|far|large|big|tall|high|often|fast|deep|wide)\b|\b(?:what|which) (?:percentage|percent|number|amount|age|size|share|portion|fraction|version|port|limit)\b/i,
  ],
  [
    'name',
    /\bwho(?:se|m)?\b|\bwhere\b|\b(?:what|which) (?:person|man|woman|king|president|player|author|company|organi[sz]ation|group|team|name|city|country|state|place|location|region|town|river|area|university|school|island|tool|service|library|owner)\b/i,
  ],
  ['reason', /\bwhy\b|\bwhat (?:caused|causes|reason)\b/i],
];

/** Told by the question's own words; the first pattern that fits decides. */
export const expectedAnswerOf = (question: string): ExpectedAnswer =>
  PATTERNS.find(([, pattern]) => pattern.test(question))?.[0] ?? 'any';

const NUMBER =
  /^[$€£]?\d|^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion|half|third|quarter|twice)$/i;
const MONTH = /^(?:January|February|March|April|May|June|July|August|September|October|November|December)$/;
const YEAR = /^(?:1\d{3}|20\d\d)s?$/;
const REASON =
  /\b(?:because|since|due to|so that|in order to|therefore|as a result|caused?|reason|led to)\b/i;

const WORD = /[$€£]?[\p{L}\p{N}][\p{L}\p{N}.,%'’-]*/gu;
const REACH = 6;

export interface AnswerTypeEvidence {
  /** The sentence holds something of the expected kind that the question does not: 1; for other questions 0.5. */
  readonly present: number;
  /** How near it stands to a word of the question: 1 beside it, less within six words, else 0; for other questions 0.5. */
  readonly near: number;
}

/** Whether a sentence holds what a question asks for, judged by form alone. */
export function answerTypeEvidence(question: string, sentence: string): AnswerTypeEvidence {
  const expected = expectedAnswerOf(question);
  if (expected === 'any') return { present: 0.5, near: 0.5 };
  if (expected === 'reason') return { present: REASON.test(sentence) ? 1 : 0, near: 0.5 };
  const terms = new Set(analyzeText(question));
  const words = (sentence.match(WORD) ?? []).map((word) => word.replace(/[.,]+$/, ''));
  const asked = words.map((word) => analyzeText(word).some((term) => terms.has(term)));
  const fits = words.map((word, i) => asked[i] !== true && isOfKind(word, i, expected));
  const near = fits.reduce((best, fit, i) => (fit ? Math.max(best, nearness(asked, i)) : best), 0);
  return { present: fits.includes(true) ? 1 : 0, near };
}

function isOfKind(word: string, index: number, expected: ExpectedAnswer): boolean {
  if (expected === 'time')
    return YEAR.test(word) || MONTH.test(word) || /^(?:century|\d{1,2}(?:st|nd|rd|th))$/.test(word);
  if (expected === 'quantity') return NUMBER.test(word);
  // The first word of a sentence has a capital anyway.
  return index > 0 && /^\p{Lu}/u.test(word);
}

function nearness(asked: readonly boolean[], at: number): number {
  for (let distance = 1; distance <= REACH; distance++) {
    if (asked[at - distance] === true || asked[at + distance] === true) return 1 - (distance - 1) / 8;
  }
  return 0;
}
