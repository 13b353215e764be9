import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readChunkingDataset } from './chunking-dataset.js';

describe('readChunkingDataset', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ragstone-chunking-'));
    await mkdir(join(folder, 'corpora'));
    await writeFile(join(folder, 'corpora', 'notes.md'), '👍 One. Two.');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const writeQuestions = (references: string, header = 'question,references,corpus_id') =>
    writeFile(
      join(folder, 'questions_df.csv'),
      `${header}\nWhat?,"${references.replaceAll('"', '""')}",notes\n`,
    );

  it('turns offsets in code points to offsets in UTF-16 code units', async () => {
    await writeQuestions('[{"content": "One.", "start_index": 2, "end_index": 6}]');
    const { corpora, questions } = await readChunkingDataset(folder);
    expect(corpora).toEqual([{ id: 'notes', text: '👍 One. Two.' }]);
    expect(questions).toEqual([{ question: 'What?', corpus: 'notes', references: [{ start: 3, end: 7 }] }]);
  });

  it.each([
    ['a reference that is elsewhere', '[{"content": "One.", "start_index": 3, "end_index": 7}]', undefined],
    ['references that are not JSON', '[{', undefined],
    ['another column', '[]', 'q,references,corpus_id'],
  ])('refuses %s', async (_name, references, header) => {
    await writeQuestions(references, header);
    await expect(readChunkingDataset(folder)).rejects.toMatchObject({ reason: 'DATASET_INVALID' });
  });

  it('refuses a folder without the files', async () => {
    await expect(readChunkingDataset(folder)).rejects.toMatchObject({ reason: 'DATASET_INVALID' });
  });
});

const PUBLISHED = '../shared/data/chunking';
const isPresent = existsSync(PUBLISHED);
if (!isPresent) console.info(`Skipped: ${PUBLISHED} is absent.`);

it.skipIf(!isPresent)('reads the published set: each of its references is the text it quotes', async () => {
  const { corpora, questions } = await readChunkingDataset(PUBLISHED);
  expect(corpora).toHaveLength(5);
  expect(questions).toHaveLength(472);
  expect(questions.flatMap(({ references }) => references)).toHaveLength(790);
});
