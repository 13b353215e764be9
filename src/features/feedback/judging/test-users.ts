import { seededRandom, shuffled } from '../../../evaluation/random.js';
import type { FeedbackEvent } from '../../../operations/feedback-types.js';

/** People who look at ranks and click as is known, to see whether judgments find out what they were made of. */
export interface SimulatedUsers {
  readonly seed: number;
  /** How likely a rank from 1 is looked at. */
  readonly examination: (rank: number) => number;
  readonly questions: number;
  readonly passages: number;
  readonly searchesEach: number;
  /** Orders that each question is shown in, as when settings or documents change over time. */
  readonly orders: number;
  /** How far the orders err: 0 is right, and from 5 on they are all but random. */
  readonly error: number;
  /** Whether lists that nobody clicked in are reported. */
  readonly reportsAll?: boolean;
}

export interface SimulatedLog {
  readonly events: readonly FeedbackEvent[];
  /** By question, then by passage: how likely it is clicked once it is looked at. */
  readonly attraction: readonly (readonly number[])[];
}

export const passageName = (question: number, passage: number): string => `q${question} p${passage}`;
export const questionName = (question: number): string => `question ${question}`;

/** A log of seeded people over rankings that are better than chance and worse than right. */
export function simulateUsers(users: SimulatedUsers): SimulatedLog {
  const random = seededRandom(users.seed);
  const events: FeedbackEvent[] = [];
  const attraction = Array.from({ length: users.questions }, () =>
    shuffled(
      Array.from({ length: users.passages }, (_, at) => 0.05 + (0.85 * at) / (users.passages - 1)),
      random,
    ),
  );
  attraction.forEach((ofQuestion, question) => {
    const orders = Array.from({ length: users.orders }, () => noisyOrder(ofQuestion, users.error, random));
    for (let search = 0; search < users.searchesEach; search++) {
      const order = orders[Math.floor(random() * orders.length)] ?? [];
      const clicked = order.flatMap((passage, at) => {
        const isClicked = random() < users.examination(at + 1) * (ofQuestion[passage] ?? 0);
        return isClicked ? [at + 1] : [];
      });
      if (clicked.length > 0 || users.reportsAll === true)
        events.push(eventOf({ question, order, clicked, at: events.length }));
    }
  });
  return { events, attraction };
}

/** Best first, as a ranking that errs would have it. */
function noisyOrder(attraction: readonly number[], error: number, random: () => number): number[] {
  return attraction
    .map((value, passage) => ({ passage, score: value + error * (random() - 0.5) }))
    .sort((a, b) => b.score - a.score)
    .map(({ passage }) => passage);
}

interface SimulatedSearch {
  readonly question: number;
  readonly order: readonly number[];
  readonly clicked: readonly number[];
  readonly at: number;
}

const eventOf = ({ question, order, clicked, at }: SimulatedSearch): FeedbackEvent => ({
  id: String(at),
  at: '2026-05-01T00:00:00.000Z',
  kind: 'search',
  question: questionName(question),
  scope: { groups: [], clearance: 0 },
  clicked,
  places: order.map((passage, place) => ({
    rank: place + 1,
    documentId: passageName(question, passage),
    chunkIds: [passageName(question, passage)],
    source: 'docs',
    lines: { start: 1, end: 1 },
  })),
});

/** Share of pairs of passages that scores put in the true order; ties count a half (a form of Kendall's tau). */
export function pairsInOrder(scores: readonly number[], truth: readonly number[]): number {
  let right = 0;
  let all = 0;
  truth.forEach((true1, i) => {
    truth.slice(i + 1).forEach((true2, offset) => {
      if (true1 === true2) return;
      const agreement = Math.sign(((scores[i] ?? 0) - (scores[i + 1 + offset] ?? 0)) * (true1 - true2));
      all++;
      right += (agreement + 1) / 2;
    });
  });
  return all === 0 ? 1 : right / all;
}
