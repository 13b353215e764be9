import type { MetricComparison, QueryChange } from '../../evaluation/compare-scores.js';
import { html, type Markup } from './markup.js';

const WIDTH = 900;
const HEIGHT = 260;
const MARGIN = { left: 64, right: 16, top: 16, bottom: 34 };
/** Bars that are drawn; of more queries, the differences of neighbours are drawn as their mean. */
const MOST_BARS = 400;

interface Frame {
  readonly x: (share: number) => number;
  readonly y: (value: number) => number;
  readonly low: number;
  readonly high: number;
}

function frame(low: number, high: number): Frame {
  const inner = { width: WIDTH - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
  const span = high - low === 0 ? 1 : high - low;
  return {
    x: (share) => round(MARGIN.left + share * inner.width),
    y: (value) => round(MARGIN.top + ((high - value) / span) * inner.height),
    low,
    high,
  };
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** Differences of single queries, the largest loss first: where a gain comes from, and what it costs. */
export function differencesPlot(
  differences: readonly number[],
  { metric }: { readonly metric: string },
): Markup {
  const sorted = [...differences].sort((a, b) => a - b);
  const bars = binned(sorted);
  const most = Math.max(0.01, ...sorted.map(Math.abs));
  const { x, y } = frame(-most, most);
  const drawn = bars.map((value, at) => {
    const left = x(at / bars.length);
    const width = Math.max(0.5, round(x((at + 1) / bars.length) - left - (bars.length > 150 ? 0 : 1)));
    const top = Math.min(y(value), y(0));
    const height = Math.max(0.8, round(Math.abs(y(value) - y(0))));
    const kind = value > 0 ? 'win' : value < 0 ? 'loss' : 'tie';
    return html`<rect class="${kind}" x="${left}" y="${top}" width="${width}" height="${height}"/>`;
  });
  const counts = countsOf(sorted);
  const title = `Differences of ${metric} by question, sorted: ${counts.losses} lost, ${counts.ties} alike, ${counts.wins} won.`;
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
${drawn}
<line class="zero" x1="${x(0)}" x2="${x(1)}" y1="${y(0)}" y2="${y(0)}"/>
${[-most, 0, most].map((value) => html`<text x="${MARGIN.left - 8}" y="${y(value) + 4}" text-anchor="end">${signed(value, 2)}</text>`)}
<text x="${x(0)}" y="${HEIGHT - 10}">largest loss</text>
<text x="${x(1)}" y="${HEIGHT - 10}" text-anchor="end">largest win</text>
</svg>`;
}

function binned(sorted: readonly number[]): readonly number[] {
  if (sorted.length <= MOST_BARS) return sorted;
  return Array.from({ length: MOST_BARS }, (_, bar) => {
    const part = sorted.slice(
      Math.floor((bar * sorted.length) / MOST_BARS),
      Math.floor(((bar + 1) * sorted.length) / MOST_BARS),
    );
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

export function countsOf(differences: readonly number[]): {
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
} {
  const wins = differences.filter((value) => value > 0).length;
  const losses = differences.filter((value) => value < 0).length;
  return { wins, losses, ties: differences.length - wins - losses };
}

/** The difference of each metric with its interval. */
export function intervalsPlot(metrics: readonly MetricComparison[]): Markup {
  const most = Math.max(0.005, ...metrics.flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)])) * 1.05;
  const rowHeight = 26;
  const height = metrics.length * rowHeight + 40;
  const left = 130;
  const x = (value: number): number => round(left + ((value + most) / (2 * most)) * (WIDTH - left - 24));
  const rows = metrics.map(({ metric, difference, low, high }, at) => {
    const y = 18 + at * rowHeight;
    return html`<text x="${left - 12}" y="${y + 4}" text-anchor="end">${metric}</text>
<line class="interval" x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}"/>
<circle class="mean" cx="${x(difference)}" cy="${y}" r="4"/>`;
  });
  const words = metrics
    .map(
      ({ metric, difference, low, high }) =>
        `${metric} ${signed(difference)} (${signed(low)} to ${signed(high)})`,
    )
    .join(', ');
  return html`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${`Differences B - A with 95 % intervals: ${words}.`}">
<line class="zero" x1="${x(0)}" x2="${x(0)}" y1="4" y2="${height - 26}"/>
${rows}
${[-most, 0, most].map((value, at) => html`<text x="${x(value)}" y="${height - 8}" text-anchor="${['start', 'middle', 'end'][at] ?? 'middle'}">${signed(value, 3)}</text>`)}
</svg>`;
}

/** Which share of searches took no longer than so many milliseconds; the axis is logarithmic. */
export function latencyPlot(a: readonly number[], b: readonly number[]): Markup {
  const all = [...a, ...b].map((ms) => Math.max(0.1, ms));
  const low = Math.log10(Math.min(...all));
  const high = Math.max(low + 0.3, Math.log10(Math.max(...all)));
  const { x, y } = frame(0, 1);
  const at = (ms: number): number => x((Math.log10(Math.max(0.1, ms)) - low) / (high - low));
  const path = (times: readonly number[]): string => {
    const sorted = [...times].sort((first, second) => first - second);
    const points = sorted.map((ms, place) => `${at(ms)} ${y((place + 1) / sorted.length)}`);
    return points.length === 0 ? '' : `M${at(sorted[0] ?? 0)} ${y(0)} L${points.join(' L')}`;
  };
  const ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000].filter(
    (ms) => Math.log10(ms) >= low && Math.log10(ms) <= high,
  );
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Share of searches by time taken; A dashed, B solid. The table below has the figures.">
${ticks.map((ms) => html`<line class="axis" x1="${at(ms)}" x2="${at(ms)}" y1="${y(1)}" y2="${y(0)}"/><text x="${at(ms)}" y="${HEIGHT - 10}" text-anchor="middle">${ms} ms</text>`)}
${[0, 0.5, 0.95, 1].map((share) => html`<line class="axis" x1="${x(0)}" x2="${x(1)}" y1="${y(share)}" y2="${y(share)}"/><text x="${MARGIN.left - 8}" y="${y(share) + 4}" text-anchor="end">${Math.round(share * 100)} %</text>`)}
<path class="line-a" d="${path(a)}"/><path class="line-b" d="${path(b)}"/>
</svg>`;
}

/** `+0.0123` */
export const signed = (value: number, digits = 4): string =>
  `${value < 0 ? '\u2212' : '+'}${Math.abs(value).toFixed(digits)}`;

/** Differences of all queries that both sides have: those that changed, and zeros for the others. */
export const allDifferences = (changes: readonly QueryChange[], { ties }: MetricComparison): number[] => [
  ...changes.map(({ a, b }) => b - a),
  ...Array.from({ length: ties }, () => 0),
];
