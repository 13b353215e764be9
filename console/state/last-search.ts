import { type Address, firstOf } from './address.js';

/** The search that this page showed last, for screens that go on from it. It is kept in memory alone. */
interface LastSearch {
  readonly query: Address['query'];
  /** Id of the passage that was opened of it. */
  readonly opened?: string | undefined;
}

let last: LastSearch = { query: {} };

const questionOf = (query: Address['query']): string => query.q?.[0] ?? '';

export function noteSearch({ query }: Address): void {
  if (questionOf(query) !== questionOf(last.query)) last = { query };
  else last = { ...last, query };
}

export function noteOpened(address: Address, passage: string): void {
  last = { query: address.query, opened: passage };
}

/** The passage of this search that was opened, told once. */
export function takeOpened(address: Address): string | undefined {
  const { opened } = last;
  if (opened === undefined || firstOf(address, 'q') !== questionOf(last.query)) return undefined;
  last = { query: last.query };
  return opened;
}

/** What was asked last; empty before the first search. */
export const lastQuestion = (): string => questionOf(last.query);

/** How the question was searched for last: its filters, and how many results; nothing of another question. */
export const searchOfQuestion = (question: string): Address['query'] =>
  question === lastQuestion() ? last.query : {};

/** Another person may be next. */
export function forgetSearch(): void {
  last = { query: {} };
}
