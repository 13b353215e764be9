import { writeFileSync } from 'node:fs';
import { REPOSITORY } from '../shared/places.js';

/** A setting as a plot shows it. */
export interface PlottedSetting {
  readonly name: string;
  /** Number of its colour and shape, the same in every plot. */
  readonly style: number;
  readonly value: number;
  /** 95 % interval. */
  readonly low: number;
  readonly high: number;
  /** Median milliseconds of a query. */
  readonly ms: number;
}

/** Okabe and Ito's colours, which people with any colour vision tell apart; each setting has a shape too. */
const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#d55e00', '#cc79a7', '#56b4e9', '#000000'];
const INK = '#222';
const GRID = '#ddd';
const [LEFT, TOP, WIDTH, ROW] = [190, 48, 420, 34];

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const colourOf = (i: number): string => COLOURS[i % COLOURS.length] ?? INK;

/** A point with its interval for each setting. No bars: their axis would have to begin at nothing. */
export function settingPlot(title: string, settings: readonly PlottedSetting[]): string {
  const lowest = Math.max(0, Math.floor(Math.min(...settings.map(({ low }) => low)) * 10) / 10 - 0.1);
  const highest = Math.min(1, Math.ceil(Math.max(...settings.map(({ high }) => high)) * 10) / 10);
  const x = (value: number): number => LEFT + ((value - lowest) / (highest - lowest)) * WIDTH;
  const bottom = TOP + settings.length * ROW;
  const ticks = steps(lowest, highest, 0.1).map(
    (tick) =>
      `<path d="M${x(tick)} ${TOP}V${bottom}" stroke="${GRID}"/>` +
      `<text x="${x(tick)}" y="${bottom + 18}" text-anchor="middle">${tick.toFixed(1)}</text>`,
  );
  const points = settings.map(({ name, style, value, low, high }, i) => {
    const y = TOP + i * ROW + ROW / 2;
    return (
      `<path d="M${x(low)} ${y}H${x(high)}M${x(low)} ${y - 5}V${y + 5}M${x(high)} ${y - 5}V${y + 5}" stroke="${colourOf(style)}" stroke-width="2" fill="none"/>` +
      marker(style, { x: x(value), y }) +
      `<text x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${escaped(name)}</text>` +
      `<text x="${LEFT + WIDTH + 10}" y="${y + 4}">${value.toFixed(3)}</text>`
    );
  });
  return svg({ width: LEFT + WIDTH + 70, height: bottom + 46, title }, [
    ...ticks,
    ...points,
    `<text x="${LEFT + WIDTH / 2}" y="${bottom + 38}" text-anchor="middle">nDCG@10 with 95 % bootstrap interval</text>`,
  ]);
}

/** Quality against the time of a query, on a logarithmic axis. */
export function timePlot(title: string, settings: readonly PlottedSetting[]): string {
  const [left, height] = [64, 300];
  const bottom = TOP + height;
  const [first, last] = [
    Math.floor(Math.log10(Math.min(...settings.map(({ ms }) => ms)))),
    Math.ceil(Math.log10(Math.max(...settings.map(({ ms }) => ms))) + 1e-9),
  ];
  const lowest = Math.floor(Math.min(...settings.map(({ low }) => low)) * 20) / 20;
  const highest = Math.ceil(Math.max(...settings.map(({ high }) => high)) * 20) / 20;
  const x = (ms: number): number => left + ((Math.log10(ms) - first) / Math.max(1, last - first)) * WIDTH;
  const y = (value: number): number => bottom - ((value - lowest) / (highest - lowest)) * height;
  const decades = steps(first, last, 1).map(
    (power) =>
      `<path d="M${x(10 ** power)} ${TOP}V${bottom}" stroke="${GRID}"/>` +
      `<text x="${x(10 ** power)}" y="${bottom + 18}" text-anchor="middle">${10 ** power}</text>`,
  );
  const rows = steps(lowest, highest, 0.05).map(
    (tick) =>
      `<path d="M${left} ${y(tick)}H${left + WIDTH}" stroke="${GRID}"/>` +
      `<text x="${left - 8}" y="${y(tick) + 4}" text-anchor="end">${tick.toFixed(2)}</text>`,
  );
  const legend = left + WIDTH + 24;
  const points = settings.map(({ name, style, value, low, high, ms }, i) => {
    const at = { x: x(ms), y: y(value) };
    const row = TOP + 16 + i * 24;
    return (
      `<path d="M${at.x} ${y(low)}V${y(high)}" stroke="${colourOf(style)}" stroke-width="2"/>` +
      marker(style, at) +
      marker(style, { x: legend, y: row - 4 }) +
      `<text x="${legend + 14}" y="${row}">${escaped(name)}, ${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms</text>`
    );
  });
  return svg({ width: legend + 226, height: bottom + 46, title }, [
    ...decades,
    ...rows,
    ...points,
    `<text x="${left + WIDTH / 2}" y="${bottom + 38}" text-anchor="middle">median milliseconds a query (logarithmic)</text>`,
    `<text transform="translate(16 ${TOP + height / 2}) rotate(-90)" text-anchor="middle">nDCG@10, 95 % interval</text>`,
  ]);
}

/** Circle, square, triangle and diamond in turn. */
function marker(i: number, { x, y }: { x: number; y: number }): string {
  const fill = `fill="${colourOf(i)}" stroke="#fff"`;
  const shapes = [
    `<circle cx="${x}" cy="${y}" r="6" ${fill}/>`,
    `<rect x="${x - 5.5}" y="${y - 5.5}" width="11" height="11" ${fill}/>`,
    `<path d="M${x} ${y - 7}L${x + 7} ${y + 5}H${x - 7}Z" ${fill}/>`,
    `<path d="M${x} ${y - 7.5}L${x + 7.5} ${y}L${x} ${y + 7.5}L${x - 7.5} ${y}Z" ${fill}/>`,
  ];
  return shapes[i % shapes.length] ?? '';
}

const steps = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => from + i * step);

/** A picture on a background of its own, so that it can be read on a dark page too. */
function svg(
  { width, height, title }: { width: number; height: number; title: string },
  parts: readonly string[],
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="${INK}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="6" fill="#fff"/>`,
    `<text x="${width / 2}" y="26" text-anchor="middle" font-size="14">${escaped(title)}</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

/** Writes both plots into docs/research/images. */
export function writePlots(settings: readonly PlottedSetting[]): void {
  const folder = `${REPOSITORY}docs/research/images`;
  writeFileSync(
    `${folder}/quality-by-setting.svg`,
    settingPlot('SciFact test: quality by setting', settings),
  );
  writeFileSync(
    `${folder}/quality-by-time.svg`,
    timePlot(
      'SciFact test: quality against time',
      settings.filter(({ name }) => !name.startsWith('dense')),
    ),
  );
}
