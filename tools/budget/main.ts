/**
 * `tsx tools/budget/main.ts test|proofs [ARGUMENTS]`: Vitest over the files of that command. A whole run is held against tests/budget.json, with
 * `--record` it is what later ones are held against; one of some files, of other forms or that failed says nothing of the whole.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { figuresOf } from './budget.js';
import { holdAgainstBudget, readBudget, record } from './budget-file.js';
import { childSeconds, loopSeconds, median, timeLoop } from './measure.js';
import { argumentsOf, elsewhere } from './vitest-arguments.js';

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
/** How often the loop is measured while tests run. */
const SAMPLE_MS = 15_000;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const durationsSchema = z.record(z.string(), z.number());

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const [name = '', ...given] = process.argv.slice(2);
const { line, isWhole, records } = argumentsOf(name, given);
for (const hint of elsewhere(name, given)) console.error(hint);
if (isWhole && process.env.RAGSTONE_SLOW !== '1') await runMeasured();
else endAs(await runVitest({}));

async function runMeasured(): Promise<void> {
  // What is wrong with it is told before minutes of tests.
  readBudget();
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-durations-'));
  try {
    const durations = join(folder, 'durations.json');
    const before = childSeconds();
    const loops = loopSeconds();
    // What makes the tests slow meanwhile makes the loop slow.
    const sampling = setInterval(() => loops.push(timeLoop()), SAMPLE_MS);
    const ended = await runVitest({ RAGSTONE_DURATIONS: durations });
    clearInterval(sampling);
    const after = childSeconds();
    if (ended.code !== 0) return endAs(ended);
    if (before === undefined || after === undefined)
      return void console.error(
        `The processor time cannot be measured on ${process.platform}: no budget is held.`,
      );
    const parts = durationsSchema.parse(JSON.parse(readFileSync(durations, 'utf8')));
    const figures = figuresOf((after - before) / median([...loops, ...loopSeconds()]), parts);
    if (records) record(name, figures);
    else if (!holdAgainstBudget(name, figures)) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runVitest(env: Readonly<Record<string, string>>): Promise<Ended> {
  const child = spawn(process.execPath, [VITEST, 'run', ...line], {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  // A terminal sends Ctrl-C to both processes; a signal to this one alone is passed on to Vitest.
  for (const signal of SIGNALS)
    process.on(signal, () => void (signal === 'SIGINT' && process.stdin.isTTY ? 0 : child.kill(signal)));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

function endAs({ code, signal }: Ended): void {
  process.exitCode = code ?? 1;
  if (signal === null) return;
  for (const one of SIGNALS) process.removeAllListeners(one);
  process.kill(process.pid, signal);
}
