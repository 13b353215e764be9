import type { AnswersReport } from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { formatDuration, plural } from './text.js';

/** Measures of answers, for a person. */
export function renderAnswersReport(report: AnswersReport, context: CliContext): string {
  const { dataset, questions, documents, latencyMs, answerers, metrics } = report;
  const rows = Object.entries(metrics).map(([name, value]): [string, string] => [name, value.toFixed(4)]);
  const who = Object.entries(answerers)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
  return [
    `${dataset}: ${plural(questions, 'question')} over ${plural(documents, 'document')}`,
    renderTable(['measure', 'mean'], rows, { context, numeric: [1] }),
    context.colours.dim(
      `answers: ${who}; p50 ${formatDuration(latencyMs.p50)}, p95 ${formatDuration(latencyMs.p95)}`,
    ),
  ].join('\n\n');
}
