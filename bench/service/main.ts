import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { circumstances } from '../shared/machine.js';
import { assertPlacesExist, CORPORA, corpusFolder, LOCAL_RESULTS } from '../shared/places.js';
import { rounded } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import { chunkTexts } from '../speed/corpus-chunks.js';
import { bareRate } from './bare-store.js';
import { type Model, prepareIndex, questions } from './corpus.js';
import { type Client, closedLoop, connect, openLoop } from './load.js';
import { indexingRun, memory, overhead, pushes, pushesAtOnce, searcher } from './measures.js';
import { type Server, startServer } from './server.js';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    chunks: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '0.5' },
    /** Texts that are embedded with MiniLM; 0 leaves it out. */
    minilm: { type: 'string', default: '1000' },
  },
});
const [chunks, connections, seconds, minutes, minilm] = [
  values.chunks,
  values.connections,
  values.seconds,
  values.minutes,
  values.minilm,
].map(Number) as [number, number, number, number, number];

const say = (text: string): void => console.error(text);

/** A share of the highest rate at which no queue grows. */
const SUSTAINABLE = 0.7;

async function withService<Result>(
  given: { readonly chunks: number; readonly model: Model },
  work: (service: { folder: string; server: Server; one: Client; many: Client }) => Promise<Result>,
): Promise<Result> {
  return withTemporaryFolder(async (folder) => {
    await prepareIndex(folder, { ...given, say });
    const server = await startServer(folder);
    const [one, many] = [connect(server.url, 1), connect(server.url, connections)];
    try {
      return await work({ folder, server, one, many });
    } finally {
      await Promise.all([one.close(), many.close()]);
      await server.stop();
    }
  });
}

async function measureBuiltin() {
  const asked = questions();
  const texts = await chunkTexts(CORPORA.map(corpusFolder));
  return withService({ chunks, model: 'builtin' }, async ({ folder, server, one, many }) => {
    say('bare store');
    const bare = await bareRate(folder, asked, seconds);
    const search = searcher(many, asked);
    say('warming');
    await closedLoop(search, 4, Math.min(5, seconds));
    say('overhead of HTTP');
    const http = await overhead(one, asked, 200);
    say('highest rate');
    await server.report('reset');
    const highest = await closedLoop(search, connections, seconds);
    const cpuMs = (await server.report('read')).cpuMs / Math.max(1, highest.answered);
    say(`half of the bare store's ${rounded(bare)} a second`);
    const atHalfOfBare = await openLoop(search, bare / 2, seconds);
    // What the overload before left behind is over then.
    await wait(3_000);
    const atHalfOfHighest = await openLoop(search, highest.rate / 2, seconds);
    say('pushes');
    const one1 = await pushes(one, 60);
    const together = await pushesAtOnce(many, connections * 5);
    say('an index run');
    const indexing = await indexingRun({ folder, texts }, one, server);
    say(`memory over ${minutes} minutes`);
    const resident = await memory(many, server, { asked, rate: highest.rate / 4, minutes });
    return {
      overhead: { ...http, target: '<= 2 ms' },
      bareStoreRate: rounded(bare),
      search: {
        processorMsPerSearch: rounded(cpuMs),
        highest,
        atHalfOfBare: { offeredRate: rounded(bare / 2), ...atHalfOfBare, target: 'p95 < 50 ms' },
        atHalfOfHighest: { offeredRate: rounded(highest.rate / 2), ...atHalfOfHighest },
      },
      push: { ...one1, target: 'p95 < 2,000 ms, all found' },
      pushesAtOnce: together,
      indexing: { ...indexing, target: 'event loop p99 < 50 ms' },
      memory: { ...resident, target: 'flat' },
    };
  });
}

async function measureMiniLm() {
  if (minilm === 0) return undefined;
  const asked = questions();
  return withService({ chunks: minilm, model: 'minilm' }, async ({ many }) => {
    say('MiniLM');
    const search = searcher(many, asked);
    await closedLoop(search, 4, Math.min(5, seconds));
    const highest = await closedLoop(search, connections, seconds);
    const offered = highest.rate * SUSTAINABLE;
    return {
      texts: minilm,
      highest,
      sustainable: { offeredRate: rounded(offered), ...(await openLoop(search, offered, seconds)) },
      target: 'p95 < 500 ms',
    };
  });
}

assertPlacesExist();
const report = {
  ...circumstances(),
  chunks,
  connections,
  builtin: await measureBuiltin(),
  minilm: await measureMiniLm(),
};
mkdirSync(LOCAL_RESULTS, { recursive: true });
const file = join(LOCAL_RESULTS, 'service.json');
writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
console.log(values.json ? JSON.stringify(report, null, 2) : JSON.stringify(report.builtin, null, 2));
say(`All of it: ${file}`);
