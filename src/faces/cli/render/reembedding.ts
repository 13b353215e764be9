import type { ReembedResult, UpgradeComparison } from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { formatCount, formatDuration, oneLine, plural } from './text.js';

/** What came of an upgrade: what was made, what the comparison found, and what searches read now. */
export function renderReembedding(result: ReembedResult, context: CliContext): string {
  const { outcome, comparison, from, estimate } = result;
  if (outcome === 'already') return result.notices.join('\n');
  if (outcome === 'dry-run') {
    const tokens =
      estimate === undefined
        ? ''
        : `, ${estimate.isExact ? '' : 'about '}${formatCount(estimate.tokens)} tokens, ${estimate.cost === undefined ? 'price unknown' : `$${estimate.cost.toFixed(4)}`}`;
    return `${plural(result.chunks, 'chunk')} of ${plural(result.documents, 'document')} would be embedded with ${result.to.embedder}${tokens}. Nothing was written or sent.`;
  }
  return [
    describeReembedding(result),
    ...(comparison === undefined ? [] : [renderUpgradeComparison(comparison, context)]),
    ...(outcome === 'switched'
      ? [`Take it back: ${context.command} generations use ${from.generation}`]
      : []),
  ].join('\n\n');
}

/** In one line. */
export function describeReembedding({
  outcome,
  from,
  to,
  chunks,
  embeddingMs,
  comparison,
}: ReembedResult): string {
  if (outcome === 'already') return `the index is made with ${oneLine(to.embedder)} already`;
  const made = `${plural(chunks, 'chunk')} embedded with ${oneLine(to.embedder)} in ${formatDuration(embeddingMs)}`;
  const found = comparison === undefined ? 'not compared' : comparison.verdict;
  const now =
    outcome === 'switched'
      ? `searches read generation ${to.generation} now`
      : `searches stay with generation ${from.generation} (${oneLine(from.embedder)})`;
  return `${made}; ${found}; ${now}.`;
}

function renderUpgradeComparison(comparison: UpgradeComparison, context: CliContext): string {
  const { metrics, metric, verdict, questions, questionsFrom } = comparison;
  const decisive = metrics.find((one) => one.metric === metric);
  const { bold, dim } = context.colours;
  return [
    `${bold(verdict)} on ${plural(questions, 'question')} (${oneLine(questionsFrom)})${decisive === undefined ? '' : `: ${metric} ${decisive.a.toFixed(3)} to ${decisive.b.toFixed(3)}, p ${decisive.pValue.toFixed(3)}`}`,
    renderTable(
      ['metric', 'before', 'after', 'difference', '95 % interval', 'p', 'better/worse/equal'],
      metrics.map(({ metric: name, a, b, difference, low, high, pValue, wins, losses, ties }) => [
        name,
        a.toFixed(3),
        b.toFixed(3),
        signed(difference),
        `${signed(low)} to ${signed(high)}`,
        pValue.toFixed(3),
        `${wins}/${losses}/${ties}`,
      ]),
      { context, numeric: [1, 2, 3, 5] },
    ),
    dim('p: two-sided paired randomisation test; interval: 95 % bootstrap.'),
  ].join('\n');
}

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(3)}`;
