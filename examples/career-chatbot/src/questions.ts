import { readFileSync } from 'node:fs';
import { PLACES } from './settings.js';

/** A question with what its author holds for right (`data/README.md`). */
export interface CareerQuestion {
  readonly id: string;
  readonly question: string;
  readonly kind:
    | 'fact'
    | 'newest'
    | 'comparison'
    | 'two-hop'
    | 'overview'
    | 'vague'
    | 'exact'
    | 'unanswerable';
  /** Documents with a grade of 5 or more, best first; none where nothing answers. */
  readonly relevant_doc_ids: readonly string[];
  /** Grades from 0 to 10 by document; what is not named has 0. */
  readonly relevance: Readonly<Record<string, number>>;
  readonly answer: string | null;
  /** A piece of a relevant document, to the letter. */
  readonly answer_quote: string | null;
}

export const readQuestions = (file: string = PLACES.questions): CareerQuestion[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as CareerQuestion);

/** Settings were chosen on the first twenty; figures are told of the others. */
export const LOOKED_AT = 20;
