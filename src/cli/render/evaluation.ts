import type { CliContext } from '../context.js';
import type { EvaluationReport } from '../evaluation-contract.js';
import { renderTable } from './table.js';
import { formatCount } from './text.js';

/** Metrics of an evaluation, one a line. */
export function renderEvaluation(report: EvaluationReport, context: CliContext): string {
  const { dataset, split, queries, metrics, latencyMs, config } = report;
  const where = split === undefined ? dataset : `${dataset}, ${split}`;
  const settings = Object.entries(config)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  const rows = Object.entries(metrics).map(([name, value]) => [name, value.toFixed(4)]);
  return [
    `${context.colours.bold(where)}: ${formatCount(queries)} queries`,
    renderTable(['metric', 'value'], rows, { context, numeric: [1] }),
    `latency p50 ${latencyMs.p50.toFixed(1)} ms, p95 ${latencyMs.p95.toFixed(1)} ms`,
    context.colours.dim(settings),
  ].join('\n\n');
}
