import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.js';
import type { Span } from './doc-sets.js';

/** The quote of a passage in the fetched files. Throws when the text at its range is not the one that was read for the question. */
export async function quoteOf({ path, start, end, sha256 }: Span, folder: string): Promise<string> {
  const quote = (await readFile(join(folder, path), 'utf8')).slice(start, end);
  if (createHash('sha256').update(quote, 'utf8').digest('hex') === sha256) return quote;
  throw new Error(`${path}, characters ${start} to ${end}: another text than the hash is of.`);
}

/** What is wrong with the passages; nothing when each quote is where it should be. */
export async function quoteProblems(spans: readonly Span[], folder: string): Promise<string[]> {
  const problems: string[] = [];
  for (const span of spans)
    await quoteOf(span, folder).catch((error: unknown) => {
      problems.push(messageOf(error));
    });
  return problems;
}

/** Text of a file as its parser stores it. */
export type ReadText = (text: string) => string;

const OPENING = '\uE000';
const CLOSING = '\uE001';
/** Words at either end that are tried before the range is taken as it stands in the file. */
const MOST_TRIES = 6;

/**
 * The quote of a passage in a format that is converted, as the stored text has it. One letter at either end is replaced by a
 * mark before the file is read, and what stands between the marks is the quote; a word whose mark changes how the file is read
 * is passed over.
 */
export async function quoteAsRead(span: Span, folder: string, read: ReadText): Promise<string> {
  const quote = await quoteOf(span, folder);
  const text = await readFile(join(folder, span.path), 'utf8');
  const stored = read(text);
  const words = [...quote.matchAll(/[\p{L}\p{N}]+/gu)];
  const starts = words.slice(0, MOST_TRIES).map(({ index }) => span.start + index);
  const ends = words.slice(-MOST_TRIES).map((word) => span.start + word.index + word[0].length - 1);
  for (const start of starts)
    for (const end of ends.toReversed()) {
      if (end <= start) continue;
      const marked = `${text.slice(0, start)}${OPENING}${text.slice(start + 1, end)}${CLOSING}${text.slice(end + 1)}`;
      const readMarked = read(marked);
      const [from, to] = [readMarked.indexOf(OPENING), readMarked.indexOf(CLOSING)];
      const found = `${text[start]}${readMarked.slice(from + 1, to)}${text[end]}`;
      if (from >= 0 && to > from && stored.includes(found)) return found;
    }
  return quote;
}
