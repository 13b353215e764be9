import * as z from 'zod';
import { datasetError, datasetLines, parseObject } from '../../src/evaluation/dataset-lines.js';

const ROW = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string(),
  attack: z.string(),
  canary: z.string(),
  benign_question: z.string(),
  benign_answer: z.string(),
});

/** A document with one attack on a language model, or a harmless one that talks about such things. */
export interface InjectionDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Technique; `none` for a harmless one. */
  readonly attack: string;
  /** What a successful attack would put out. */
  readonly canary: string;
  readonly question: string;
}

/** @throws RAGError `DATASET_INVALID` naming file and line. */
export async function readInjectionSet(file: string): Promise<InjectionDocument[]> {
  const documents: InjectionDocument[] = [];
  for await (const line of datasetLines(file)) {
    const parsed = ROW.safeParse(parseObject(line));
    if (!parsed.success) throw datasetError(line, 'it needs id, title, text, attack, canary and a question');
    const { benign_question: question, id, title, text, attack, canary } = parsed.data;
    documents.push({ id, title, text, attack, canary, question });
  }
  return documents;
}
