import type { RiskCoveragePoint } from './rank-statistics.js';

const SIZE = 360;
const MARGIN = 48;
const POINTS = 200;

/** An SVG of the share of questions answered against the share of those answers that are wrong. */
export function riskCoveragePlot(points: readonly RiskCoveragePoint[], threshold: number): string {
  const x = (value: number): string => (MARGIN + value * SIZE).toFixed(1);
  const y = (value: number): string => (MARGIN + (1 - value) * SIZE).toFixed(1);
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (tick) =>
      `<path d="M${x(tick)} ${y(0)}V${y(1)}M${x(0)} ${y(tick)}H${x(1)}" stroke="#ddd"/>` +
      `<text x="${x(tick)}" y="${MARGIN + SIZE + 16}" text-anchor="middle">${tick}</text>` +
      `<text x="${MARGIN - 8}" y="${Number(y(tick)) + 4}" text-anchor="end">${tick}</text>`,
  );
  const step = Math.max(1, Math.floor(points.length / POINTS));
  const line = points
    .filter((_, i) => i % step === 0 || i === points.length - 1)
    .map(({ coverage, risk }) => `${x(coverage)},${y(risk)}`)
    .join(' ');
  const chosen = points.filter((point) => point.threshold >= threshold).at(-1);
  const mark =
    chosen === undefined
      ? ''
      : `<circle cx="${x(chosen.coverage)}" cy="${y(chosen.risk)}" r="4" fill="#d62728"/>` +
        `<text x="${Number(x(chosen.coverage)) + 8}" y="${Number(y(chosen.risk)) - 8}" fill="#d62728">default ${threshold}</text>`;
  const side = SIZE + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    `<text x="${side / 2}" y="24" text-anchor="middle" font-size="13">Risk and coverage, half of the questions unanswerable</text>`,
    ...grid,
    `<polyline points="${line}" fill="none" stroke="#1f77b4" stroke-width="1.5"/>`,
    mark,
    `<text x="${side / 2}" y="${side - 8}" text-anchor="middle">share of questions answered</text>`,
    `<text transform="translate(14 ${side / 2}) rotate(-90)" text-anchor="middle">share of answers that are wrong</text>`,
    '</svg>',
    '',
  ].join('\n');
}
