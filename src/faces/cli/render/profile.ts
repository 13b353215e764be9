import type { ProfileReport } from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { plural } from './text.js';

/** What each plan is worth and how long it takes. */
export function renderProfile(report: ProfileReport, context: CliContext): string {
  const { plans, metric, questions, chunks, embedder, file } = report;
  const head = ['plan', 'lanes', 'candidates', 'reranked', metric, 'p50 ms', 'p95 ms'];
  const rows = plans.map(({ name, mode, candidates, reranked, quality, p50Ms, p95Ms }) => [
    ...[name, mode, String(candidates), String(reranked)],
    ...[quality.toFixed(3), p50Ms.toFixed(1), p95Ms.toFixed(1)],
  ]);
  return [
    `${plural(questions, 'question')}, ${plural(chunks, 'chunk')}, ${embedder}`,
    renderTable(head, rows, { context, numeric: [2, 3, 4, 5, 6] }),
    context.colours.dim(`Kept in ${file}; searches with --deadline-ms choose by it.`),
  ].join('\n\n');
}
