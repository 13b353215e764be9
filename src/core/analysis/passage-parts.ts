import type { TextRange } from '../document.js';
import { type IndexedTextParts, indexedTextOf } from './indexed-text.js';
import { passageUnits } from './passage-units.js';

/** Characters of a part, where no unit is longer (docs/research/reader.md). */
const PART = 300;

/**
 * What the reader reads of a passage, one after the other: neighbouring sentences, items, rows and lines, each part below title and headings.
 * The vector of a whole passage is the mean of all that it says, and an answer is mostly a sentence or two. Of one without text these are title and headings.
 */
export function partsOf({ content, ...above }: IndexedTextParts): readonly string[] {
  const parts: TextRange[] = [];
  for (const { start, end } of passageUnits(content)) {
    const last = parts.at(-1);
    if (last !== undefined && end - last.start <= PART) parts[parts.length - 1] = { start: last.start, end };
    else parts.push({ start, end });
  }
  const texts = parts.length === 0 ? [content] : parts.map(({ start, end }) => content.slice(start, end));
  return texts.map((text) => indexedTextOf({ ...above, content: text }));
}
