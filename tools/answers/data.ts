import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SearchSignals } from '../../src/answering/confidence-features.js';
import { assembleContext } from '../../src/context/assemble-context.js';
import type { ContextEntry } from '../../src/context/context-pack.js';
import { createEngine, eq, not, type SearchResult, tokenCounterFor } from '../../src/index.js';

/** Half of a data set on which something may be fitted, or the one that is reported. */
export type Half = 'calibration' | 'reporting';

/** What a question finds. */
export interface Found {
  readonly entries: readonly ContextEntry[];
  readonly signals: SearchSignals;
}

export interface AskedQuestion {
  readonly id: string;
  readonly question: string;
  readonly half: Half;
  /** Document that answers. */
  readonly gold: string;
  readonly answers: readonly string[];
  readonly found: Found;
  /** Without the document that answers. */
  readonly foundWithout: Found;
}

interface Row {
  readonly _id: string;
  readonly text: string;
  readonly title?: string;
}

const TOP_K = 5;

/** XQuAD's questions with what the engine finds for them, halves by article: no article is in both. */
export async function askXquad(folder: string): Promise<AskedQuestion[]> {
  const rows = async <T>(file: string): Promise<T[]> =>
    (await readFile(path.join(folder, file), 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as T);
  const documents = await rows<Row>('corpus.jsonl');
  const questions = new Map((await rows<Row>('queries.jsonl')).map(({ _id, text }) => [_id, text]));
  const answers = await rows<{
    _id: string;
    'corpus-id': string;
    answers: { text: string }[];
  }>('answers.jsonl');
  const articles = [...new Set(answers.map((row) => articleOf(row['corpus-id'])))];
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ragstone-answers-'));
  const engine = await createEngine({ config: { provider: 'memory' }, dataDir });
  try {
    await engine.index({
      documents: documents.map(({ _id, text, title }) => ({
        id: _id,
        text,
        ...(title === undefined ? {} : { title }),
      })),
    });
    const find = async (question: string, without?: string): Promise<Found> => {
      const { results } = await engine.search({
        text: question,
        options: { topK: TOP_K, explainScore: true },
        ...(without === undefined ? {} : { filter: not(eq('source', without)) }),
      });
      return foundOf(question, results);
    };
    const asked: AskedQuestion[] = [];
    for (const { _id, 'corpus-id': gold, answers: spans } of answers) {
      const question = questions.get(_id) ?? '';
      asked.push({
        id: _id,
        question,
        half: articles.indexOf(articleOf(gold)) % 2 === 0 ? 'calibration' : 'reporting',
        gold,
        answers: spans.map(({ text }) => text),
        found: await find(question),
        foundWithout: await find(question, gold),
      });
    }
    return asked;
  } finally {
    await engine.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const articleOf = (document: string): string => document.split('#')[0] ?? document;

async function foundOf(question: string, results: readonly SearchResult[]): Promise<Found> {
  const pack = await assembleContext(
    { question, ranked: results.map(asScoredChunk) },
    { budget: 8_000, counter: await tokenCounterFor() },
  );
  const best = results.slice(0, 2).map(({ explanation }) => explanation);
  return {
    entries: pack.entries,
    signals: {
      keyword: best.flatMap((explanation) => explanation?.keywordScore ?? []),
      semantic: best.flatMap((explanation) => explanation?.semanticScore ?? []),
    },
  };
}

/** As the store holds it, as far as a context needs. */
/** An answer is weighed by how likely its passages are. */
function asScoredChunk({ id, content, probability, metadata }: SearchResult) {
  const { offsets, revision, title, headingPath, lines, source, sourceType } = metadata;
  return {
    score: probability,
    chunk: {
      id,
      content,
      documentId: source,
      tenant: 'default',
      source: 'xquad',
      access: { groups: ['*'], level: 0 },
      identifiers: [],
      metadata: {
        source,
        sourceType,
        lines,
        headingPath,
        ...(typeof title === 'string' ? { title } : {}),
        ...(typeof revision === 'string' ? { revision } : {}),
        ...(isRange(offsets) ? { offsets } : {}),
      },
    },
  };
}

const isRange = (value: unknown): value is { start: number; end: number } =>
  typeof value === 'object' && value !== null && 'start' in value && 'end' in value;
