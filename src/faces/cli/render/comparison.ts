import type { ComparisonReport, GatedReport, MetricComparison, QueryChange } from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { oneLine, plural } from './text.js';

/** Most changed queries that are shown each way; `--json` has them all. */
const SHOWN_CHANGES = 8;
const QUERY_LENGTH = 72;

/** Two configurations: every metric with its test, then the queries that changed most. */
export function renderComparison(report: ComparisonReport, context: CliContext): string {
  const { a, b, metrics, changes } = report;
  const { bold, dim } = context.colours;
  const [first] = metrics;
  const shown = metrics.find(({ metric }) => metric === 'ndcg@10' || metric === 'hit@5') ?? first;
  const changed = changes[shown?.metric ?? ''] ?? [];
  return [
    `${bold(`${a.dataset}, ${a.split}`)}: ${plural(a.queries, 'question')}\nA ${a.name}\nB ${b.name}`,
    renderMetrics(metrics, context, ['A', 'B']),
    ...(isUnchanged(metrics)
      ? ['No query changed in any metric: A and B may be the same settings. --json has both.']
      : renderChanges(shown?.metric ?? '', changed, context)),
    dim(
      `p: two-sided paired randomisation test; interval: 95 % bootstrap. p95 latency A ${a.latencyMs.p95.toFixed(1)} ms, B ${b.latencyMs.p95.toFixed(1)} ms. --json has every query and setting.`,
    ),
  ].join('\n\n');
}

/** A gate's verdict: every metric against the baseline, what got worse and what got better. */
export function renderGate({ gate, dataset, split, queries }: GatedReport, context: CliContext): string {
  const { bold, green, red, dim } = context.colours;
  const verdict = gate.passed ? green('passed') : red('FAILED');
  const changed = [...gate.worse, ...[...gate.better].reverse()];
  const unseen = [
    ...(gate.missing.length === 0 ? [] : [`not asked any more: ${gate.missing.map(oneLine).join(', ')}`]),
    ...(gate.added.length === 0 ? [] : [`new, not part of the test: ${gate.added.map(oneLine).join(', ')}`]),
  ];
  return [
    `${bold(`${dataset}, ${split}`)}: ${plural(queries, 'question')}; gate ${verdict} on ${gate.metric}`,
    ...(gate.reasons.length === 0 ? [] : [gate.reasons.join('\n')]),
    renderMetrics(gate.metrics, context, ['baseline', 'now']),
    ...renderChanges(gate.metric, changed, context),
    ...(unseen.length === 0 ? [] : [unseen.join('\n')]),
    dim(
      `p of the loss ${gate.pValueOfLoss.toFixed(4)} (one-sided), fails below ${gate.alpha}. --json has every query.`,
    ),
  ].join('\n\n');
}

const isUnchanged = (metrics: readonly MetricComparison[]): boolean =>
  metrics.every(({ wins, losses }) => wins + losses === 0);

function renderMetrics(
  metrics: readonly MetricComparison[],
  context: CliContext,
  [a, b]: readonly [string, string],
): string {
  const head = ['metric', a, b, 'difference', '95 % interval', 'p', 'wins', 'losses', 'ties'];
  const rows = metrics.map((entry) => [
    entry.metric,
    entry.a.toFixed(4),
    entry.b.toFixed(4),
    signed(entry.difference),
    `${signed(entry.low)} to ${signed(entry.high)}`,
    entry.pValue < 0.0001 ? '<0.0001' : entry.pValue.toFixed(4),
    entry.wins,
    entry.losses,
    entry.ties,
  ]);
  return renderTable(head, rows, { context, numeric: head.map((_, column) => column).slice(1) });
}

function renderChanges(metric: string, changed: readonly QueryChange[], context: CliContext): string[] {
  if (changed.length === 0) return [`No query changed in ${metric}.`];
  const losses = changed.filter(({ a, b }) => b < a).slice(0, SHOWN_CHANGES);
  const wins = changed
    .filter(({ a, b }) => b > a)
    .reverse()
    .slice(0, SHOWN_CHANGES);
  const rows = [...losses, ...wins].map(({ id, text, a, b }) => [
    signed(b - a),
    `${a.toFixed(3)} -> ${b.toFixed(3)}`,
    oneLine(id),
    oneLine(text).slice(0, QUERY_LENGTH),
  ]);
  return [renderTable([metric, 'from -> to', 'id', 'query'], rows, { context, numeric: [0] })];
}

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(4)}`;
