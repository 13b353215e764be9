import { isMonth } from '../relations/conflicts/opposites.js';
import { type ComparedWord, comparedWords, hasWord, isTerm, lower, textOf } from './compared-words.js';
import type { LedUnit } from './source-text.js';

type Words = readonly ComparedWord[];

/** What happens in a row, the first first. */
export type StatedOrder = readonly Words[];

const BEFORE: ReadonlySet<string> = new Set(['before', 'until']);
const AFTER: ReadonlySet<string> = new Set(['after', 'once']);
const THEN: ReadonlySet<string> = new Set(['then', 'afterwards', 'subsequently', 'finally', 'lastly']);
/** A sentence that begins so goes on where the last one ended. */
const GOES_ON =
  /^\s*(?:\W*)(?:then|next|finally|lastly|afterwards|subsequently|after (?:that|this|the)|only then|once|second|third|last)\b/i;
const STEP = /^\s*(?:\d{1,3}[.)]\s|(?:\W*)step \d)/i;
const ITEM = /^\s*[-*+]\s/;

/** Amounts and dates say when, and are no steps. */
const compared = (words: Words): Words =>
  words.filter(
    (word) => isTerm(word) && word.isUnit !== true && word.quantity === undefined && !isMonth(word.term),
  );

/** The parts of a sentence in the order in which they happen, as "before", "after" and "then" say it; the sentence itself where nothing does. */
export function inOrderOfTime(words: Words): StatedOrder {
  let parts: Words[] = [];
  let rest = words;
  // "Before X, Y" and "after X, Y": the clause behind the comma is the other part.
  const [first] = rest;
  if (first !== undefined && (BEFORE.has(lower(first)) || AFTER.has(lower(first)))) {
    const comma = rest.findIndex((word, at) => at > 1 && word.beginsClause === true);
    if (comma > 0) {
      const [named, other] = [rest.slice(1, comma), inOrderOfTime(rest.slice(comma))];
      return BEFORE.has(lower(first)) ? [...other, named] : [named, ...other];
    }
  }
  for (;;) {
    const at = rest.findIndex((word, place) => place > 0 && isPivot(rest, place, word));
    const pivot = rest[at];
    if (pivot === undefined) return [...parts, ...(compared(rest).length > 0 ? [rest] : [])];
    const part = rest.slice(0, at);
    rest = rest.slice(at + 1);
    // "After which" leads on.
    if (AFTER.has(lower(pivot)) && !/^(?:which|that)$/.test(lower(rest[0] ?? pivot))) {
      const end = rest.findIndex((word, place) => place > 0 && isPivot(rest, place, word));
      const earlier = end < 0 ? rest : rest.slice(0, end);
      parts = [...parts, earlier, part];
      rest = end < 0 ? [] : rest.slice(end + 1);
    } else parts = [...parts, part];
  }
}

const isPivot = (words: Words, at: number, word: ComparedWord): boolean => {
  const text = lower(word);
  return (
    (BEFORE.has(text) || AFTER.has(text) || (THEN.has(text) && !words.slice(0, at).some(isCondition))) &&
    compared(words.slice(0, at)).length > 0 &&
    compared(words.slice(at + 1)).length > 0
  );
};

/** "If A then B" says nothing of when. */
const isCondition = (word: ComparedWord): boolean => /^(?:if|when|since)$/.test(lower(word));

/** The rest of a longer sentence is compared with nothing. */
const MOST_WORDS = 300;
/** A longer row is compared by its beginning: each two of its steps are. */
const MOST_STEPS = 40;

/** What a text says happens in a row: lists of steps, sentences that go on from each other, and parts of sentences. */
export function ordersIn(text: string, units: readonly LedUnit[]): StatedOrder[] {
  const orders: Words[][] = [];
  let isList = false;
  for (const { kind, start, end } of units) {
    const unit = text.slice(start, end);
    const isItem = kind === 'list-item' || STEP.test(unit);
    const lines = isItem ? unit.split(/\n(?=\s*(?:\W*)step \d)/i) : unit.split(/;\s/);
    for (const line of lines) {
      const parts = inOrderOfTime(
        comparedWords(line.replace(STEP, '').replace(ITEM, '')).slice(0, MOST_WORDS),
      );
      const last = orders.at(-1);
      if (last !== undefined && (isItem ? isList : GOES_ON.test(line))) last.push(...parts);
      else orders.push([...parts]);
      isList = isItem;
    }
  }
  return orders.filter((order) => order.length > 1).map((order) => order.slice(0, MOST_STEPS).map(compared));
}

/** Share of a part's words that have to stand in a step. */
const LEAST_SHARED = 1 / 3;

function shared(words: Words, only: Words, butNot: Words): number {
  const count = words.filter((word) => hasWord(only, word) && !hasWord(butNot, word)).length;
  return count >= LEAST_SHARED * words.length ? count : 0;
}
/** Two things that a claim puts in one order and its source in the other alone, in the words of the claim. */
export function turnedSteps(
  claim: Words,
  orders: readonly StatedOrder[],
): readonly [first: string, then: string] | undefined {
  const own = inOrderOfTime(claim).map(compared);
  for (const [at, second] of own.slice(1).entries()) {
    const first = own[at] ?? [];
    let straight = 0;
    let turned = 0;
    for (const order of orders) {
      for (const [i, a] of order.entries()) {
        for (const b of order.slice(i + 1)) {
          straight = Math.max(straight, Math.min(shared(first, a, b), shared(second, b, a)));
          turned = Math.max(turned, Math.min(shared(first, b, a), shared(second, a, b)));
        }
      }
    }
    if (turned > straight) return [textOf(first), textOf(second)];
  }
  return undefined;
}
