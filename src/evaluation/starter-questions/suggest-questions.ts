import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import type { Question } from '../question-set.js';
import { seededRandom, shuffled } from '../random.js';
import { questionsFromAcronyms } from './acronyms.js';
import { questionsFromLinks } from './links.js';
import { proseAfter, type StarterDocument, type SuggestedQuestion } from './starter-document.js';

export interface SuggestOptions {
  /** @default 60 */
  readonly max?: number;
  /** Of the choice where there are more. @default 1 */
  readonly seed?: number;
}

/**
 * A start for a question set out of the corpus itself: link texts, definitions of acronyms, headings, as evenly as there
 * are, from as many documents as there are. The same corpus and seed give the same questions.
 */
export function suggestQuestions(
  documents: readonly StarterDocument[],
  { max = 60, seed = 1 }: SuggestOptions = {},
): Question[] {
  const random = seededRandom(seed);
  const kinds = [
    questionsFromLinks(documents),
    questionsFromAcronyms(documents),
    questionsFromHeadings(documents),
  ].map((questions) => spread(shuffled(questions, random)));
  const chosen = shareOut(kinds, max);
  const counts = new Map<string, number>();
  return chosen.map(({ type, question, gold, alternates }) => {
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    return {
      id: `${type}-${String(count).padStart(3, '0')}`,
      question,
      type,
      gold: [gold],
      alternates: [...alternates],
    };
  });
}

/** A heading of fewer words (`Overview`, `Next steps`) asks for nothing in particular. */
const MIN_TERMS = 3;

/** Headings as questions for the text below them; a heading that stands twice in the corpus asks for no one passage. */
function questionsFromHeadings(documents: readonly StarterDocument[]): SuggestedQuestion[] {
  const byLabel = new Map<string, (SuggestedQuestion | undefined)[]>();
  for (const document of documents) {
    document.blocks.forEach((block, i) => {
      if (block.kind !== 'heading' || block.label === undefined) return;
      const question = block.label.replace(/\s+/g, ' ').trim();
      const key = analyzeText(question).join(' ');
      if (new Set(key.split(' ')).size < MIN_TERMS) return;
      const gold = proseAfter(document, i);
      const suggested =
        gold === undefined ? undefined : ({ type: 'heading', question, gold, alternates: [] } as const);
      byLabel.set(key, [...(byLabel.get(key) ?? []), suggested]);
    });
  }
  return [...byLabel.values()].flatMap(([only, ...others]) =>
    only === undefined || others.length > 0 ? [] : [only],
  );
}

/** One question of each document before the second of any. */
function spread(questions: readonly SuggestedQuestion[]): SuggestedQuestion[] {
  const seen = new Map<string, number>();
  return questions
    .map((question) => {
      const { path } = question.gold;
      const turn = seen.get(path) ?? 0;
      seen.set(path, turn + 1);
      return { question, turn };
    })
    .sort((a, b) => a.turn - b.turn)
    .map(({ question }) => question);
}

/** Takes in turn from each kind, so that a rare kind is not lost among a common one. */
function shareOut(kinds: readonly (readonly SuggestedQuestion[])[], max: number): SuggestedQuestion[] {
  const taken = kinds.map(() => 0);
  let left = max;
  for (let moved = true; moved && left > 0; ) {
    moved = false;
    kinds.forEach((questions, kind) => {
      if (left === 0 || (taken[kind] ?? 0) >= questions.length) return;
      taken[kind] = (taken[kind] ?? 0) + 1;
      left--;
      moved = true;
    });
  }
  return kinds.flatMap((questions, kind) => questions.slice(0, taken[kind]));
}
