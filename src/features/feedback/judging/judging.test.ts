import { describe, expect, test } from 'vitest';
import type { FeedbackEvent } from '../../../operations/feedback-types.js';
import { clicksByItem } from './choice-model.js';
import { examinationOf, gradedPassages } from './graded-passages.js';
import { type ObservedQuestion, ObservedQuestions } from './observed-questions.js';
import { pairsInOrder, passageName, questionName, type SimulatedUsers, simulateUsers } from './test-users.js';

/** Rankings that err, as those that are to be bettered do. */
const PEOPLE: Omit<SimulatedUsers, 'seed'> = {
  examination: (rank) => 1 / rank,
  questions: 30,
  passages: 8,
  searchesEach: 150,
  orders: 3,
  error: 2,
};

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function observed(events: readonly FeedbackEvent[]): ObservedQuestion[] {
  const questions = new ObservedQuestions();
  for (const event of events) questions.add(event);
  return [...questions];
}

/** How much of the true order single clicks tell, and how much judgments do. */
function orders(users: SimulatedUsers) {
  const { events, attraction } = simulateUsers(users);
  const questions = observed(events);
  const examination = examinationOf(questions);
  const values = attraction.flatMap((truth, number) => {
    const question = questions.find(({ text }) => text === questionName(number));
    if (question === undefined) return [];
    const clicks = clicksByItem(question);
    const graded = gradedPassages(question, examination, { minClicks: 3 }) ?? [];
    const itemOf = (passage: number) =>
      question.passages.findIndex(({ chunkId }) => chunkId === passageName(number, passage));
    const byPassage = <T>(of: (item: number) => T) => truth.map((_, passage) => of(itemOf(passage)));
    return {
      clicked: pairsInOrder(
        byPassage((item) => clicks[item] ?? 0),
        truth,
      ),
      judged: pairsInOrder(
        byPassage((item) => graded[item]?.attraction ?? 0),
        truth,
      ),
    };
  });
  return {
    clicked: mean(values.map(({ clicked }) => clicked)),
    judged: mean(values.map(({ judged }) => judged)),
    examination,
  };
}

const SEEDS = Array.from({ length: 12 }, (_, seed) => seed + 1);

const HABITS: readonly [string, SimulatedUsers['examination']][] = [
  ['as the prior has it', (rank) => 1 / rank],
  ['steeper', (rank) => rank ** -1.5],
  ['flatter', (rank) => rank ** -0.5],
  ['the first four places alone, nearly', (rank) => (rank <= 4 ? 0.9 : 0.1)],
];

describe('people who look at ranks in a known way', () => {
  test.each(HABITS)(
    'judgments tell more of the true order than clicks, in nearly every log: %s',
    (_, examination) => {
      const all = SEEDS.map((seed) => orders({ ...PEOPLE, examination, seed }));
      const gains = all.map(({ judged, clicked }) => judged - clicked);
      expect(gains.filter((gain) => gain > 0.01).length).toBeGreaterThanOrEqual(11);
      expect(mean(gains)).toBeGreaterThan(0.025);
      expect(mean(all.map(({ judged }) => judged))).toBeGreaterThan(0.9);
    },
  );

  test.each(HABITS)('how likely they look at each rank is found in the log: %s', (_, examination) => {
    for (const seed of SEEDS.slice(0, 5)) {
      const { examination: found } = orders({ ...PEOPLE, examination, seed });
      expect(found.from).toBe('log');
      const errors = found.byRank.map((value, at) =>
        Math.abs(value / (examination(at + 1) / examination(1)) - 1),
      );
      expect(Math.max(...errors)).toBeLessThan(0.4);
    }
  });

  test('it makes no difference whether lists that nobody clicked in are reported', () => {
    const [clickedAlone, all] = [false, true].map(
      (reportsAll) => orders({ ...PEOPLE, reportsAll, seed: 1 }).examination,
    );
    expect(all).toEqual(clickedAlone);
  });

  test('where each question was shown in one order alone, the prior is taken, and that is said', () => {
    const all = SEEDS.map((seed) => orders({ ...PEOPLE, orders: 1, seed }));
    for (const { examination } of all) {
      expect(examination).toMatchObject({ from: 'prior', tellingClicks: 0, needed: 200 });
      expect(examination.byRank.slice(0, 4)).toEqual([1, 1 / 2, 1 / 3, 1 / 4]);
    }
    expect(mean(all.map(({ judged, clicked }) => judged - clicked))).toBeGreaterThan(0.06);
  });

  test('a short log of good rankings tells less than the rankings did: clicks repeat them, judgments do not', () => {
    const { judged, clicked } = orders({ ...PEOPLE, error: 0.5, searchesEach: 15, seed: 1 });
    expect(clicked).toBeGreaterThan(judged);
  });
});

const PLACES = ['a', 'b', 'c', 'd'];
const said = (what: Partial<FeedbackEvent>): FeedbackEvent => ({
  ...{ id: 'x', at: '', kind: 'search', question: 'Where?', scope: { groups: [], clearance: 0 } },
  places: PLACES.map((name, at) => ({
    ...{ rank: at + 1, documentId: name, chunkIds: [name], source: name, lines: { start: 1, end: 1 } },
  })),
  ...what,
});
const times = (count: number, event: FeedbackEvent): FeedbackEvent[] =>
  Array.from({ length: count }, () => event);

function gradesOf(events: readonly FeedbackEvent[], minClicks = 3) {
  const questions = observed(events);
  const [question] = questions;
  if (question === undefined) throw new Error('There is no question.');
  const graded = gradedPassages(question, examinationOf(questions), { minClicks });
  return graded?.map(({ grade }) => grade).join('');
}

describe('grades', () => {
  test('a click far down weighs more than one at the top', () => {
    expect(gradesOf([...times(4, said({ clicked: [1] })), ...times(4, said({ clicked: [4] }))])).toBe('1003');
  });

  test('verdicts outrank clicks, those of most people; where they are even, clicks decide', () => {
    const clicks = times(9, said({ clicked: [1] }));
    expect(gradesOf([...clicks, said({ notRelevant: [1], relevant: [3] })])).toBe('0030');
    expect(gradesOf([...clicks, said({ helpful: false, rank: 1 }), said({ relevant: [1] })])).toBe('3000');
    expect(gradesOf([said({ relevant: [2] }), said({ relevant: [2] }), said({ notRelevant: [2] })])).toBe(
      '0300',
    );
  });

  test('too few clicks are no judgment, and neither is a single one of a passage', () => {
    expect(gradesOf(times(2, said({ clicked: [1] })))).toBeUndefined();
    expect(gradesOf([...times(3, said({ clicked: [1] })), said({ clicked: [4] })])).toBe('3000');
  });

  test('verdicts on answers and whole lists judge no passage', () => {
    expect(
      gradesOf([said({ answer: 'good' }), said({ helpful: true }), said({ clicked: [] })]),
    ).toBeUndefined();
  });

  test('questions that differ in case and white space are one', () => {
    const spelled = ['Where?', ' where?', 'WHERE?'].map((question) => said({ question, clicked: [1] }));
    expect(observed(spelled)).toHaveLength(1);
    expect(gradesOf(spelled)).toBe('3000');
  });

  test('places that are gone take no part', () => {
    const cut = said({ clicked: [2, 3] });
    const event = { ...cut, places: cut.places.filter(({ rank }) => rank !== 2) };
    expect(gradesOf(times(3, event))).toBe('030');
  });
});
