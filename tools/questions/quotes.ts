import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Question, Span } from './doc-sets.js';

/** The quote of a passage in the fetched files. Throws when the text at its range is not the one that was read for the question. */
export async function quoteOf({ path, start, end, sha256 }: Span, folder: string): Promise<string> {
  const quote = (await readFile(join(folder, path), 'utf8')).slice(start, end);
  if (createHash('sha256').update(quote, 'utf8').digest('hex') === sha256) return quote;
  throw new Error(`${path}, characters ${start} to ${end}: another text than the hash is of.`);
}

/** What is wrong with the passages of the questions; nothing when each quote is where it should be. */
export async function quoteProblems(questions: readonly Question[], folder: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { id, gold, alternates } of questions)
    for (const span of [...gold, ...alternates])
      await quoteOf(span, folder).catch((error: unknown) => {
        problems.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
      });
  return problems;
}
