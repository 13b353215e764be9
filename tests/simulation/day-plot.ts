import type { DayResult, DaySample } from './simulated-day.js';

const [LEFT, TOP, WIDTH, HEIGHT, GAP] = [72, 52, 720, 150, 44];
const INK = '#222';
const GRID = '#ddd';
const COLOURS = { drift: '#0072b2', lag: '#d55e00', outage: '#e69f00', death: '#000' };

interface Panel {
  readonly top: number;
  readonly title: string;
  readonly colour: string;
  readonly of: (sample: DaySample) => number;
}

/** An SVG of drift and lag over the time that was simulated; outages are shaded, and deaths are lines as long as nothing ran. */
export function dayPlot({ samples, disturbances, edits }: DayResult): string {
  const last = samples.at(-1)?.minute ?? 1;
  const x = (minute: number): string => (LEFT + (minute / last) * WIDTH).toFixed(1);
  const panels: readonly Panel[] = [
    { top: TOP, title: 'drift: documents', colour: COLOURS.drift, of: ({ drift }) => drift },
    { top: TOP + HEIGHT + GAP, title: 'lag: minutes', colour: COLOURS.lag, of: ({ lag }) => lag },
  ];
  const bottom = TOP + 2 * HEIGHT + GAP;
  const shades = disturbances.flatMap(({ kind, name, from, until }) =>
    panels.map(({ top }, i) => {
      const [begin, end] = [Number(x(from)), Number(x(Math.min(until, last)))];
      const label =
        i === 0 && kind === 'outage'
          ? `<text x="${begin}" y="${TOP - 8}" fill="${INK}">${name} away</text>`
          : i === 0
            ? `<text x="${begin}" y="${TOP - 8}" text-anchor="middle">✝</text>`
            : '';
      return `<rect x="${begin}" y="${top}" width="${Math.max(1, end - begin).toFixed(1)}" height="${HEIGHT}" fill="${COLOURS[kind]}" opacity="0.22"/>${label}`;
    }),
  );
  const title = `${edits.toLocaleString('en')} edits in ${Math.floor(last / 60)} h: what the index lacks, minute by minute`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${LEFT + WIDTH + 24}" height="${bottom + 52}" viewBox="0 0 ${LEFT + WIDTH + 24} ${bottom + 52}" font-family="sans-serif" font-size="12" fill="${INK}">`,
    `<title>${title}</title>`,
    '<rect width="100%" height="100%" rx="6" fill="#fff"/>',
    `<text x="${LEFT + WIDTH / 2}" y="22" text-anchor="middle" font-size="14">${title}</text>`,
    ...shades,
    ...panels.map((panel) => panelOf(panel, samples, x)),
    ...hoursOf(last).map(
      (hour) => `<text x="${x(hour * 60)}" y="${bottom + 18}" text-anchor="middle">${hour}</text>`,
    ),
    `<text x="${LEFT + WIDTH / 2}" y="${bottom + 38}" text-anchor="middle">hours; each source is read every 5 minutes; ✝ a process dies in the middle of a run</text>`,
    '</svg>',
    '',
  ].join('\n');
}

const hoursOf = (minutes: number): number[] => {
  const step = minutes > 240 ? 2 : 0.25;
  return Array.from({ length: Math.floor(minutes / 60 / step) + 1 }, (_, i) => i * step);
};

function panelOf(
  { top, title, colour, of }: Panel,
  samples: readonly DaySample[],
  x: (minute: number) => string,
): string {
  const most = Math.max(1, ...samples.map(of));
  const step = [1, 2, 5, 10, 20, 50, 100, 200].find((one) => most / one <= 5) ?? 500;
  const highest = Math.ceil(most / step) * step;
  const y = (value: number): string => (top + HEIGHT - (value / highest) * HEIGHT).toFixed(1);
  const ticks = Array.from({ length: highest / step + 1 }, (_, i) => i * step).map(
    (tick) =>
      `<path d="M${LEFT} ${y(tick)}H${LEFT + WIDTH}" stroke="${GRID}"/>` +
      `<text x="${LEFT - 8}" y="${Number(y(tick)) + 4}" text-anchor="end">${tick}</text>`,
  );
  const points = samples.map((sample) => `${x(sample.minute)},${y(of(sample))}`).join(' ');
  return [
    ...ticks,
    `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.2"/>`,
    `<text transform="translate(20 ${top + HEIGHT / 2}) rotate(-90)" text-anchor="middle" fill="${colour}">${title}</text>`,
  ].join('\n');
}
