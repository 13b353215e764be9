import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine, type IndexResult } from '../../src/index.js';
import { openLedger } from '../../src/ledger/sqlite/open-ledger.js';
import { compatibleEmbeddingWire, embeddingReply } from '../fakes/wire/embedding-wire.js';
import { startWireServer } from '../fakes/wire/wire-server.js';
import { IS_LONG } from '../long-forms.js';
import { documentOf, finished, startRagstone } from './run-ragstone.js';
import type { Reading } from './search-until-told.js';
import { temporaryFolder } from './temporary-folder.js';

const STEPS = IS_LONG ? { rebuild: 20, model: 5, store: 3 } : { rebuild: 1, model: 1, store: 1 };
const READERS = 3;
const DOCUMENTS = 12;
/** Set it to repeat a run that failed. */
const SEED = Number(process.env.RAGSTONE_SEED ?? Date.now() % 1_000_000);

type Step = keyof typeof STEPS;

/** Numbers in [0, 1), the same for a seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The steps in an order that the seed decides. */
function shuffled(random: () => number): Step[] {
  const steps = (Object.keys(STEPS) as Step[]).flatMap((step) => Array<Step>(STEPS[step]).fill(step));
  return steps
    .map((step) => ({ step, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ step }) => step);
}

interface Settings {
  readonly provider: 'libsql' | 'lancedb';
  readonly model: 'builtin' | 'ollama:nomic-embed-text';
}

const next = ({ provider, model }: Settings, step: Step): Settings => ({
  provider: step === 'store' ? (provider === 'libsql' ? 'lancedb' : 'libsql') : provider,
  model: step === 'model' ? (model === 'builtin' ? 'ollama:nomic-embed-text' : 'builtin') : model,
});

const configOf = ({ provider, model }: Settings, serverUrl: string): string =>
  `rag:
  provider: ${provider}
  embedding: { model: '${model}', cache: { enabled: false } ${model === 'builtin' ? '' : ', dimensions: 768'} }
  modelProviders: { ollama: { baseUrl: '${serverUrl}/v1' } }
  retrieval: { rerank: { enabled: false } }
  sources: [{ name: notes, type: files, root: docs }]
`;

function writeEdition(cwd: string, edition: number): void {
  for (let i = 0; i < DOCUMENTS; i++)
    writeFileSync(
      join(cwd, 'docs', `note-${i}.md`),
      `# Note ${i}\n\nThe tide table of the harbour, edition${edition}, page ${i} of the almanac.\n`,
    );
}

const SEARCH = fileURLToPath(new URL('search-until-told.ts', import.meta.url));

/** A process that searches until it is told to stop. */
async function startReader(cwd: string): Promise<() => Promise<Reading>> {
  const args = ['--import', 'tsx', SEARCH, cwd, 'reader.yaml', String(DOCUMENTS)];
  const child = spawn(process.execPath, args, { stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  const outcome = finished(child);
  await Promise.race([
    new Promise((resolve) => child.stdout.once('data', resolve)),
    outcome.then(({ stderr }) => Promise.reject(new Error(`A reader did not start: ${stderr}`))),
  ]);
  return async () => {
    child.stdin.end();
    const ended = await outcome;
    return documentOf<Reading>({ ...ended, stdout: ended.stdout.replace('ready\n', '') });
  };
}

/** Texts of all live chunks, and that the stores hold nothing that the ledger does not name. */
async function contentOf(dataDir: string, engine: { cwd: string; configFile: string }): Promise<unknown> {
  const opened = await createEngine({ ...engine, dataDir });
  const { ok, drift } = await opened.verify();
  await opened.close();
  const ledger = openLedger({ path: join(dataDir, 'ledger.db'), readOnly: true });
  const { generation = 0 } = (await ledger.live()) ?? {};
  const chunks = await ledger.reader(generation).allChunks(undefined, 1_000);
  await ledger.close();
  return { ok, drift, chunks: chunks.map(({ chunkId, digest, state }) => ({ chunkId, digest, state })) };
}

test(
  `searches of other processes never fail, miss or mix while rebuilds, other models and other stores are killed (seed ${SEED})`,
  async () => {
    const random = randomNumbers(SEED);
    const server = await startWireServer(compatibleEmbeddingWire, (request) =>
      embeddingReply(compatibleEmbeddingWire, request, 768),
    );
    onTestFinished(() => server.close());
    let settings: Settings = { provider: 'libsql', model: 'builtin' };
    const reading = configOf(settings, server.url);
    const cwd = temporaryFolder({ 'ragstone.yaml': reading, 'reader.yaml': reading, 'docs/note-0.md': '' });
    const index = (args: readonly string[] = []) =>
      startRagstone(['index', '--force', '--json', '--quiet', ...args], { cwd });
    writeEdition(cwd, 0);
    const first = performance.now();
    expect(await finished(index())).toMatchObject({ code: 0 });
    const usualMs = performance.now() - first;
    const stopReaders = await Promise.all(Array.from({ length: READERS }, () => startReader(cwd)));

    let killed = 0;
    const steps = shuffled(random);
    for (const [number, step] of steps.entries()) {
      settings = next(settings, step);
      writeFileSync(join(cwd, 'ragstone.yaml'), configOf(settings, server.url));
      writeEdition(cwd, number + 1);
      const victim = index();
      const timer = setTimeout(() => victim.kill('SIGKILL'), usualMs * (0.2 + random()));
      if ((await finished(victim)).signal === 'SIGKILL') killed += 1;
      clearTimeout(timer);
      const whole = await finished(index());
      expect({ step, number, ...documentOf<IndexResult>(whole) }).toMatchObject({
        step,
        number,
        success: true,
      });
    }

    const readings = await Promise.all(stopReaders.map((stop) => stop()));
    const searches = readings.reduce((sum, reading) => sum + reading.searches, 0);
    console.info(`${steps.length} steps, ${killed} killed, ${searches} searches, seed ${SEED}`);
    expect(readings.flatMap(({ problems }) => problems)).toEqual([]);
    for (const { editions } of readings) expect(editions.length).toBeGreaterThan(steps.length / 2);
    expect(killed).toBeGreaterThan(0);

    const dataDir = join(cwd, '.ragstone');
    const rebuilt = { cwd, configFile: 'ragstone.yaml' };
    const clean = join(cwd, 'clean');
    expect(await finished(index(['--data', clean]))).toMatchObject({ code: 0 });
    expect(await contentOf(dataDir, rebuilt)).toEqual(await contentOf(clean, rebuilt));
    const opened = await createEngine(rebuilt);
    const generations = await opened.generations();
    await opened.close();
    expect(generations.map(({ state }) => state).sort()).toEqual(['live', 'retired']);
    const inLance = readdirSync(join(dataDir, 'store')).filter((name) => name.endsWith('.lance'));
    expect(inLance).toHaveLength(generations.filter(({ provider }) => provider === 'lancedb').length);
  },
  IS_LONG ? 1_800_000 : 120_000,
);
