import type { Engine } from 'ragstone';
import { type AblationStep, type ChosenSettings, changesOf, stagesOf } from './ablation.js';
import { evaluateAnswers } from './answer-evaluation.js';
import { MODES } from './chatbot.js';
import { evaluateRetrieval } from './evaluation.js';
import type { CareerQuestion } from './questions.js';

/** What each stage of the search adds, and what one change each would, as a table in Markdown. */
export async function stagesTable(
  engine: Engine,
  questions: readonly CareerQuestion[],
  settings: ChosenSettings,
): Promise<string> {
  const rows: string[][] = [];
  for (const stage of [...stagesOf(settings), ...changesOf(settings)])
    rows.push(await stageRow(engine, questions, stage));
  return markdownTable(['search', 'precision@3', 'recall@3', 'MRR', 'relevance (0-10)', 'retrieved'], rows);
}

/** A row of that table. */
export async function stageRow(
  engine: Engine,
  questions: readonly CareerQuestion[],
  { name, search }: AblationStep,
): Promise<string[]> {
  const scores = await evaluateRetrieval(questions, search(engine));
  const { precision_at_3, recall_at_3, mrr, relevance, retrieved } = scores;
  return [name, ...[precision_at_3, recall_at_3, mrr].map(share), relevance.toFixed(1), retrieved.toFixed(1)];
}

/** The four modes over the whole pipeline, context and answer included. */
export async function modesTable(engine: Engine, questions: readonly CareerQuestion[]): Promise<string> {
  const rows: string[][] = [];
  for (const mode of MODES) {
    const scores = await evaluateAnswers(questions, { engine, mode });
    const { relevance, answered, right, context_recall, context_utilization, withheld, regenerated } = scores;
    const shares = [answered, right, context_recall, context_utilization, withheld, regenerated].map(share);
    rows.push([mode, relevance.toFixed(1), ...shares]);
  }
  const unanswerable = questions.filter(({ answer }) => answer === null).length;
  const columns = ['answered', 'right', 'context recall', 'context used', `withheld (of ${unanswerable})`];
  return markdownTable(['mode', 'relevance (0-10)', ...columns, 'regenerated'], rows);
}

/** Recall of each kind of question, by the stages that change it most. */
export async function kindsTable(
  engine: Engine,
  questions: readonly CareerQuestion[],
  settings: ChosenSettings,
): Promise<string> {
  const stages = stagesOf(settings);
  const shown = [stages[0], stages[1], ...stages.slice(3)].filter((stage) => stage !== undefined);
  const kinds = [...new Set(questions.map(({ kind }) => kind))].filter((kind) => kind !== 'unanswerable');
  const rows: string[][] = [];
  for (const kind of kinds.sort()) {
    const own = questions.filter((question) => question.kind === kind);
    const recalls: string[] = [];
    for (const { search } of shown)
      recalls.push(share((await evaluateRetrieval(own, search(engine))).recall_at_3));
    rows.push([`${kind} (${own.length})`, ...recalls]);
  }
  return markdownTable(['recall@3 of', ...shown.map(({ name }) => name)], rows);
}

const share = (value: number): string => value.toFixed(3).replace(/^0/, '');

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  );
}
