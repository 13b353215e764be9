/**
 * `npm run bench:workers [-- --pairs N]`: the rate of two single-threaded workers as a ratio to that of one, where the model takes the time
 * (all-MiniLM-L6-v2, int8), on a real PostgreSQL and a real Redis of this machine. One and two take turns. Beside it the same of the model
 * alone, without Ragstone and servers: two processes that share a machine have less than twice of it. Processor time of each process says
 * what wall time cannot where others work too: how many cores the workers were given, and what a document takes of one.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createTransformersEmbedder } from '../../src/embedding/transformers/transformers-embedder.js';
import { createEngine } from '../../src/engine/create-engine.js';
import { stopAllOnExit } from '../../tools/test-stores/start-server.js';
import { circumstances } from '../shared/machine.js';
import { corpusFolder, MINILM } from '../shared/places.js';
import { median, medianInterval, rounded, sum } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import { chunkTexts } from '../speed/corpus-chunks.js';
import { isThrough } from './is-through.js';
import { type Servers, withServers } from './with-servers.js';

const WORKER = fileURLToPath(new URL('worker-process.ts', import.meta.url));
const BARE = fileURLToPath(new URL('bare-process.ts', import.meta.url));
/** Twenty batches: two workers can share them evenly. */
const DOCUMENTS = 640;
/** Texts that each process of the model alone embeds. */
const BARE_TEXTS = 160;
const TARGET = 1.7;

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '5' } } });
const say = (text: string): void => console.error(text);

const optionsOf = ({ postgres: url, redis }: Servers, folder: string, round: string) => ({
  config: {
    provider: 'postgres' as const,
    ledger: { type: 'postgres' as const, url, namespace: round },
    storage: { server: { url, namespace: round } },
    queue: { url: redis, prefix: round },
    embedding: { cache: { enabled: false } },
    sources: [{ name: 'notes', type: 'files' as const, root: join(folder, 'documents') }],
  },
  cwd: folder,
  dataDir: join(folder, round),
});

interface Measured {
  /** Documents or texts a second. */
  readonly rate: number;
  /** The same for each second of a processor that the workers had. */
  readonly perCpuSecond: number;
  /** Processors that they had on average. */
  readonly cores: number;
}

const measured = (count: number, seconds: number, cpuMs: number): Measured => ({
  rate: count / seconds,
  perCpuSecond: count / (cpuMs / 1_000),
  cores: cpuMs / 1_000 / seconds,
});

async function cpuMsOf(child: ChildProcess): Promise<number> {
  const answer = new Promise<number>((resolve) =>
    child.on('message', (message) => {
      if (typeof message === 'object' && 'cpuMs' in message) resolve(Number(message.cpuMs));
    }),
  );
  child.send('usage');
  return answer;
}

/** From the listing until everything is indexed, with so many workers that were waiting for it. */
async function measure(workers: number, options: ReturnType<typeof optionsOf>): Promise<Measured> {
  const children: ChildProcess[] = [];
  const embedder = await createTransformersEmbedder({ model: MINILM, threads: 1 });
  const lister = await createEngine({ ...options, embedder });
  try {
    for (let i = 0; i < workers; i++) {
      const settings = JSON.stringify({ ...options, dataDir: `${options.dataDir}-${i}` });
      const child = fork(WORKER, [settings], { execArgv: process.execArgv });
      children.push(child);
      await once(child, 'message');
    }
    const start = performance.now();
    await lister.index({ sources: ['notes'], options: { handOver: true } });
    await isThrough(lister);
    const seconds = (performance.now() - start) / 1_000;
    const { documents } = await lister.status();
    if (documents !== DOCUMENTS) throw new Error(`${documents} documents are indexed of ${DOCUMENTS}.`);
    const cpuMs = sum(await Promise.all(children.map(cpuMsOf)));
    return measured(DOCUMENTS, seconds, cpuMs);
  } finally {
    for (const child of children) child.disconnect();
    for (const child of children) if (child.exitCode === null) await once(child, 'exit');
    await lister.close();
    await embedder.close();
  }
}

