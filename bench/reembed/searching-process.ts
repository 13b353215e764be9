// A process that searches at a steady pace, first alone and then while it makes the vectors of a better model. It may be killed at any moment.

import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createEngine } from '../../src/index.js';
import { readJsonLines } from '../shared/data-files.js';

const [dataDir = '', cwd = '', model = '', questionFile = '', paceMs = '60', idle = '150', repeats = '1'] =
  process.argv.slice(2);

const questions = readJsonLines<{ question: string }>(questionFile).map(({ question }) => question);

const engine = await createEngine({ config: { provider: 'libsql' }, dataDir, cwd });
let asked = 0;
let phase = 'warm';

/** One line for each search: what was asked, how long it took, and a hash of what was found with its scores. */
async function ask(): Promise<void> {
  const query = asked++ % questions.length;
  const began = phase;
  const started = performance.now();
  try {
    const { results, degradationLevel } = await engine.search({
      text: questions[query] ?? '',
      options: { topK: 10 },
    });
    const ms = performance.now() - started;
    const found = createHash('sha256')
      .update(JSON.stringify(results.map(({ id, score }) => [id, score])))
      .digest('hex')
      .slice(0, 12);
    tell({ kind: 'search', phase: began, query, ms, found, degradationLevel });
  } catch (error) {
    tell({ kind: 'failed', phase: began, query, message: String(error) });
  }
}

const tell = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

async function askAtPace(isOver: () => boolean): Promise<void> {
  let next = performance.now();
  while (!isOver()) {
    await ask();
    next = Math.max(next + Number(paceMs), performance.now());
    await pause(Math.max(0, next - performance.now()));
  }
}

const until = (count: number): (() => boolean) => {
  const end = asked + count;
  return () => asked >= end;
};

await askAtPace(until(40));
phase = 'idle';
await askAtPace(until(Number(idle)));
for (let i = 0; i < Number(repeats); i++) {
  phase = 'embedding';
  let isOver = false;
  const upgrade = engine
    .reembed({
      model,
      questions: questionFile,
      onProgress: (progress) => {
        phase = progress.stage;
        tell({ kind: 'progress', ...progress });
      },
    })
    .then((result) => tell({ kind: 'result', result }))
    .finally(() => {
      isOver = true;
    });
  await askAtPace(() => isOver);
  await upgrade;
}
phase = 'after';
await askAtPace(until(Math.max(questions.length, Number(idle))));
await engine.close();
tell({ kind: 'end' });
