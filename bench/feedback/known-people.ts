import { mean } from '../../src/evaluation/metrics.js';
import { clicksByItem, fitAttraction } from '../../src/features/feedback/judging/choice-model.js';
import { examinationOf } from '../../src/features/feedback/judging/graded-passages.js';
import { ObservedQuestions } from '../../src/features/feedback/judging/observed-questions.js';
import {
  pairsInOrder,
  passageName,
  questionName,
  type SimulatedUsers,
  simulateUsers,
} from '../../src/features/feedback/judging/test-users.js';

/** How much of the true order clicks as they stand and judgments tell, of people who look at rank k with probability 1 / k. */
const SEEDS = 6;

function measure(users: SimulatedUsers): { readonly clicked: number; readonly judged: number } {
  const { events, attraction } = simulateUsers(users);
  const gathered = new ObservedQuestions();
  for (const event of events) gathered.add(event);
  const questions = [...gathered];
  const { byRank } = examinationOf(questions);
  const found = attraction.flatMap((truth, number) => {
    const question = questions.find(({ text }) => text === questionName(number));
    if (question === undefined) return [];
    const order = (scores: Float64Array): number =>
      pairsInOrder(
        truth.map((_, passage) => {
          const name = passageName(number, passage);
          return scores[question.passages.findIndex(({ chunkId }) => chunkId === name)] ?? 0;
        }),
        truth,
      );
    const judged = order(fitAttraction(question, byRank, { priorLooks: 1 }));
    return [{ clicked: order(clicksByItem(question)), judged }];
  });
  return {
    clicked: mean(found.map(({ clicked }) => clicked)),
    judged: mean(found.map(({ judged }) => judged)),
  };
}

console.log('| error of the rankings | orders a question | searches a question | clicks | judgments |');
console.log('|---|---|---|---|---|');
for (const error of [0.8, 1.5, 2.5, 5])
  for (const orders of [1, 3])
    for (const searchesEach of [20, 60, 200]) {
      const all = Array.from({ length: SEEDS }, (_, at) =>
        measure({
          ...{ seed: at + 1, error, orders, searchesEach, questions: 40, passages: 8 },
          examination: (rank) => 1 / rank,
        }),
      );
      const clicked = mean(all.map((one) => one.clicked)).toFixed(3);
      const judged = mean(all.map((one) => one.judged)).toFixed(3);
      console.log(`| ${error} | ${orders} | ${searchesEach} | ${clicked} | ${judged} |`);
    }
