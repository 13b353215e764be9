import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { TextRange } from '../../src/core/document.js';
import { RAGError } from '../../src/core/errors.js';
import { parseCsv } from '../shared/data-files.js';
import type { ChunkingQuestion } from './chunking-metrics.js';
import type { ChunkingCorpus } from './evaluate-chunking.js';

export interface ChunkingDataset {
  readonly corpora: readonly ChunkingCorpus[];
  readonly questions: readonly ChunkingQuestion[];
}

const QUESTIONS_FILE = 'questions_df.csv';
const HEADER = ['question', 'references', 'corpus_id'];

const REFERENCES = z.array(
  z.object({ content: z.string(), start_index: z.int().nonnegative(), end_index: z.int().nonnegative() }),
);

/**
 * Reads a data set in the layout of Chroma's chunking evaluation: `questions_df.csv` with the columns question,
 * references (JSON) and corpus_id, and `corpora/<corpus_id>.md`. Their offsets count code points and become offsets in
 * UTF-16 code units.
 *
 * @throws `DATASET_INVALID` for a missing file, a wrong column, or a reference that does not lie in its corpus
 */
export async function readChunkingDataset(folder: string): Promise<ChunkingDataset> {
  const [header, ...rows] = parseCsv(await readText(join(folder, QUESTIONS_FILE)));
  if (header?.join() !== HEADER.join()) {
    throw invalid(`${QUESTIONS_FILE} must have the columns ${HEADER.join(', ')}`);
  }
  const ids = [...new Set(rows.flatMap((row) => row[2] ?? []))];
  const corpora = await Promise.all(
    ids.map(async (id) => ({ id, text: await readText(join(folder, 'corpora', `${id}.md`)) })),
  );
  const readers = new Map(corpora.map(({ id, text }) => [id, createOffsetReader(text)]));
  const questions = rows.map(([question = '', references = '', corpus = ''], index) => {
    const toRange = readers.get(corpus);
    if (toRange === undefined) throw invalid(`row ${index + 2} of ${QUESTIONS_FILE} names no corpus`);
    return { question, corpus, references: parseReferences(references, index + 2).map(toRange) };
  });
  return { corpora, questions };
}

type Reference = z.infer<typeof REFERENCES>[number];

function parseReferences(json: string, row: number): Reference[] {
  try {
    return REFERENCES.parse(JSON.parse(json));
  } catch (cause) {
    throw new RAGError(
      'DATASET_INVALID',
      `The references in row ${row} of ${QUESTIONS_FILE} are not valid.`,
      {
        cause,
      },
    );
  }
}

/** Turns offsets in code points to UTF-16 offsets, and checks that they cut out the quoted text. */
function createOffsetReader(text: string): (reference: Reference) => TextRange {
  const offsets: number[] = [];
  let offset = 0;
  for (const character of text) {
    offsets.push(offset);
    offset += character.length;
  }
  offsets.push(offset);
  return ({ content, start_index, end_index }) => {
    const start = offsets[start_index] ?? 0;
    const end = offsets[end_index] ?? 0;
    if (text.slice(start, end) !== content) {
      throw invalid(`a reference at ${start_index} to ${end_index} is not the text of its corpus`);
    }
    return { start, end };
  };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new RAGError('DATASET_INVALID', `Cannot read "${path}" of the chunking data set.`, { cause });
  }
}

const invalid = (what: string): RAGError =>
  new RAGError('DATASET_INVALID', `The chunking data set is not as expected: ${what}.`);
