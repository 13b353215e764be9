import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import type { ConversationTurn } from './answer.js';

/** A question that can be searched for without its conversation. */
export interface StandaloneQuestion {
  /** For people: the question, with what it refers to in brackets where something was added. */
  readonly text: string;
  /** For the search. */
  readonly query: string;
  /** The question as it was asked. */
  readonly asked: string;
  readonly isRewritten: boolean;
  readonly by: 'none' | 'rules' | 'model';
}

const REFERENCE =
  /\b(?:it|its|this|that|these|those|they|them|their|theirs|he|him|his|she|her|hers|there|then|one|ones|such|same|former|latter|others?|another|else|above|previous(?:ly)?|mentioned|do so|does so|did so)\b/i;
const CONTINUATION =
  /^(?:and|but|or|so|also|what about|how about|then|ok(?:ay)?|why|how come|which ones?|anything else|tell me more|more|explain|elaborate|continue|really|is that|are they|what else|for example)\b/i;

/** Words of a question that stand for themselves. */
const ENOUGH_TERMS = 4;
/** Terms taken from earlier turns. */
const MOST_ADDED = 12;

/** A question that stands alone. */
export const unchangedQuestion = (question: string): StandaloneQuestion => ({
  text: question,
  query: question,
  asked: question,
  isRewritten: false,
  by: 'none',
});

/** Whether a question leans on what was said before: it refers back, goes on, or says too little to be searched for. */
export const isFollowUp = (question: string): boolean =>
  REFERENCE.test(question) ||
  CONTINUATION.test(question.trim()) ||
  new Set(analyzeText(question)).size < ENOUGH_TERMS;

/**
 * Makes a follow-up searchable by rules, and leaves alone what stands for itself: the words of the user's previous question that it does not repeat are added, and
 * where that was a follow-up too, those of the question before it. What the assistant said is not trusted for words.
 */
export function rewriteByRules(question: string, history: readonly ConversationTurn[]): StandaloneQuestion {
  const asked = history.filter(({ role }) => role === 'user').map(({ content }) => content);
  const unchanged = unchangedQuestion(question);
  if (asked.length === 0 || !isFollowUp(question)) return unchanged;
  const topic = topicWords(question, asked);
  if (topic.length === 0) return unchanged;
  return {
    text: `${question.trim()} (${topic.join(' ')})`,
    query: `${question.trim()}\n${topic.join(' ')}`,
    asked: question,
    isRewritten: true,
    by: 'rules',
  };
}

function topicWords(question: string, asked: readonly string[]): string[] {
  const known = new Set(analyzeText(question));
  const words: string[] = [];
  for (const earlier of [...asked].reverse()) {
    for (const word of contentWords(earlier)) {
      const terms = analyzeText(word);
      if (terms.length === 0 || terms.every((term) => known.has(term))) continue;
      for (const term of terms) known.add(term);
      if (words.length < MOST_ADDED) words.push(word);
    }
    if (!isFollowUp(earlier)) break;
  }
  return words;
}

const contentWords = (text: string): string[] =>
  text.match(/[\p{L}\p{N}][\p{L}\p{N}._/'’-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu) ?? [];
