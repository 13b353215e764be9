import path from 'node:path';
import { readJsonLines } from '../../bench/shared/data-files.js';
import type { Findings } from '../../src/answering/compose-answer.js';
import { eq, not } from '../../src/index.js';
import { openAsking } from './asking.js';

/** Half of a data set on which something may be fitted, or the one that is reported. */
export type Half = 'calibration' | 'reporting';

export interface AskedQuestion {
  readonly id: string;
  readonly question: string;
  readonly half: Half;
  /** Document that answers. */
  readonly gold: string;
  readonly answers: readonly string[];
  readonly found: Findings;
  /** Without the document that answers. */
  readonly foundWithout: Findings;
}

interface Row {
  readonly _id: string;
  readonly text: string;
  readonly title?: string;
}

/** XQuAD's questions with what the engine finds for them, halves by article: no article is in both. */
export async function askXquad(folder: string): Promise<AskedQuestion[]> {
  const rows = <T>(file: string): T[] => readJsonLines(path.join(folder, file));
  const documents = rows<Row>('corpus.jsonl');
  const questions = new Map(rows<Row>('queries.jsonl').map(({ _id, text }) => [_id, text]));
  const answers = rows<{
    _id: string;
    'corpus-id': string;
    answers: { text: string }[];
  }>('answers.jsonl');
  const articles = [...new Set(answers.map((row) => articleOf(row['corpus-id'])))];
  const { engine, findings, close } = await openAsking();
  try {
    await engine.index({
      documents: documents.map(({ _id, text, title }) => ({
        id: _id,
        text,
        ...(title === undefined ? {} : { title }),
      })),
    });
    const asked: AskedQuestion[] = [];
    for (const { _id, 'corpus-id': gold, answers: spans } of answers) {
      const question = questions.get(_id) ?? '';
      asked.push({
        id: _id,
        question,
        half: articles.indexOf(articleOf(gold)) % 2 === 0 ? 'calibration' : 'reporting',
        gold,
        answers: spans.map(({ text }) => text),
        found: await findings(question),
        foundWithout: await findings(question, not(eq('source', gold))),
      });
    }
    return asked;
  } finally {
    await close();
  }
}

const articleOf = (document: string): string => document.split('#')[0] ?? document;
