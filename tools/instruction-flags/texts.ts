import * as z from 'zod';
import { readJsonLines } from '../../bench/shared/data-files.js';
import type { TextRange } from '../../src/core/document.js';

const ROW = z.strictObject({
  kind: z.string(),
  attack: z.boolean(),
  language: z.string(),
  /** What is an order to a model stands between ⟦ and ⟧. */
  text: z.string(),
});

/** A short passage that was written for this purpose: with an order to a language model in it, or one that only looks so. */
export type FlagText = z.infer<typeof ROW>;

/** The sides of the split by kind; `held-out` is for reporting alone. */
export type Side = 'train' | 'development' | 'held-out';

export const readFlagTexts = (side: Side): FlagText[] =>
  readJsonLines(new URL(`./texts/${side}.jsonl`, import.meta.url)).map((row) => ROW.parse(row));

/** The text without its marks, and where they were. */
export function withoutMarks(marked: string): { text: string; orders: TextRange[] } {
  const orders: TextRange[] = [];
  let text = '';
  for (const [index, part] of marked.split(/[⟦⟧]/u).entries()) {
    if (index % 2 === 1) orders.push({ start: text.length, end: text.length + part.length });
    text += part;
  }
  return { text, orders };
}
