import { contentHash } from '../../../core/ids.js';
import type { FeedbackEvent, FeedbackPlace } from '../../../operations/feedback-types.js';
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
  /** Requests whose lists were clicked in. */
  readonly clickedLists: number;
  /** Requests whose answer or list as a whole was judged. */
  readonly onTheWhole: number;
}

const ID_LENGTH = 16;

/** Questions that differ in case and white space alone are one. */
const keyOf = (question: string): string =>
  question.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim();

type Verdict = 'relevant' | 'notRelevant';

/** What was said of one request so far, by what its items are in the question. */
interface Said {
  readonly clicked: Set<number>;
  readonly verdicts: Map<number, Verdict>;
  onTheWhole: boolean;
}

interface Gathered {
  text: string;
  clickedLists: number;
  onTheWhole: number;
  readonly byChunk: Map<string, { at: number; relevant: number; notRelevant: number }>;
  readonly lists: Map<string, { items: (number | undefined)[]; clicks: number[] }>;
}

/**
 * Gathers feedback by question, one event after the other. What a caller says of one request counts once, however often it is said: a passage was opened
 * or not, and of verdicts the last holds. Events that name no request are each of their own.
 */
export class ObservedQuestions {
  readonly #byKey = new Map<string, Gathered>();
  readonly #byRequest = new Map<string, Said>();
  #repeats = 0;

  /** Events on a request of which the same caller had said something before. */
  get repeats(): number {
    return this.#repeats;
  }

  add(event: FeedbackEvent): void {
    const key = keyOf(event.question);
    const question = this.#byKey.get(key) ?? {
      text: '',
      clickedLists: 0,
      onTheWhole: 0,
      byChunk: new Map(),
      lists: new Map(),
    };
    this.#byKey.set(key, question);
    question.text = event.question;
    const said = this.#saidBefore(event, key);
    const byRank = new Map(event.places.map((place) => [place.rank, itemOf(question, place)]));
    const itemsAt = (ranks: readonly number[]) => ranks.flatMap((rank) => byRank.get(rank) ?? []);
    const { relevant, notRelevant } = verdictsOf(event);
    for (const item of itemsAt(relevant)) judge(question, said, { item, verdict: 'relevant' });
    for (const item of itemsAt(notRelevant)) judge(question, said, { item, verdict: 'notRelevant' });
    if (isOnTheWhole(event) && !said.onTheWhole) {
      said.onTheWhole = true;
      question.onTheWhole++;
    }
    // Who says nothing of clicks may have clicked.
    const clicked = new Set(itemsAt(event.clicked ?? []).filter((item) => !said.clicked.has(item)));
    if (clicked.size === 0) return;
    if (said.clicked.size === 0) question.clickedLists++;
    for (const item of clicked) said.clicked.add(item);
    addClicks(question, byRank, clicked);
  }

  *[Symbol.iterator](): Generator<ObservedQuestion> {
    for (const [key, { text, clickedLists, onTheWhole, byChunk, lists }] of this.#byKey)
      yield {
        id: contentHash(key).slice(0, ID_LENGTH),
        text,
        clickedLists,
        onTheWhole,
        items: byChunk.size,
        passages: Array.from(byChunk, ([chunkId, { relevant, notRelevant }]) => ({
          chunkId,
          relevant,
          notRelevant,
        })),
        lists: [...lists.values()] satisfies ClickedList[],
      };
  }

  // A caller may name its requests itself, and two questions alike.
  #saidBefore({ caller, requestId, scope }: FeedbackEvent, question: string): Said {
    const nothing: Said = { clicked: new Set(), verdicts: new Map(), onTheWhole: false };
    if (requestId === undefined) return nothing;
    const key = contentHash(JSON.stringify([caller ?? null, requestId, scope, question]));
    const known = this.#byRequest.get(key);
    if (known === undefined) this.#byRequest.set(key, nothing);
    else this.#repeats++;
    return known ?? nothing;
  }
}

function itemOf({ byChunk }: Gathered, { chunkIds: [chunkId = ''] }: FeedbackPlace): number {
  const known = byChunk.get(chunkId);
  if (known !== undefined) return known.at;
  byChunk.set(chunkId, { at: byChunk.size, relevant: 0, notRelevant: 0 });
  return byChunk.size - 1;
}

function judge(
  { byChunk }: Gathered,
  { verdicts }: Said,
  { item, verdict }: { readonly item: number; readonly verdict: Verdict },
): void {
  const before = verdicts.get(item);
  verdicts.set(item, verdict);
  for (const passage of byChunk.values()) {
    if (passage.at !== item) continue;
    if (before !== undefined) passage[before]--;
    passage[verdict]++;
  }
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
  for (const item of clicked) {
    const at = items.indexOf(item);
    list.clicks[at] = (list.clicks[at] ?? 0) + 1;
  }
}

/** Whether it judges an answer or a list as a whole. */
const isOnTheWhole = ({ answer, helpful, rank }: FeedbackEvent): boolean =>
  answer !== undefined || (helpful !== undefined && rank === undefined);

/** Ranks that were judged: by name, or by saying of a place whether it helped. */
function verdictsOf({ relevant = [], notRelevant = [], helpful, rank }: FeedbackEvent): {
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
