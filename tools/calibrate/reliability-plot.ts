import type { Reliability } from './reliability.js';
import { plotX, plotY, sharesPlot } from './shares-plot.js';

const COLOURS = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e'];

/** An SVG of stated against observed relevance, a line for each collection; on the diagonal a score means what it says. */
export function reliabilityPlot(title: string, lines: ReadonlyMap<string, Reliability>): string {
  const curves = [...lines].map(([name, { bins, error }], i) => {
    const colour = COLOURS[i % COLOURS.length] ?? '#000';
    const points = bins.map((bin) => `${plotX(bin.stated)},${plotY(bin.observed)}`).join(' ');
    const dots = bins.map(
      (bin) =>
        `<circle cx="${plotX(bin.stated)}" cy="${plotY(bin.observed)}" r="${(2 + Math.log10(bin.count)).toFixed(1)}" fill="${colour}"/>`,
    );
    const label = `<text x="58" y="${66 + i * 16}" fill="${colour}">${name} (ECE ${error.toFixed(3)})</text>`;
    return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.5"/>${dots.join('')}${label}`;
  });
  return sharesPlot(
    { title, xTitle: 'stated relevance (score)', yTitle: 'observed share of relevant passages' },
    [
      `<path d="M${plotX(0)} ${plotY(0)}L${plotX(1)} ${plotY(1)}" stroke="#888" stroke-dasharray="4"/>`,
      ...curves,
    ],
  );
}
