const SIZE = 360;
const MARGIN = 48;

/** Positions in the plot of two shares, each from 0 to 1. */
export const plotX = (share: number): string => (MARGIN + share * SIZE).toFixed(1);
export const plotY = (share: number): string => (MARGIN + (1 - share) * SIZE).toFixed(1);

export interface SharesPlot {
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
}

/** An SVG of one share against another, with a grid; `parts` lie upon it. */
export function sharesPlot({ title, xTitle, yTitle }: SharesPlot, parts: readonly string[]): string {
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (tick) =>
      `<path d="M${plotX(tick)} ${plotY(0)}V${plotY(1)}M${plotX(0)} ${plotY(tick)}H${plotX(1)}" stroke="#ddd"/>` +
      `<text x="${plotX(tick)}" y="${MARGIN + SIZE + 16}" text-anchor="middle">${tick}</text>` +
      `<text x="${MARGIN - 8}" y="${Number(plotY(tick)) + 4}" text-anchor="end">${tick}</text>`,
  );
  const side = SIZE + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    `<text x="${side / 2}" y="24" text-anchor="middle" font-size="13">${title}</text>`,
    ...grid,
    ...parts,
    `<text x="${side / 2}" y="${side - 8}" text-anchor="middle">${xTitle}</text>`,
    `<text transform="translate(14 ${side / 2}) rotate(-90)" text-anchor="middle">${yTitle}</text>`,
    '</svg>',
    '',
  ].join('\n');
}
