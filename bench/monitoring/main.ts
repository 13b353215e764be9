// What it costs to be watched: processes that search the same index, one of them not watched, take turns; the ratio of their times.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../../src/index.js';

const SHARED = fileURLToPath(new URL('../../../shared', import.meta.url));
const FOLDER = 'ise-playbook';
const QUESTIONS = join(SHARED, 'data/questions/ise.jsonl');
const ROUNDS = Number(process.argv[2] ?? 40);
const MODES = ['off', 'on', 'traces'] as const;
type Mode = (typeof MODES)[number];
/** Of each mode: two processes that do the same differ by more than what is measured. */
const PROCESSES = Number(process.argv[3] ?? 4);

interface Block {
  readonly searches: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}

const home = mkdtempSync(join(tmpdir(), 'monitoring-bench-'));
const dataDir = join(home, 'data');
cpSync(join(SHARED, 'data/corpora', FOLDER), join(home, FOLDER), { recursive: true });
const engine = await createEngine({ config: { provider: 'libsql' }, dataDir, cwd: home });
const { stats } = await engine.index({ paths: [FOLDER] });
await engine.close();
console.error(`indexed ${stats.chunksCreated} chunks`);

interface Searcher {
  readonly mode: Mode;
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly next: () => Promise<Block>;
  readonly blocks: Block[];
}

const searchers: Searcher[] = [];
for (let process = 0; process < PROCESSES; process++)
  for (const mode of MODES) searchers.push(await startSearcher(mode));

async function startSearcher(mode: Mode): Promise<Searcher> {
  const program = fileURLToPath(new URL('searching-process.ts', import.meta.url));
  const args = [...process.execArgv, program, dataDir, home, QUESTIONS, mode];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Block> => JSON.parse((await lines.next()).value as string) as Block;
  await next();
  return { mode, child, next, blocks: [] };
}

for (let round = 0; round < ROUNDS; round++) {
  const first = round % searchers.length;
  // Nobody is always the first.
  for (const { child, next, blocks } of [...searchers.slice(first), ...searchers.slice(0, first)]) {
    child.stdin.write('\n');
    blocks.push(await next());
  }
  process.stderr.write(`\r${round + 1} of ${ROUNDS} `);
}
for (const { child } of searchers) child.stdin.end();
rmSync(home, { recursive: true, force: true });

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
/** The median block of each process of a mode, in order. */
const ofProcesses = (mode: Mode, of: (block: Block) => number): number[] =>
  searchers
    .filter((searcher) => searcher.mode === mode)
    .map(({ blocks }) => median(blocks.map(of)))
    .sort((a, b) => a - b);
const show = (values: readonly number[], digits: number): string =>
  values.map((value) => value.toFixed(digits)).join(' ');

console.log('\nmode     processor ms a search, of each process   median to off   searches/s of each process');
const cpuMs = ({ cpuMs, searches }: Block): number => cpuMs / searches;
const offMs = median(ofProcesses('off', cpuMs));
for (const mode of MODES) {
  const all = ofProcesses(mode, cpuMs);
  const speeds = ofProcesses(mode, ({ searches, wallMs }) => (1_000 * searches) / wallMs);
  console.log(`${mode.padEnd(8)} ${show(all, 2)}   ${(median(all) / offMs).toFixed(3)}   ${show(speeds, 0)}`);
}
