import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createEngine, type Engine } from '../../src/index.js';

/*
 * What history costs: `npm run bench:history [FOLDER]` (the sources of this clone by default). The same files are indexed without and with it, in
 * turn, then a tenth of them is changed ten times. Ratios of one run. Searches of the present are asked of both in pairs, so that what else the
 * machine does slows them alike.
 */
const ROUNDS = 3;
const CHANGES = 10;
const PAIRS = 300;

const corpus = resolve(process.argv[2] ?? 'src');
const folder = mkdtempSync(join(tmpdir(), 'ragstone-history-'));

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const since = performance.now();
  await work();
  return performance.now() - since;
};

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

async function measured(isKept: boolean, round: number) {
  const cwd = join(folder, `${isKept}-${round}`);
  cpSync(corpus, join(cwd, 'files'), { recursive: true });
  const config = { provider: 'libsql', ...(isKept ? { history: { keep: '90d' } } : {}) } as const;
  const engine = await createEngine({ cwd, config });
  const first = await timed(() => engine.index({ paths: ['files'] }));
  const bytes = await bytesOf(engine);
  const search = await searchTime(engine, undefined);
  const files = readdirSync(join(cwd, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const begun = new Date();
  const changes: number[] = [];
  for (let change = 0; change < CHANGES; change++) {
    for (const file of files.filter((_, index) => index % 10 === change))
      appendFileSync(file, `\n// Changed in round ${change}.\n`);
    changes.push(await timed(() => engine.index({ paths: ['files'] })));
  }
  const after = await bytesOf(engine);
  const asOf = isKept
    ? { first: await timed(() => search1(engine, begun)), again: await searchTime(engine, begun) }
    : undefined;
  const status = await engine.status();
  await engine.close();
  return {
    first,
    bytes,
    search,
    change: median(changes),
    after,
    asOf,
    chunks: status.chunks,
    history: status.history,
  };
}

const search1 = (engine: Engine, asOf: Date | undefined) =>
  engine.search({ text: 'how is a lease renewed', asOf });

async function searchTime(engine: Engine, asOf: Date | undefined): Promise<number> {
  await search1(engine, asOf);
  const times: number[] = [];
  for (let i = 0; i < 20; i++) times.push(await timed(() => search1(engine, asOf)));
  return median(times);
}

/** The same question to an index without history and to one with it, each first in half of the pairs: the time with it, by that without. */
async function pairedSearches(): Promise<{ off: number; on: number; ratio: number }> {
  const engines = await Promise.all(
    [false, true].map((isKept) =>
      createEngine({
        cwd: join(folder, `${isKept}-0`),
        config: { provider: 'libsql', ...(isKept ? { history: { keep: '90d' } } : {}) },
      }),
    ),
  );
  const [off, on] = engines as [Engine, Engine];
  for (const engine of engines) await searchTime(engine, undefined);
  const pairs: { off: number; on: number }[] = [];
  for (let i = 0; i < PAIRS; i++) {
    const first = i % 2 === 0 ? off : on;
    const one = await timed(() => search1(first, undefined));
    const other = await timed(() => search1(first === off ? on : off, undefined));
    pairs.push(first === off ? { off: one, on: other } : { off: other, on: one });
  }
  for (const engine of engines) await engine.close();
  return {
    off: median(pairs.map((pair) => pair.off)),
    on: median(pairs.map((pair) => pair.on)),
    ratio: median(pairs.map((pair) => pair.on / pair.off)),
  };
}

const bytesOf = async (engine: Engine): Promise<number> => (await engine.status()).bytes.ledger ?? 0;

try {
  const off: Awaited<ReturnType<typeof measured>>[] = [];
  const on: Awaited<ReturnType<typeof measured>>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    off.push(await measured(false, round));
    on.push(await measured(true, round));
  }
  const of = (runs: typeof off, field: 'first' | 'bytes' | 'search' | 'change' | 'after') =>
    median(runs.map((run) => run[field]));
  for (const field of ['first', 'bytes', 'search', 'change', 'after'] as const)
    console.log(
      `${field}: off ${of(off, field).toFixed(1)}, on ${of(on, field).toFixed(1)}, ratio ${(of(on, field) / of(off, field)).toFixed(2)}`,
    );
  const paired = await pairedSearches();
  console.log(
    `search in ${PAIRS} pairs: off ${paired.off.toFixed(2)}, on ${paired.on.toFixed(2)}, ratio ${paired.ratio.toFixed(3)}`,
  );
  console.log(
    JSON.stringify(
      { chunks: on[0]?.chunks, asOf: on.map(({ asOf }) => asOf), history: on.at(-1)?.history },
      undefined,
      1,
    ),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
