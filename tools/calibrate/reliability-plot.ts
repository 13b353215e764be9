import type { Reliability } from './reliability.js';

const SIZE = 360;
const MARGIN = 48;
const COLOURS = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e'];

/** An SVG of stated against observed relevance, a line for each collection; on the diagonal a score means what it says. */
export function reliabilityPlot(title: string, lines: ReadonlyMap<string, Reliability>): string {
  const x = (value: number): string => (MARGIN + value * SIZE).toFixed(1);
  const y = (value: number): string => (MARGIN + (1 - value) * SIZE).toFixed(1);
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (tick) =>
      `<path d="M${x(tick)} ${y(0)}V${y(1)}M${x(0)} ${y(tick)}H${x(1)}" stroke="#ddd"/>` +
      `<text x="${x(tick)}" y="${MARGIN + SIZE + 16}" text-anchor="middle">${tick}</text>` +
      `<text x="${MARGIN - 8}" y="${Number(y(tick)) + 4}" text-anchor="end">${tick}</text>`,
  );
  const curves = [...lines].map(([name, { bins, error }], i) => {
    const colour = COLOURS[i % COLOURS.length] ?? '#000';
    const points = bins.map((bin) => `${x(bin.stated)},${y(bin.observed)}`).join(' ');
    const dots = bins.map(
      (bin) =>
        `<circle cx="${x(bin.stated)}" cy="${y(bin.observed)}" r="${(2 + Math.log10(bin.count)).toFixed(1)}" fill="${colour}"/>`,
    );
    const label = `<text x="${MARGIN + 10}" y="${MARGIN + 18 + i * 16}" fill="${colour}">${name} (ECE ${error.toFixed(3)})</text>`;
    return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.5"/>${dots.join('')}${label}`;
  });
  const side = SIZE + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    `<text x="${side / 2}" y="24" text-anchor="middle" font-size="13">${title}</text>`,
    ...grid,
    `<path d="M${x(0)} ${y(0)}L${x(1)} ${y(1)}" stroke="#888" stroke-dasharray="4"/>`,
    ...curves,
    `<text x="${side / 2}" y="${side - 8}" text-anchor="middle">stated relevance (score)</text>`,
    `<text transform="translate(14 ${side / 2}) rotate(-90)" text-anchor="middle">observed share of relevant passages</text>`,
    '</svg>',
    '',
  ].join('\n');
}
