/** A window of the soak. */
export interface SoakSample {
  readonly minute: number;
  /** Of the service and its search processes. */
  readonly rssMiB: number;
  readonly openDescriptors: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

const [LEFT, TOP, WIDTH, HEIGHT, GAP] = [72, 44, 720, 120, 36];
const INK = '#222';
const GRID = '#ddd';
/** What is drawn, in Okabe and Ito's colours. */
const PANELS = [
  { name: 'rssMiB', title: 'memory, MiB', colour: '#0072b2' },
  { name: 'openDescriptors', title: 'descriptors', colour: '#009e73' },
  { name: 'p95Ms', title: 'p95, ms', colour: '#d55e00' },
] as const;

/** An SVG of what a service held and how fast it answered, over time. Every axis begins at nothing, so that what is flat looks flat. */
export function soakPlot({
  samples,
  rate,
  chunks,
}: {
  readonly samples: readonly SoakSample[];
  readonly rate: number;
  readonly chunks: number;
}): string {
  const last = samples.at(-1)?.minute ?? 1;
  const bottom = TOP + PANELS.length * (HEIGHT + GAP) - GAP;
  const x = (minute: number): string => (LEFT + (minute / last) * WIDTH).toFixed(1);
  const panels = PANELS.map(({ name, title, colour }, number) => {
    const top = TOP + number * (HEIGHT + GAP);
    const highest = Math.max(1, ...samples.map((sample) => sample[name])) * 1.1;
    const y = (value: number): string => (top + HEIGHT - (value / highest) * HEIGHT).toFixed(1);
    const points = samples.map((sample) => `${x(sample.minute)},${y(sample[name])}`).join(' ');
    const ticks = [0, highest / 2.2, highest / 1.1].map(
      (tick) =>
        `<path d="M${LEFT} ${y(tick)}H${LEFT + WIDTH}" stroke="${GRID}"/>` +
        `<text x="${LEFT - 8}" y="${Number(y(tick)) + 4}" text-anchor="end">${Math.round(tick)}</text>`,
    );
    return [
      ...ticks,
      `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.4"/>`,
      `<text transform="translate(20 ${top + HEIGHT / 2}) rotate(-90)" text-anchor="middle" fill="${colour}">${title}</text>`,
    ].join('\n');
  });
  const minutes = Array.from({ length: 7 }, (_, i) => (last * i) / 6).map(
    (minute) => `<text x="${x(minute)}" y="${bottom + 18}" text-anchor="middle">${Math.round(minute)}</text>`,
  );
  const [width, height] = [LEFT + WIDTH + 24, bottom + 48];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="${INK}">`,
    '<rect width="100%" height="100%" rx="6" fill="#fff"/>',
    `<text x="${LEFT + WIDTH / 2}" y="22" text-anchor="middle" font-size="14">${rate} searches a second over ${chunks.toLocaleString('en')} chunks, syncs beside</text>`,
    ...panels,
    ...minutes,
    `<text x="${LEFT + WIDTH / 2}" y="${bottom + 38}" text-anchor="middle">minutes</text>`,
    '</svg>',
    '',
  ].join('\n');
}
