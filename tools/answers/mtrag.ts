import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { readJsonLines } from '../../bench/shared/data-files.js';
import { RAGError } from '../../src/core/errors.js';
import { mean } from '../../src/evaluation/metrics.js';

const TURN = z.object({ speaker: z.string(), text: z.string() });

const RATED = z.object({
  documents: z.array(z.object({ document_id: z.string(), text: z.string(), title: z.string().nullish() })),
  tasks: z.array(
    z.object({
      task_id: z.string(),
      input: z.array(TURN),
      contexts: z.array(z.object({ document_id: z.string() })),
      targets: z.array(z.object({ text: z.string() })),
    }),
  ),
  evaluations: z.array(
    z.object({
      task_id: z.string(),
      model_id: z.string(),
      model_response: z.string(),
      annotations: z.object({
        faithfulness: z.record(z.string(), z.object({ value: z.coerce.number() })).optional(),
      }),
    }),
  ),
});

/** An answer that people rated. */
export interface RatedAnswer {
  readonly task: string;
  readonly model: string;
  readonly question: string;
  readonly answer: string;
  /** Title and text of the passages that the task gives. */
  readonly contexts: readonly string[];
  /** Mean of the annotators, 1 to 4. */
  readonly faithfulness: number;
}

/**
 * The human ratings of MTRAG (Katsis et al. 2025): 477 answers to 159 tasks.
 *
 * @throws RAGError `DATASET_INVALID` where the file has another form.
 */
export async function readRatedAnswers(file: string): Promise<RatedAnswer[]> {
  const parsed = RATED.safeParse(JSON.parse(await readFile(file, 'utf8')));
  if (!parsed.success)
    throw new RAGError('DATASET_INVALID', `${file} is not MTRAG's file of human evaluations.`, {
      details: { file },
    });
  const { documents, tasks, evaluations } = parsed.data;
  const textOf = new Map(
    documents.map(({ document_id, title, text }) => [
      document_id,
      title === null || title === undefined ? text : `${title}\n${text}`,
    ]),
  );
  const byId = new Map(tasks.map((task) => [task.task_id, task]));
  return evaluations.flatMap(({ task_id, model_id, model_response, annotations }) => {
    const task = byId.get(task_id);
    const ratings = Object.values(annotations.faithfulness ?? {}).map(({ value }) => value);
    if (task === undefined || ratings.length === 0) return [];
    return [
      {
        task: task_id,
        model: model_id,
        question: task.input.map(({ text }) => text).join('\n'),
        answer: model_response,
        contexts: task.contexts.flatMap(({ document_id }) => textOf.get(document_id) ?? []),
        faithfulness: mean(ratings),
      },
    ];
  });
}

const TASK = z.object({
  task_id: z.string(),
  input: z.array(TURN),
  contexts: z.array(z.object({ document_id: z.string(), text: z.string(), title: z.string().nullish() })),
});

/** A conversation whose last question has gold passages. */
export interface ConversationTask {
  readonly id: string;
  readonly turns: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
  readonly passages: readonly { readonly id: string; readonly title: string; readonly text: string }[];
}

/** Tasks of MTRAG-UN with at least one gold passage; one JSON object a line. */
export function readConversations(file: string): ConversationTask[] {
  return readJsonLines(file).flatMap((row) => {
    const { task_id, input, contexts } = TASK.parse(row);
    if (contexts.length === 0) return [];
    return [
      {
        id: task_id,
        turns: input.map(({ speaker, text }) => ({
          role: speaker === 'user' ? ('user' as const) : ('assistant' as const),
          content: text,
        })),
        passages: contexts.map(({ document_id, title, text }) => ({
          id: document_id,
          title: title ?? '',
          text,
        })),
      },
    ];
  });
}
