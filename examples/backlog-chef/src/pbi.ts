import type { Issue } from './issues.js';

/** A backlog item as the pipeline hands it from step to step. */
export interface Pbi {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** Sentences of the description that say what must hold. */
  readonly acceptance_criteria: readonly string[];
  readonly story_points: number;
}

/** What step 3 says of an item. */
export interface Scores {
  /** 0 to 100: how much of what an estimate needs is there. */
  readonly confidence_score: number;
}

const MUST = /\b(?:must|should|shall|may not|needs? to)\b/i;

export const pbiOf = ({ key, title, description, storypoint = 0 }: Issue): Pbi => ({
  id: key,
  title,
  description,
  acceptance_criteria: description.split(/(?<=[.!?])\s+/).filter((sentence) => MUST.test(sentence)),
  story_points: storypoint,
});

/** Step 3, as simple as it can be: a title, a description, criteria and an estimate each say something. */
export function scoreOf({ description, acceptance_criteria, story_points }: Pbi): Scores {
  const parts = [
    description.length > 40,
    description.length > 120,
    acceptance_criteria.length > 0,
    story_points > 0,
  ];
  return { confidence_score: 20 + 20 * parts.filter(Boolean).length };
}
