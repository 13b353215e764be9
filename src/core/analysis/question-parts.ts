import { ENGLISH_STOP_WORDS } from './english-stop-words.js';
import { analyzeText } from './lexical-analyzer.js';

/** A part of a question that is searched for alone: a stretch of its text. */
export interface QuestionPart {
  readonly text: string;
  readonly kind: 'sentence' | 'clause' | 'compared';
}

/** A question has fewer; a text that has more is no question. */
const MOST_PARTS = 4;
/** Characters of a question that are looked at. */
const LONGEST = 2_000;
/** Content words without which a sentence or clause finds anything. */
const LEAST_TERMS = 2;

/** An end of a sentence, then a beginning: not the dot of `v1.2` or `e.g. this`. */
const SENTENCE_END = /(?<=[.?!;:])\s+(?=["'(]?\p{Lu})|\n+/u;
const QUESTION_WORD = '(?:how|what|which|who|whom|whose|where|when|why|can|may|should|must|do|does|is|are)';
/** `..., and how is it done?`: a second question. */
const SECOND_QUESTION = new RegExp(
  String.raw`\s*(?:[,;]\s*(?:and|or|but)?|\s(?:and|or|but))\s+(?=(?:(?:in|on|at|by|for|to|from|under|with)\s+)?${QUESTION_WORD}\s)`,
  'iu',
);

const SIDE = '(.{2,160}?)';
const END = String.raw`(?:\s+(?:in|when|for|with regard|regarding|as to|on|during|about)\b.*)?[?.!]*$`;
const COMPARISONS: readonly RegExp[] = [
  new RegExp(String.raw`\bdifferences?\s+between\s+${SIDE}\s+and\s+${SIDE}${END}`, 'iu'),
  new RegExp(String.raw`\b(?:how|where)\s+do(?:es)?\s+${SIDE}\s+differ\s+from\s+${SIDE}${END}`, 'iu'),
  new RegExp(String.raw`\b(?:how|where)\s+do(?:es)?\s+${SIDE}\s+and\s+${SIDE}\s+(?:differ|compare)\b`, 'iu'),
  new RegExp(String.raw`\bcompare\s+${SIDE}\s+(?:and|with|to|against)\s+${SIDE}${END}`, 'iu'),
  new RegExp(
    String.raw`^${SIDE}\s+(?:vs\.?(?!\s+(?:code|studio)\b)|versus|compared\s+(?:with|to)|as\s+opposed\s+to)\s+${SIDE}(?:\s*[:?.!](?:\s.*)?)?$`,
    'iu',
  ),
];

/**
 * What a question is made of: its sentences, the questions that `and` joins, both sides of a comparison. Each part is a stretch of the
 * question, in its order; none is all of it. Empty where the question asks one thing.
 */
export function questionParts(question: string): QuestionPart[] {
  const text = question.slice(0, LONGEST).trim();
  const sentences = text.split(SENTENCE_END).map(trimmed);
  const parts = sentences.flatMap((sentence): QuestionPart[] => [
    ...(sentence === text ? [] : [{ text: sentence, kind: 'sentence' as const }]),
    ...comparedIn(sentence),
    ...clausesOf(sentence),
  ]);
  const seen = new Set([trimmed(text)]);
  return parts
    .filter(({ text: part, kind }) => {
      const isNew = !seen.has(part);
      seen.add(part);
      return isNew && contentTerms(part).length >= (kind === 'compared' ? 1 : LEAST_TERMS);
    })
    .slice(0, MOST_PARTS);
}

function comparedIn(sentence: string): QuestionPart[] {
  for (const pattern of COMPARISONS) {
    const [, left, right] = pattern.exec(sentence) ?? [];
    if (left === undefined || right === undefined) continue;
    return [left, right].map((side) => ({ text: trimmed(side), kind: 'compared' }));
  }
  return [];
}

function clausesOf(sentence: string): QuestionPart[] {
  const clauses = sentence.split(SECOND_QUESTION).map(trimmed);
  return clauses.length < 2 ? [] : clauses.map((text) => ({ text, kind: 'clause' }));
}

/** Both sides of what a question compares; empty where it compares nothing. */
export const comparedSides = (question: string): string[] =>
  question
    .slice(0, LONGEST)
    .trim()
    .split(SENTENCE_END)
    .map((sentence) => comparedIn(trimmed(sentence)).map(({ text }) => text))
    .find((sides) => sides.length > 0) ?? [];

const trimmed = (text: string): string => text.replace(/^[\s,;:"'(]+|[\s,;:."'()?!]+$/gu, '');

/** Words of questions that no document needs to hold. */
const ASKING = new Set(
  analyzeText(
    'difference differ compare compared mean happen happens need needs want tell say says use used using make get way kind thing please',
  ),
);

/** Distinct terms that a text is about. */
export const contentTerms = (text: string): string[] =>
  [...new Set(analyzeText(text))].filter((term) => !ASKING.has(term) && !ENGLISH_STOP_WORDS.has(term));
