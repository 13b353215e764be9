/**
 * `npm run bench:soak [-- --json] [--minutes N] [--chunks N] [--rate N]`: `ragstone serve` under searches at half the rate that it sustains, with
 * pushes, deletions and syncs of changing files beside. Memory, open descriptors and p95 of each window, as JSON and as a plot; 1 where one of them
 * grows. `--rate` gives searches a second in place of that half. Windows are written down as they end (`soak.jsonl`).
 */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { circumstances } from '../shared/machine.js';
import { assertPlacesExist, LOCAL_RESULTS } from '../shared/places.js';
import { median, rounded } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import { prepareIndex, questions } from './corpus.js';
import { type Client, closedLoop, connect, openLoop } from './load.js';
import { searcher } from './measures.js';
import { type Server, startServer } from './server.js';
import { type SoakSample, soakPlot } from './soak-plot.js';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '60' },
    chunks: { type: 'string', default: '20000' },
    rate: { type: 'string' },
  },
});
const minutes = Number(values.minutes);
const say = (text: string): void => console.error(text);

/** A line for each window, so that a soak that is cut off is not lost. */
const SAMPLES = join(LOCAL_RESULTS, 'soak.jsonl');
const WINDOW_SECONDS = 10;
const CONNECTIONS = 16;
/** The same few files and documents change, so that the index does not grow. */
const CHANGING = 40;
/** Last quarter over first, behind the warm-up. */
const MOST_GROWTH = { rssMiB: 1.1, openDescriptors: 1.1, p95Ms: 1.5 };
const WARM_UP = 0.1;

/** What changes beside the searches, until it is told to end. */
async function changeThings(folder: string, { send }: Client, signal: AbortSignal) {
  let [turn, syncs, refused] = [0, 0, 0];
  while (!signal.aborted) {
    const number = turn++ % CHANGING;
    const text = `# Soak ${number}\n\nThe keeper of gate ${number} was seen for the ${turn}th time.\n`;
    await writeFile(join(folder, 'more', `soak-${number}.md`), text);
    const pushed = { id: `soak-${number}`, content: text };
    const replies = [
      await send('POST', '/api/ai/rag/index', pushed),
      ...(turn % 4 === 0 ? [await send('DELETE', `/api/ai/rag/documents/${pushed.id}`)] : []),
      ...(turn % 10 === 0 ? [await send('POST', '/rag/index')] : []),
    ];
    if (turn % 10 === 0) syncs += 1;
    refused += replies.filter(({ status }) => status >= 400).length;
    await wait(500);
  }
  return { writes: turn, syncs, refused };
}

async function takeSamples(
  search: (number: number) => ReturnType<Client['send']>,
  server: Server,
  rate: number,
) {
  const samples: SoakSample[] = [];
  const [start, totals] = [performance.now(), { answered: 0, refused: 0, failed: 0 }];
  while (performance.now() - start < minutes * 60_000) {
    const { p50Ms, p95Ms, answered, refused, failed } = await openLoop(search, rate, WINDOW_SECONDS);
    const { rssMiB, openDescriptors } = await server.report('read');
    const minute = rounded((performance.now() - start) / 60_000);
    const sample = { minute, rssMiB: rounded(rssMiB), openDescriptors, p50Ms, p95Ms };
    samples.push(sample);
    appendFileSync(SAMPLES, `${JSON.stringify({ ...sample, answered, refused, failed })}\n`);
    totals.answered += answered;
    totals.refused += refused;
    totals.failed += failed;
  }
  return { samples, totals };
}

/** Median of the last quarter over that of the first one behind the warm-up. */
function growthOf(samples: readonly SoakSample[], name: keyof typeof MOST_GROWTH) {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP)).map((sample) => sample[name]);
  const quarter = Math.max(1, Math.floor(warm.length / 4));
  const [first, last] = [median(warm.slice(0, quarter)), median(warm.slice(-quarter))];
  const ratio = last / first;
  const target = MOST_GROWTH[name];
  return {
    first: rounded(first),
    last: rounded(last),
    ratio: rounded(ratio),
    target: `<= ${target}`,
    met: ratio <= target,
  };
}

assertPlacesExist();
mkdirSync(LOCAL_RESULTS, { recursive: true });
rmSync(SAMPLES, { force: true });
const report = await withTemporaryFolder(async (folder) => {
  await prepareIndex(folder, { chunks: Number(values.chunks), model: 'builtin', say });
  const server = await startServer(folder);
  const [many, one] = [connect(server.url, CONNECTIONS), connect(server.url, 1)];
  try {
    const search = searcher(many, questions());
    await closedLoop(search, CONNECTIONS, 10);
    const highest = await closedLoop(search, CONNECTIONS, 20);
    const rate = Number(values.rate ?? highest.rate / 2);
    say(`${rounded(rate)} of at most ${highest.rate} searches a second for ${minutes} minutes`);
    const ending = new AbortController();
    const changing = changeThings(folder, one, ending.signal);
    const { samples, totals } = await takeSamples(search, server, rate);
    ending.abort();
    const changed = await changing;
    const names = ['rssMiB', 'openDescriptors', 'p95Ms'] as const;
    const growth = Object.fromEntries(names.map((name) => [name, growthOf(samples, name)]));
    return {
      ...circumstances(),
      chunks: Number(values.chunks),
      minutes,
      highestRate: highest.rate,
      rate: rounded(rate),
      totals,
      changed,
      growth,
      samples,
    };
  } finally {
    await Promise.all([many.close(), one.close()]);
    await server.stop();
  }
});
writeFileSync(join(LOCAL_RESULTS, 'soak.json'), `${JSON.stringify(report, null, 2)}\n`);
writeFileSync(join(LOCAL_RESULTS, 'soak.svg'), soakPlot(report));
const { samples: _, ...short } = report;
console.log(JSON.stringify(values.json ? report : short, null, 2));
say(`All of it, and a plot: ${LOCAL_RESULTS}soak.json, soak.svg`);
if (Object.values(report.growth).some(({ met }) => !met) || report.totals.failed > 0) process.exitCode = 1;
