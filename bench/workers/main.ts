/**
 * `npm run bench:workers [-- --pairs N]`: the rate of two single-threaded workers as a ratio to that of one, where the model takes the time
 * (all-MiniLM-L6-v2, int8), on a real PostgreSQL and a real Redis of this machine. One and two take turns. Beside it the same of the model
 * alone, without Ragstone and servers: two processes that share a machine have less than twice of it.
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
import { median, rounded, spread } from '../shared/statistics.js';
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

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '3' } } });
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

/** Texts a second that so many processes with the model alone embed together. */
async function measureBare(processes: number, texts: string): Promise<number> {
  const children = Array.from({ length: processes }, () =>
    fork(BARE, [texts], { execArgv: process.execArgv }),
  );
  await Promise.all(children.map((child) => once(child, 'message')));
  const ends = children.map((child) => once(child, 'message') as Promise<[number]>);
  for (const child of children) child.send('begin');
  const seconds = (await Promise.all(ends)).map(([one]) => one);
  for (const child of children) if (child.exitCode === null) await once(child, 'exit');
  return seconds.reduce((sum, one) => sum + BARE_TEXTS / one, 0);
}

const lastRatio = (rates: Record<1 | 2, readonly number[]>): number =>
  (rates[2].at(-1) ?? 0) / (rates[1].at(-1) ?? 1);

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
    const ratios: number[] = [];
    const rates: Record<1 | 2, number[]> = { 1: [], 2: [] };
    const bareRatios: number[] = [];
    const bare: Record<1 | 2, number[]> = { 1: [], 2: [] };
    for (let pair = 0; pair < pairs; pair++) {
      // Who is first takes turns, so that a machine that grows slower or faster favours neither.
      const order = pair % 2 === 0 ? ([1, 2] as const) : ([2, 1] as const);
      for (const workers of order) {
        const seconds = await measure(workers, optionsOf(servers, folder, `round_${pair}_${workers}`));
        rates[workers].push(DOCUMENTS / seconds);
        bare[workers].push(await measureBare(workers, bareTexts));
        say(
          `pair ${pair + 1}: ${workers === 1 ? 'one worker' : 'two workers'} ${rounded(DOCUMENTS / seconds)} documents/s; the model alone ${rounded(bare[workers].at(-1) ?? 0)}`,
        );
      }
      ratios.push(lastRatio(rates));
      bareRatios.push(lastRatio(bare));
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
          modelAlone: {
            one: rounded(median(bare[1])),
            two: rounded(median(bare[2])),
            ratio: rounded(median(bareRatios)),
            spread: spread(bareRatios),
          },
          target: `>= ${TARGET}`,
          met: ratio >= TARGET,
        },
        null,
        2,
      ),
    );
  }),
);
