import { contentHash } from '../../core/ids.js';
import type { FeedbackEvent, FeedbackPlace } from '../feedback-types.js';
import type { ClickedList, ClickedQuestion } from './choice-model.js';

/** A passage that was shown for a question, and what was said of it. */
export interface ObservedPassage {
  /** The first chunk that it was made of. */
  readonly chunkId: string;
  readonly relevant: number;
  readonly notRelevant: number;
}

/** A question, by all feedback on it. */
export interface ObservedQuestion extends ClickedQuestion {
  readonly id: string;
  /** As it was asked last. */
  readonly text: string;
  readonly passages: readonly ObservedPassage[];
  /** Lists that were clicked in. */
  readonly clickedLists: number;
}

const ID_LENGTH = 16;

/** Questions that differ in case and white space alone are one. */
const keyOf = (question: string): string =>
  question.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim();

interface Gathered {
  text: string;
  clickedLists: number;
  readonly byChunk: Map<string, { at: number; relevant: number; notRelevant: number }>;
  readonly lists: Map<string, { items: (number | undefined)[]; clicks: number[] }>;
}

/** Gathers feedback by question, one event after the other. */
export class ObservedQuestions {
  readonly #byKey = new Map<string, Gathered>();

  add(event: FeedbackEvent): void {
    const key = keyOf(event.question);
    const question = this.#byKey.get(key) ?? {
      text: '',
      clickedLists: 0,
      byChunk: new Map(),
      lists: new Map(),
    };
    this.#byKey.set(key, question);
    question.text = event.question;
    const byRank = new Map(event.places.map((place) => [place.rank, itemOf(question, place)]));
    const { relevant, notRelevant } = verdictsOf(event);
    for (const rank of relevant) count(question, byRank.get(rank), 'relevant');
    for (const rank of notRelevant) count(question, byRank.get(rank), 'notRelevant');
    // Who says nothing of clicks may have clicked.
    if (event.clicked === undefined || event.clicked.length === 0) return;
    question.clickedLists++;
    addClicks(question, byRank, new Set(event.clicked));
  }

  *[Symbol.iterator](): Generator<ObservedQuestion> {
    for (const [key, { text, clickedLists, byChunk, lists }] of this.#byKey)
      yield {
        id: contentHash(key).slice(0, ID_LENGTH),
        text,
        clickedLists,
        items: byChunk.size,
        passages: Array.from(byChunk, ([chunkId, { relevant, notRelevant }]) => ({
          chunkId,
          relevant,
          notRelevant,
        })),
        lists: [...lists.values()] satisfies ClickedList[],
      };
  }
}

function itemOf({ byChunk }: Gathered, { chunkIds: [chunkId = ''] }: FeedbackPlace): number {
  const known = byChunk.get(chunkId);
  if (known !== undefined) return known.at;
  byChunk.set(chunkId, { at: byChunk.size, relevant: 0, notRelevant: 0 });
  return byChunk.size - 1;
}

function count({ byChunk }: Gathered, item: number | undefined, what: 'relevant' | 'notRelevant'): void {
  for (const passage of byChunk.values()) if (passage.at === item) passage[what]++;
}

/** Equal lists are summed up: a question is asked often, and mostly answered alike. */
function addClicks(
  { lists }: Gathered,
  byRank: ReadonlyMap<number, number>,
  clicked: ReadonlySet<number>,
): void {
  const length = Math.max(0, ...byRank.keys());
  const items = Array.from({ length }, (_, at) => byRank.get(at + 1));
  const list = lists.get(items.join(' ')) ?? { items, clicks: items.map(() => 0) };
  lists.set(items.join(' '), list);
  for (const rank of clicked) if (byRank.has(rank)) list.clicks[rank - 1] = (list.clicks[rank - 1] ?? 0) + 1;
}

/** Ranks that were judged: by name, or by saying of a place whether it helped. */
export function verdictsOf({ relevant = [], notRelevant = [], helpful, rank }: FeedbackEvent): {
  readonly relevant: readonly number[];
  readonly notRelevant: readonly number[];
} {
  if (helpful === undefined || rank === undefined) return { relevant, notRelevant };
  return helpful
    ? { relevant: [...relevant, rank], notRelevant }
    : { relevant, notRelevant: [...notRelevant, rank] };
}

/** Whether clicks on a question can tell rank from relevance: a passage of it stood at more than one rank. */
export function tellsExamination({ lists }: ClickedQuestion): boolean {
  const ranks = new Map<number, number>();
  for (const { items } of lists)
    for (const [rank, item] of items.entries()) {
      if (item === undefined) continue;
      const known = ranks.get(item);
      if (known !== undefined && known !== rank) return true;
      ranks.set(item, rank);
    }
  return false;
}
