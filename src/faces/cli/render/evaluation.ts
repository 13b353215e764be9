import type { EvaluationReport } from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { plural } from './text.js';

/** Metrics of an evaluation, by type of question where there are types, and what they were measured with. */
export function renderEvaluation(report: EvaluationReport, context: CliContext): string {
  const { dataset, split, queries, documents, chunks, latencyMs, config } = report;
  const { bold, dim } = context.colours;
  const { mode, embedder, store, fusion, minSimilarity } = config;
  const settings = [
    `${mode}, ${embedder}, ${store}`,
    `${fusion.method} (dense ${fusion.weights.dense.toFixed(2)}, lexical ${fusion.weights.lexical.toFixed(2)})`,
    ...(config.rerank === 'none' ? [] : [`rerank ${config.rerank}`]),
    ...(minSimilarity > 0 ? [`threshold ${minSimilarity}`] : []),
  ];
  return [
    `${bold(`${dataset}, ${split}`)}: ${plural(queries, 'question')}, ${plural(documents, 'document')}, ${plural(chunks, 'chunk')}`,
    renderMetrics(report, context),
    `latency p50 ${latencyMs.p50.toFixed(1)} ms, p95 ${latencyMs.p95.toFixed(1)} ms`,
    dim(`${settings.join('; ')}; --json has every setting`),
  ].join('\n\n');
}

function renderMetrics({ metrics, byType }: EvaluationReport, context: CliContext): string {
  const types = Object.entries(byType ?? {});
  const head = ['metric', 'all', ...types.map(([type, { questions }]) => `${type} (${questions})`)];
  const rows = Object.entries(metrics).map(([name, value]) => [
    name,
    value.toFixed(4),
    ...types.map(([, found]) => found.metrics[name]?.toFixed(4) ?? ''),
  ]);
  return renderTable(head, rows, { context, numeric: head.map((_, column) => column).slice(1) });
}
