import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEngine, type Engine } from '../../src/index.js';
import { type DocSet, type Question, readDocSets, readQuestions } from '../questions/doc-sets.js';
import { quoteOf } from '../questions/quotes.js';

/** Where `tools/questions/fetch.ts` puts the documents. */
export const FETCHED = fileURLToPath(
  new URL('../../node_modules/.cache/ragstone-questions', import.meta.url),
);

export interface DocumentationQuestion extends Pick<Question, 'id' | 'question' | 'type'> {
  /** Passages that answer, any of which is right; empty for `unanswerable`. */
  readonly quotes: readonly string[];
}

/** The questions of every documentation set of a side, each set with an engine over its documents. */
export async function* documentationSets(
  side: DocSet['split'],
  fetched = FETCHED,
): AsyncGenerator<{ name: string; questions: readonly DocumentationQuestion[]; engine: Engine }> {
  for (const { name } of readDocSets().filter(({ split }) => split === side)) {
    const folder = path.join(fetched, name);
    const questions = await Promise.all(
      readQuestions(name).map(async ({ id, question, type, gold, alternates }) => ({
        id,
        question,
        type,
        quotes: await Promise.all([...gold, ...alternates].map((span) => quoteOf(span, folder))),
      })),
    );
    const dataDir = await mkdtemp(path.join(tmpdir(), 'ragstone-documentation-'));
    const engine = await createEngine({ config: { provider: 'memory' }, dataDir });
    try {
      await engine.index({ paths: [folder] });
      yield { name, questions, engine };
    } finally {
      await engine.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  }
}