/** So many processes with the model alone, each with its own texts. */
async function measureBare(processes: number, texts: string): Promise<Measured> {
  const children = Array.from({ length: processes }, () =>
    fork(BARE, [texts], { execArgv: process.execArgv }),
  );
  await Promise.all(children.map((child) => once(child, 'message')));
  const ends = children.map(
    (child) => once(child, 'message') as Promise<[{ readonly seconds: number; readonly cpuMs: number }]>,
  );
  for (const child of children) child.send('begin');
  const done = (await Promise.all(ends)).map(([one]) => one);
  for (const child of children) if (child.exitCode === null) await once(child, 'exit');
  // Each goes by its own clock: one that began late is not waited for.
  return {
    rate: sum(done.map(({ seconds }) => BARE_TEXTS / seconds)),
    perCpuSecond: (BARE_TEXTS * processes) / (sum(done.map(({ cpuMs }) => cpuMs)) / 1_000),
    cores: sum(done.map(({ seconds, cpuMs }) => cpuMs / 1_000 / seconds)),
  };
}

type Rounds = Record<1 | 2, Measured[]>;

/** Two beside one, pair by pair. */
function report(rounds: Rounds) {
  const ratiosOf = (key: keyof Measured): number[] =>
    rounds[2].map((two, pair) => two[key] / (rounds[1][pair]?.[key] ?? Number.NaN));
  const of = (workers: 1 | 2) => ({
    rate: rounded(median(rounds[workers].map(({ rate }) => rate))),
    perCpuSecond: rounded(median(rounds[workers].map(({ perCpuSecond }) => perCpuSecond))),
    cores: rounded(median(rounds[workers].map(({ cores }) => cores))),
  });
  return {
    one: of(1),
    two: of(2),
    ratio: rounded(median(ratiosOf('rate'))),
    interval: medianInterval(ratiosOf('rate')),
    /** What a second worker costs the first in work for each second of a processor; 1 is nothing. */
    perCpuSecondRatio: rounded(median(ratiosOf('perCpuSecond'))),
    perCpuSecondInterval: medianInterval(ratiosOf('perCpuSecond')),
  };
}

stopAllOnExit();
const pairs = Number(values.pairs);
await withServers((servers) =>
  withTemporaryFolder(async (folder) => {
    const texts = (await chunkTexts([corpusFolder('ise-playbook')])).filter((text) => text.length > 500);
    if (texts.length < DOCUMENTS) throw new Error(`There are ${texts.length} texts, not ${DOCUMENTS}.`);
    await mkdir(join(folder, 'documents'));
    for (const [i, text] of texts.slice(0, DOCUMENTS).entries())
      await writeFile(join(folder, 'documents', `note-${i}.txt`), text);
    const bareTexts = join(folder, 'texts.json');
    await writeFile(bareTexts, JSON.stringify(texts.slice(0, BARE_TEXTS)));
    const rounds: Rounds = { 1: [], 2: [] };
    const bare: Rounds = { 1: [], 2: [] };
    for (let pair = 0; pair < pairs; pair++) {
      // Who is first takes turns, so that a machine that grows slower or faster favours neither.
      const order = pair % 2 === 0 ? ([1, 2] as const) : ([2, 1] as const);
      for (const workers of order) {
        const one = await measure(workers, optionsOf(servers, folder, `round_${pair}_${workers}`));
        const alone = await measureBare(workers, bareTexts);
        rounds[workers].push(one);
        bare[workers].push(alone);
        say(
          `pair ${pair + 1}: ${workers === 1 ? 'one worker' : 'two workers'} ${rounded(one.rate)} documents/s on ${rounded(one.cores)} cores; the model alone ${rounded(alone.rate)} on ${rounded(alone.cores)}`,
        );
      }
    }
    const result = report(rounds);
    console.log(
      JSON.stringify(
        {
          ...circumstances(),
          documents: DOCUMENTS,
          unit: 'documents/s',
          ...result,
          modelAlone: report(bare),
          target: `>= ${TARGET}`,
          met: result.ratio >= TARGET,
        },
        null,
        2,
      ),
    );
  }),
);
