/**
 * `npm run bench:workers [-- --pairs N]`: the rate of two single-threaded workers as a ratio to that of one, where the model takes the time
 * (all-MiniLM-L6-v2, int8), on a real PostgreSQL and a real Redis of this machine. One and two take turns.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createTransformersEmbedder } from '../../src/embedding/transformers/transformers-embedder.js';
import { createEngine } from '../../src/engine/create-engine.js';
import type { Engine } from '../../src/engine/engine.js';
import { type RunningServer, startServer, stopAllOnExit } from '../../tools/test-stores/start-server.js';
import { STORES } from '../../tools/test-stores/stores.js';
import { circumstances } from '../shared/machine.js';
import { corpusFolder, MINILM, REPOSITORY } from '../shared/places.js';
import { median, rounded, spread } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import { chunkTexts } from '../speed/corpus-chunks.js';

const WORKER = fileURLToPath(new URL('worker-process.ts', import.meta.url));
const SCRIPTS = resolve(REPOSITORY, process.env.RAGSTONE_SERVERS ?? '../shared/servers');
/** Ten batches: two workers can share them evenly. */
const DOCUMENTS = 320;
const TARGET = 1.7;

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '3' } } });
const say = (text: string): void => console.error(text);

interface Servers {
  readonly postgres: string;
  readonly redis: string;
}

async function withServers<T>(work: (servers: Servers) => Promise<T>): Promise<T> {
  const { server, beside = [] } = STORES.find(({ name }) => name === 'workers') ?? {};
  const running: RunningServer[] = [];
  try {
    for (const one of [server, ...beside])
      if (one !== undefined) running.push(await startServer(one, { scripts: SCRIPTS, say }));
    const [postgres = '', redis = ''] = running.map(({ url }) => url);
    return await work({ postgres, redis });
  } finally {
    for (const { stop } of running) await stop();
  }
}

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

/** Seconds from the listing until everything is indexed, with so many workers that were waiting for it. */
async function measure(workers: number, options: ReturnType<typeof optionsOf>): Promise<number> {
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
    return seconds;
  } finally {
    for (const child of children) child.disconnect();
    for (const child of children) if (child.exitCode === null) await once(child, 'exit');
    await lister.close();
    await embedder.close();
  }
}

async function isThrough(lister: Engine): Promise<void> {
  for (;;) {
    const [state] = await lister.sourceStates();
    const { lastSuccessAt, listingFinishedAt = '' } = state ?? {};
    if (lastSuccessAt !== undefined && lastSuccessAt > listingFinishedAt) return;
    await sleep(100);
  }
}

stopAllOnExit();
const pairs = Number(values.pairs);
await withServers((servers) =>
  withTemporaryFolder(async (folder) => {
    const texts = (await chunkTexts([corpusFolder('ise-playbook')])).filter((text) => text.length > 500);
    await mkdir(join(folder, 'documents'));
    for (const [i, text] of texts.slice(0, DOCUMENTS).entries())
      await writeFile(join(folder, 'documents', `note-${i}.txt`), text);
    const ratios: number[] = [];
    const rates: Record<1 | 2, number[]> = { 1: [], 2: [] };
    for (let pair = 0; pair < pairs; pair++) {
      // Who is first takes turns, so that a machine that grows slower or faster favours neither.
      const order = pair % 2 === 0 ? ([1, 2] as const) : ([2, 1] as const);
      for (const workers of order) {
        const seconds = await measure(workers, optionsOf(servers, folder, `round_${pair}_${workers}`));
        rates[workers].push(DOCUMENTS / seconds);
        say(
          `pair ${pair + 1}: ${workers === 1 ? 'one worker' : 'two workers'} ${rounded(DOCUMENTS / seconds)} documents/s`,
        );
      }
      ratios.push((rates[2].at(-1) ?? 0) / (rates[1].at(-1) ?? 1));
    }
    const ratio = median(ratios);
    console.log(
      JSON.stringify(
        {
          ...circumstances(),
          documents: DOCUMENTS,
          one: rounded(median(rates[1])),
          two: rounded(median(rates[2])),
          unit: 'documents/s',
          ratio: rounded(ratio),
          spread: spread(ratios),
          target: `>= ${TARGET}`,
          met: ratio >= TARGET,
        },
        null,
        2,
      ),
    );
  }),
);
