import type { ExaminationReport } from '../../../operations/feedback-judgments.js';
import { clicksByItem, fitAttraction, fitExamination, priorExamination } from './choice-model.js';
import { type ObservedQuestion, tellsExamination } from './observed-questions.js';

/** How good a passage is for a question: 0 is not relevant. */
export type Grade = 0 | 1 | 2 | 3;

export interface GradedPassage {
  readonly chunkId: string;
  readonly grade: Grade;
  /** Share of the most attractive passage's; undefined where a verdict decided or there are too few clicks. */
  readonly attraction?: number | undefined;
}

/** Ranks of which examination is estimated; those below are looked at as the last of them. */
const MOST_RANKS = 50;
/** Clicks that tell, below which the prior is better than what is found. */
const TELLING_CLICKS = 200;
/** Looks that a passage is believed to have had beside those it had, so that one click on the tenth place makes no best passage. */
const PRIOR_LOOKS = 1;
/** Clicks of a passage that is to be called relevant. */
const LEAST_CLICKS = 2;
/** Shares of the best passage's attraction from which on a passage has a grade. */
const GRADES: readonly (readonly [share: number, grade: Grade])[] = [
  [2 / 3, 3],
  [1 / 3, 2],
  [1 / 6, 1],
];

/** How likely each rank is looked at, found in the clicks where they tell enough. */
export function examinationOf(questions: readonly ObservedQuestion[]): ExaminationReport {
  const ranks = Math.min(
    MOST_RANKS,
    Math.max(1, ...questions.flatMap(({ lists }) => lists.map(({ items }) => items.length))),
  );
  const telling = questions.filter(tellsExamination);
  const tellingClicks = telling.reduce((sum, question) => sum + totalOf(clicksByItem(question)), 0);
  const isTold = tellingClicks >= TELLING_CLICKS;
  const byRank = isTold
    ? fitExamination(telling, ranks)
    : Array.from({ length: ranks }, (_, rank) => priorExamination(rank + 1));
  return { byRank, from: isTold ? 'log' : 'prior', tellingClicks, needed: TELLING_CLICKS };
}

/**
 * Grades of the passages of a question; undefined where it has too few clicks and no verdict. A verdict outranks clicks: more people call a passage
 * relevant than not (3), or not (0); where they disagree evenly, clicks decide.
 */
export function gradedPassages(
  question: ObservedQuestion,
  { byRank }: Pick<ExaminationReport, 'byRank'>,
  { minClicks }: { readonly minClicks: number },
): GradedPassage[] | undefined {
  const clicks = clicksByItem(question);
  const isClicked = totalOf(clicks) >= minClicks;
  const isJudged = question.passages.some((passage) => verdictOf(passage) !== undefined);
  if (!isClicked && !isJudged) return undefined;
  const attraction = isClicked
    ? fitAttraction(question, deepened(byRank, question), { priorLooks: PRIOR_LOOKS })
    : undefined;
  return question.passages.map((passage, item): GradedPassage => {
    const verdict = verdictOf(passage);
    if (verdict !== undefined) return { chunkId: passage.chunkId, grade: verdict };
    const share = attraction?.[item];
    const isEnough = (clicks[item] ?? 0) >= LEAST_CLICKS;
    const grade = share === undefined || !isEnough ? 0 : gradeOf(share);
    return { chunkId: passage.chunkId, grade, ...(share === undefined ? {} : { attraction: share }) };
  });
}

/** Lists may be longer than what examination is known of. */
function deepened(byRank: readonly number[], { lists }: ObservedQuestion): readonly number[] {
  const longest = Math.max(0, ...lists.map(({ items }) => items.length));
  const last = byRank.at(-1) ?? 1;
  return longest <= byRank.length
    ? byRank
    : [...byRank, ...Array.from({ length: longest - byRank.length }, () => last)];
}

const verdictOf = ({ relevant, notRelevant }: ObservedQuestion['passages'][number]): Grade | undefined => {
  if (relevant === notRelevant) return undefined;
  return relevant > notRelevant ? 3 : 0;
};

const gradeOf = (share: number): Grade => GRADES.find(([from]) => share >= from)?.[1] ?? 0;

const totalOf = (counts: Float64Array): number => counts.reduce((sum, count) => sum + count, 0);
