import { plotX, plotY, sharesPlot } from '../calibrate/shares-plot.js';
import type { RiskCoveragePoint } from './rank-statistics.js';

const POINTS = 200;

/** An SVG of the share of questions answered against the share of those answers that are wrong. */
export function riskCoveragePlot(points: readonly RiskCoveragePoint[], threshold: number): string {
  const step = Math.max(1, Math.floor(points.length / POINTS));
  const line = points
    .filter((_, i) => i % step === 0 || i === points.length - 1)
    .map(({ coverage, risk }) => `${plotX(coverage)},${plotY(risk)}`)
    .join(' ');
  const chosen = points.filter((point) => point.threshold >= threshold).at(-1);
  const mark =
    chosen === undefined
      ? ''
      : `<circle cx="${plotX(chosen.coverage)}" cy="${plotY(chosen.risk)}" r="4" fill="#d62728"/>` +
        `<text x="${Number(plotX(chosen.coverage)) + 8}" y="${Number(plotY(chosen.risk)) - 8}" fill="#d62728">default ${threshold}</text>`;
  return sharesPlot(
    {
      title: 'Risk and coverage, half of the questions unanswerable',
      xTitle: 'share of questions answered',
      yTitle: 'share of answers that are wrong',
    },
    [`<polyline points="${line}" fill="none" stroke="#1f77b4" stroke-width="1.5"/>`, mark],
  );
}
