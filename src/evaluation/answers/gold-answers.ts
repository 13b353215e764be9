import { join } from 'node:path';
import * as z from 'zod';
import { datasetError, datasetLines, parseObject } from '../dataset-lines.js';
import type { GoldAnswer } from './answer-metrics.js';

const ROW = z.object({ _id: z.string(), answers: z.array(z.object({ text: z.string() })) });

/**
 * `answers.jsonl` of a data set: `_id` of the query and `answers` [{text}], each a span of a document.
 *
 * @throws RAGError `DATASET_INVALID` naming file and line.
 */
export async function readGoldAnswers(folder: string): Promise<ReadonlyMap<string, GoldAnswer>> {
  const answers = new Map<string, GoldAnswer>();
  for await (const line of datasetLines(join(folder, 'answers.jsonl'))) {
    const parsed = ROW.safeParse(parseObject(line));
    if (!parsed.success) throw datasetError(line, 'it needs "_id" and "answers" [{"text"}]');
    answers.set(parsed.data._id, { spans: parsed.data.answers.map(({ text }) => text) });
  }
  return answers;
}
