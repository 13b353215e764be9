// What it costs to be watched: `npm run bench:monitoring -- [--json] [--rounds N] [--processes N]`. A process searches the same questions again and
// again, by turns not watched, watched, and with traces too; each block is compared with the block beside it that was not watched. Reported is the
// median of these ratios of processor time, with its interval of 95 % (percentile bootstrap over the rounds of all processes). Processor time is
// that of the process, so other programs of the machine are no part of it.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../src/evaluation/random.js';
import { createEngine } from '../../src/index.js';
import { circumstances } from '../shared/machine.js';
import { LOCAL_RESULTS, SHARED } from '../shared/places.js';
import { runProcess } from '../shared/run-process.js';
import { median, quantile } from '../shared/statistics.js';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '30' },
    processes: { type: 'string', default: '3' },
  },
});
const TARGET = 1.03;
const FOLDER = 'ise-playbook';
const RESAMPLES = 2_000;

/** Milliseconds of the processor for all questions once, by mode. */
export interface Round {
  readonly off: number;
  readonly on: number;
  readonly traces: number;
}

const home = mkdtempSync(join(tmpdir(), 'monitoring-bench-'));
const rounds: Round[] = [];
try {
  const dataDir = join(home, 'data');
  cpSync(join(SHARED, 'data/corpora', FOLDER), join(home, FOLDER), { recursive: true });
  const engine = await createEngine({ config: { provider: 'libsql' }, dataDir, cwd: home });
  const { stats } = await engine.index({ paths: [FOLDER] });
  await engine.close();
  console.error(`indexed ${stats.chunksCreated} chunks`);
  const program = fileURLToPath(new URL('searching-process.ts', import.meta.url));
  const questions = join(SHARED, 'data/questions/ise.jsonl');
  for (let turn = 0; turn < Number(values.processes); turn++) {
    const args = [...process.execArgv, program, dataDir, home, questions, values.rounds];
    const { stdout } = await runProcess(process.execPath, args);
    rounds.push(...(JSON.parse(stdout) as Round[]));
    console.error(`process ${turn + 1} of ${values.processes}`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

const random = seededRandom(17);
function costOf(mode: 'on' | 'traces') {
  const ratios = rounds.map((round) => round[mode] / round.off);
  const medians = Array.from({ length: RESAMPLES }, () =>
    median(ratios.map(() => ratios[Math.floor(random() * ratios.length)] ?? Number.NaN)),
  );
  const ratio = median(ratios);
  const [low, high] = [quantile(medians, 0.025), quantile(medians, 0.975)];
  return { ratio, low, high, target: `<= ${TARGET}`, met: ratio <= TARGET };
}
const report = {
  ...circumstances(),
  rounds: rounds.length,
  processorMsOfRound: median(rounds.map(({ off }) => off)),
  on: costOf('on'),
  traces: costOf('traces'),
  all: rounds,
};
mkdirSync(LOCAL_RESULTS, { recursive: true });
writeFileSync(join(LOCAL_RESULTS, 'monitoring.json'), `${JSON.stringify(report, null, 2)}\n`);
const { all: _, ...short } = report;
if (values.json) console.log(JSON.stringify(short, null, 2));
else
  for (const mode of ['on', 'traces'] as const) {
    const { ratio, low, high, target } = report[mode];
    console.log(
      `${mode.padEnd(7)} ${ratio.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}; target ${target})`,
    );
  }
