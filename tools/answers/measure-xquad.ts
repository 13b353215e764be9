import type { Findings } from '../../src/answering/compose-answer.js';
import { QUOTATION_THRESHOLD } from '../../src/answering/confidence-weights.js';
import type { AskedQuestion } from './data.js';
import { areaUnderRiskCoverage, areaUnderRoc, type Decision, riskCoverage } from './rank-statistics.js';

const holds = (text: string, { answers }: AskedQuestion): boolean =>
  answers.some((answer) => text.includes(answer));

/** The sentence that decides what is quoted. */
const firstSentence = ({ evidence }: Findings): string =>
  evidence.quotations[0]?.sentence.sentence.text ?? '';

const share = (values: readonly boolean[]): number => values.filter(Boolean).length / values.length;

/** The answer in the first sentence, and in the five passages. */
export function measureExtraction(asked: readonly AskedQuestion[]) {
  return {
    questions: asked.length,
    answerInFirstSentence: share(asked.map((each) => holds(firstSentence(each.found), each))),
    answerInContext: share(
      asked.map((each) =>
        each.found.pack.entries.some(({ pieces }) => pieces.some(({ text }) => holds(text, each))),
      ),
    ),
  };
}

/** Each question with and without the paragraph that answers it; right is an answer whose first sentence holds it. */
export const decisionsOf = (asked: readonly AskedQuestion[]): Decision[] =>
  asked.flatMap((each) => [
    { confidence: each.found.confidence, isRight: holds(firstSentence(each.found), each) },
    { confidence: each.foundWithout.confidence, isRight: false },
  ]);

export function measureAbstention(asked: readonly AskedQuestion[]) {
  const withGold = asked.map(({ found }) => found.confidence);
  const without = asked.map(({ foundWithout }) => foundWithout.confidence);
  const decisions = decisionsOf(asked);
  const answered = decisions.filter((decision) => decision.confidence >= QUOTATION_THRESHOLD);
  return {
    questions: asked.length,
    auroc: areaUnderRoc(withGold, without),
    threshold: QUOTATION_THRESHOLD,
    answeredWithGold: share(withGold.map((value) => value >= QUOTATION_THRESHOLD)),
    answeredWithoutGold: share(without.map((value) => value >= QUOTATION_THRESHOLD)),
    riskOfAnswers: share(answered.map(({ isRight }) => !isRight)),
    areaUnderRiskCoverage: areaUnderRiskCoverage(riskCoverage(decisions)),
  };
}
