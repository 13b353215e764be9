import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPEN_ACCESS } from '../../src/core/scope.js';
import type { GoldQuote, Question } from '../../src/evaluation/question-set.js';
import { RST_PARSER } from '../../src/parsing/rst/rst-parser.js';
import { type DocSet, readDocSets, readQuestions, type Span } from '../questions/doc-sets.js';
import { quoteAsRead, quoteOf } from '../questions/quotes.js';
import { readUnanswerable, readWrittenPassages } from '../questions/written-questions.js';
import { type Asking, openAsking } from './asking.js';

/** Where `tools/questions/fetch.ts` puts the documents. */
export const FETCHED = fileURLToPath(
  new URL('../../node_modules/.cache/ragstone-questions', import.meta.url),
);

/** YAML is read where a pattern names it: tickets that packages ship are written in it. */
export const READ = ['**', '**/*.yaml'];

/** The questions of every documentation set of a side, each set with an engine over its documents. */
export async function* documentationSets(
  side: DocSet['split'],
  fetched = FETCHED,
): AsyncGenerator<{ name: string; questions: readonly Question[] } & Pick<Asking, 'engine' | 'findings'>> {
  for (const { name } of readDocSets().filter(({ split }) => split === side)) {
    const folder = path.join(fetched, name);
    const questions = await Promise.all(
      readQuestions(name).map(async ({ id, question, type, gold, alternates }) => ({
        id,
        question,
        type,
        gold: await quotesOf(gold, folder),
        alternates: await quotesOf(alternates, folder),
      })),
    );
    const source = { name, type: 'files' as const, root: folder, paths: READ };
    const { engine, findings, close } = await openAsking({ sources: [source] });
    try {
      await engine.index();
      yield { name, questions, engine, findings };
    } finally {
      await close();
    }
  }
}

/** Packages of the written questions that the reader was not trained on (`tools/reader/tune.py`): its cosines are as they are elsewhere. */
const WRITTEN = ['cinder', 'click', 'kuryr-kubernetes', 'pino', 'react-router', 'tornado'];
/** Of so many passages one is asked for in other words, the rest as one would ask. */
const IN_OTHER_WORDS = 3;

/** The same of the written questions (`fetch.ts written`), an engine a package. */
export async function* writtenSets(
  fetched = FETCHED,
): AsyncGenerator<{ questions: readonly Pick<Question, 'question' | 'gold' | 'alternates'>[] } & Asking> {
  const folder = path.join(fetched, 'written');
  for (const name of WRITTEN) {
    const passages = readWrittenPassages().filter((passage) => passage.path.startsWith(`${name}/`));
    const answerable = passages.map(async ({ nl, other, ...span }, i) => ({
      question: i % IN_OTHER_WORDS === 0 ? other : nl,
      gold: await quotesOf([span], folder),
      alternates: [],
    }));
    const unanswerable = readUnanswerable()
      .filter((each) => each.package === name)
      .map(({ question }) => ({ question, gold: [], alternates: [] }));
    const questions = [...(await Promise.all(answerable)), ...unanswerable];
    const source = { name, type: 'files' as const, root: path.join(folder, name), paths: READ };
    const asking = await openAsking({ sources: [source] });
    try {
      await asking.engine.index();
      yield { questions, ...asking };
    } finally {
      await asking.close();
    }
  }
}

const quotesOf = (spans: readonly Span[], folder: string): Promise<GoldQuote[]> =>
  Promise.all(spans.map(async (span) => ({ path: span.path, quote: await storedQuote(span, folder) })));

/** Passages are compared as they are stored. */
export const storedQuote = (span: Span, folder: string): Promise<string> =>
  span.path.endsWith('.rst') ? quoteAsRead(span, folder, readRst) : quoteOf(span, folder);

const rst = RST_PARSER;
const readRst = (content: string): string =>
  rst.parse({
    ...{ externalId: 'a.rst', mediaType: 'text/x-rst', content, metadata: {}, access: OPEN_ACCESS },
  }).text;
