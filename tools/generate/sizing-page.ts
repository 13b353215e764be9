import { readFileSync } from 'node:fs';
import { type Measurement, type Need, needOf, type SearchKind } from '../sizing/model.js';

const MEASURED = new URL('../../docs/stores.md', import.meta.url);

/** Those that keep what they hold, with how they search at these sizes. */
const STORES: Readonly<Record<string, SearchKind>> = {
  libsql: 'scan',
  usearch: 'graph',
  lancedb: 'graph',
  postgres: 'graph',
  elasticsearch: 'graph',
  opensearch: 'graph',
  weaviate: 'graph',
  chroma: 'graph',
};

const SMALL = [10_000, 100_000, 1_000_000];
const LARGE = [1_000_000, 10_000_000, 100_000_000];

/** The text of `docs/sizing.md`. */
export function sizingPage(): string {
  const page = readFileSync(MEASURED, 'utf8');
  const [, date = '', machine = ''] =
    /Measured on ([\d-]+) at commit \S+: (\d+ cores[^,]*, \d+ GiB)/.exec(page) ?? [];
  return `# Sizing

<!-- Generated from the measurements of the stores; do not edit. -->

How much memory, disk and time an index takes, and what that costs at your prices. [Running it](running.md) says how.

**Measured** are 20,000 and 100,000 chunks of 384 dimensions, each store alone, on ${date} (${machine}; [stores](stores.md#speed)). **Everything else on this page is extrapolated**
from these two, and says how far: *10 x* stands for ten times as many chunks as were measured.

- Disk and memory lie on the line through both measurements; so does a search of \`libsql\`, which looks at every vector.
- Searches of graphs grow with the logarithm of the number of chunks. That holds as long as the graph is in memory.
- Writing goes at the rate of 100,000 chunks; building a graph takes n log n. The time is that of the store alone, without reading, cutting and embedding.
- Memory is that of the store, or of one process where the store is embedded; the system's cache of files is not in it. Ten times is a plan; a hundred times and more is an order of magnitude, to be measured before anything is bought.

## 10,000 to 1,000,000

${table(page, SMALL)}

Add to it for each process of the service some 300 MiB (650 measured below, less the 358 of the store in it), and with \`libsql\` the memory of the table once for each search process (\`rag.server.searchProcesses\`).
Measured of \`ragstone serve\` over 100,000 chunks: 650 MiB in one process, 1,290 MiB with two search processes, 54 and 78 searches a second on two cores ([speed](speed.md#the-service)).

## Time to embed

| model | measured | 100,000 | 1,000,000 | 10,000,000 | 100,000,000 |
| --- | --- | --- | --- | --- | --- |
${embedding()}

The rates are of 2 cores, [speed](speed.md); the hours are extrapolated from them, for one machine. [Many machines](many-machines.md) share them.

## 10,000,000 and 100,000,000

${table(page, LARGE.slice(1))}

## What it costs

Prices are yours, because they differ and age. With \`D\` for a GiB of disk and \`M\` for a GiB of memory (with its machine) a month, \`T\` for 10^6 tokens of the
embedding model (0 for one of your own), \`t\` for the tokens of each (at most 320 unless you set another size), and \`C\` copies that answer:

- each month: \`C x (disk x D + memory x M)\`
- once: \`number x t x T / 10^6\`, and again for what changes

What goes into it, with chunks of 200 tokens, which is assumed and not measured:

| chunks | store | disk | memory | 10^6 tokens | basis |
| --- | --- | --- | --- | --- | --- |
${costs(page)}

For example: 10,000,000 in \`postgres\`, two copies, cost \`2 x (${gib(needIn(page, 'postgres', 10_000_000).diskGiB)} x D + ${gib(needIn(page, 'postgres', 10_000_000).memoryGiB)} x M)\` a month and \`2,000 x T\` once. Not in it: backups, traffic, people.
`;
}

const needIn = (page: string, store: string, chunks: number): Need =>
  needOf(
    chunks,
    [measurementOf(page, store, 20_000), measurementOf(page, store, 100_000)],
    STORES[store] ?? 'graph',
  );

function table(page: string, sizes: readonly number[]): string {
  const rows = sizes.flatMap((chunks) =>
    Object.keys(STORES).map((store) => {
      const { diskGiB, memoryGiB, writeHours, searchMs, basis } = needIn(page, store, chunks);
      return `| ${count(chunks)} | \`${store}\` | ${gib(diskGiB)} GiB | ${gib(memoryGiB)} GiB | ${hours(writeHours)} | ${ms(searchMs)} | ${basisText(basis)} |`;
    }),
  );
  return [
    '| chunks | store | disk | memory | time to write | search, median | basis |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/** Chunks a second on two cores, and where that is measured. */
const MODELS = [
  { name: 'built-in, with everything else of a first index', rate: 41_428 / 29.6 },
  { name: 'all-MiniLM-L6-v2', rate: 12.1 },
];

const embedding = (): string =>
  MODELS.map(({ name, rate }) => {
    const cells = [100_000, ...LARGE].map((chunks) => hours(chunks / rate / 3600));
    return `| ${name} | ${rate > 100 ? count(Math.round(rate / 100) * 100) : rate} a second | ${cells.join(' | ')} |`;
  }).join('\n');

const costs = (page: string): string =>
  LARGE.flatMap((chunks) =>
    ['lancedb', 'postgres', 'elasticsearch'].map((store) => {
      const { diskGiB, memoryGiB, basis } = needIn(page, store, chunks);
      return `| ${count(chunks)} | \`${store}\` | ${gib(diskGiB)} GiB | ${gib(memoryGiB)} GiB | ${count((chunks * 200) / 1_000_000)} | ${basisText(basis)} |`;
    }),
  ).join('\n');

function measurementOf(page: string, store: string, chunks: number): Measurement {
  const [, section = ''] = page.split(`**${count(chunks)} chunks of 384 dimensions**`);
  const row = section.split('\n').find((line) => line.startsWith(`| ${store} |`));
  const cells = (row ?? '').split('|').map((cell) => Number.parseFloat(cell.replaceAll(',', '')));
  const [insertRate, indexSeconds, searchMs] = cells.slice(2);
  const [diskMiB, memoryMiB] = cells.slice(-3);
  const all = { chunks, insertRate, indexSeconds, searchMs, diskMiB, memoryMiB };
  if (Object.values(all).some((value) => value === undefined || !Number.isFinite(value)))
    throw new Error(`docs/stores.md has no whole row of ${store} at ${count(chunks)} chunks.`);
  return all as Measurement;
}

const count = (value: number): string => value.toLocaleString('en-US');
const round = (value: number): string =>
  value >= 100 ? count(Number(value.toPrecision(2))) : String(Number(value.toPrecision(2)));
const gib = (value: number): string => round(value);
const ms = (value: number): string => (value >= 1000 ? `${round(value / 1000)} s` : `${round(value)} ms`);
const hours = (value: number): string =>
  value < 1 / 60
    ? `${round(value * 3600)} s`
    : value < 1
      ? `${round(value * 60)} min`
      : value < 48
        ? `${round(value)} h`
        : `${round(value / 24)} days`;
const basisText = (basis: Need['basis']): string =>
  basis === 'measured' ? 'measured' : basis < 1 ? 'extrapolated down' : `extrapolated, ${count(basis)} x`;
