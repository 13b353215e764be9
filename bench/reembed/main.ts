// Upgrades an index to a better model while it is searched, is killed twice on the way, and says what searches felt of it.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createEngine, type ReembedResult } from '../../src/index.js';

const SHARED = fileURLToPath(new URL('../../../shared', import.meta.url));
const FOLDER = 'ise-playbook';
const MODEL = join(SHARED, 'models/all-MiniLM-L6-v2');
const QUESTIONS = join(SHARED, 'data/questions/ise.jsonl');
/** Shares of the vectors at which the process is killed. */
const KILLS = [0.3, 0.65];
const PACE_MS = 60;
const IDLE_SEARCHES = 300;

interface Line {
  readonly kind: 'search' | 'failed' | 'progress' | 'result' | 'end';
  readonly phase: string;
  readonly query: number;
  readonly ms: number;
  readonly found: string;
  readonly stage: string;
  readonly done: number;
  readonly total: number;
  readonly message: string;
  readonly result: ReembedResult;
}

const home = mkdtempSync(join(tmpdir(), 'reembed-bench-'));
const dataDir = join(home, 'data');
cpSync(join(SHARED, 'data/corpora', FOLDER), join(home, FOLDER), { recursive: true });

const started = performance.now();
const engine = await createEngine({ config: { provider: 'libsql' }, dataDir, cwd: home });
const { stats } = await engine.index({ paths: [FOLDER] });
const indexMs = performance.now() - started;
await engine.close();
console.error(`indexed ${stats.chunksCreated} chunks in ${Math.round(indexMs)} ms`);

const lines: Line[] = [];
/** The lines of each process: what else the machine did is about the same within one. */
const processes: Line[][] = [];
const restarts: number[] = [];
let result: ReembedResult | undefined;
for (const killAt of [...KILLS, undefined]) {
  const done = await run(killAt);
  restarts.push(done);
}

/** Runs the process until it ends or is killed; how many chunks had their vector then. */
async function run(killAt: number | undefined): Promise<number> {
  const from = lines.length;
  const child = spawn(
    process.execPath,
    [
      ...process.execArgv,
      fileURLToPath(new URL('searching-process.ts', import.meta.url)),
      dataDir,
      home,
      MODEL,
      QUESTIONS,
      String(PACE_MS),
      String(IDLE_SEARCHES),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let done = 0;
  let hasEnded = false;
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    if (line.kind === 'result') result = line.result;
    if (line.kind === 'end') hasEnded = true;
    if (line.kind !== 'progress' || line.stage !== 'embedding') continue;
    done = line.done;
    process.stderr.write(`\r${done} of ${line.total} `);
    if (killAt !== undefined && done >= killAt * line.total) child.kill('SIGKILL');
  }
  if (killAt === undefined && !hasEnded) throw new Error('The process ended before its work.');
  processes.push(lines.slice(from));
  return done;
}

const UPGRADING = ['embedding', 'comparing', 'switching'];
const searches = lines.filter(({ kind }) => kind === 'search');
const of = (...phases: string[]): Line[] => searches.filter(({ phase }) => phases.includes(phase));
const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
const times = (some: readonly Line[]) => {
  const ms = some.map((line) => line.ms);
  return { searches: ms.length, p50: percentile(ms, 0.5), p95: percentile(ms, 0.95), max: Math.max(...ms) };
};
// What each model finds, by question: every answer on the way must be one of the two.
const before = new Map(of('warm', 'idle').map(({ query, found }) => [query, found]));
const after = new Map(of('after').map(({ query, found }) => [query, found]));
const mixed = searches.filter(
  ({ query, found }) => found !== before.get(query) && found !== after.get(query),
);
const idle = times(of('idle'));
const during = times(of(...UPGRADING));
const byProcess = processes.map((some) => {
  const p95 = (...phases: string[]): number =>
    times(some.filter(({ kind, phase }) => kind === 'search' && phases.includes(phase))).p95;
  return { idleP95: p95('idle'), duringP95: p95(...UPGRADING) };
});
const report = {
  chunks: result?.chunks,
  indexedWithBuiltinMs: Math.round(indexMs),
  embeddingMs: result?.embeddingMs,
  killedAt: restarts.slice(0, -1),
  embeddedByTheLastRun: result?.embedded,
  outcome: result?.outcome,
  comparison: result?.comparison,
  searches: searches.length,
  failed: lines.filter(({ kind }) => kind === 'failed').length,
  mixed: mixed.length,
  idle,
  during,
  phases: { embedding: times(of('embedding')), comparing: times(of('comparing')) },
  after: times(of('after')),
  byProcess,
  bar: {
    p95AtMost: 1.5 * idle.p95 + 5,
    isMet: byProcess.every(({ idleP95, duringP95 }) => duringP95 <= 1.5 * idleP95 + 5),
  },
};
console.log(JSON.stringify(report, undefined, 2));
rmSync(home, { recursive: true });
