import { confidenceOf } from '../../src/answering/confidence.js';
import { QUOTATION_THRESHOLD } from '../../src/answering/confidence-weights.js';
import { rankSentences } from '../../src/answering/rank-sentences.js';
import type { AskedQuestion, Found } from './data.js';
import { areaUnderRiskCoverage, areaUnderRoc, type Decision, riskCoverage } from './rank-statistics.js';

const holds = (text: string, { answers }: AskedQuestion): boolean =>
  answers.some((answer) => text.includes(answer));

const firstSentence = ({ question }: AskedQuestion, { entries }: Found): string =>
  rankSentences(question, entries)[0]?.sentence.text ?? '';

const share = (values: readonly boolean[]): number => values.filter(Boolean).length / values.length;

/** The answer in the first sentence, and in the five passages. */
export function measureExtraction(asked: readonly AskedQuestion[]) {
  return {
    questions: asked.length,
    answerInFirstSentence: share(asked.map((each) => holds(firstSentence(each, each.found), each))),
    answerInContext: share(
      asked.map((each) =>
        each.found.entries.some(({ pieces }) => pieces.some(({ text }) => holds(text, each))),
      ),
    ),
  };
}

const confidence = ({ question }: AskedQuestion, { entries, signals }: Found): number =>
  confidenceOf(question, entries, { sentences: rankSentences(question, entries), signals });

/** Each question with and without the paragraph that answers it; right is an answer whose first sentence holds it. */
export const decisionsOf = (asked: readonly AskedQuestion[]): Decision[] =>
  asked.flatMap((each) => [
    { confidence: confidence(each, each.found), isRight: holds(firstSentence(each, each.found), each) },
    { confidence: confidence(each, each.foundWithout), isRight: false },
  ]);

export function measureAbstention(asked: readonly AskedQuestion[]) {
  const withGold = asked.map((each) => confidence(each, each.found));
  const without = asked.map((each) => confidence(each, each.foundWithout));
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
