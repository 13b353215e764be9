import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { runRagstone } from './run-ragstone.js';
import { sharedFolder } from './temporary-folder.js';

/**
 * Loaded before the command: writes down each timer that held the process until it fired. What a command waits for is work; a timer
 * that nobody cancelled makes the person wait after the results are there.
 */
const NOTE_TIMERS = `
const started = globalThis.setTimeout;
globalThis.setTimeout = (callback, milliseconds, ...rest) => {
  const timer = started((...given) => {
    if (milliseconds >= 1000 && timer.hasRef()) process.stderr.write('held by a timer of ' + milliseconds + ' ms\\n');
    callback(...given);
  }, milliseconds, ...rest);
  return timer;
};
`;

const folder = sharedFolder();

beforeAll(async () => {
  await writeFile(join(folder, 'note-timers.mjs'), NOTE_TIMERS);
  await writeFile(join(folder, 'retries.md'), '# Retries\n\nA retry waits twice as long each time.\n');
});

test.each([
  [['index', 'retries.md']],
  [['search', 'retry']],
  [['ask', 'How long does a retry wait?']],
  [['status']],
  [['verify']],
])('%j ends when its work is done', async (args) => {
  const { code, stderr } = await runRagstone(args, {
    cwd: folder,
    env: { NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'note-timers.mjs')).href}` },
  });
  expect(code).toBe(0);
  expect(stderr).not.toContain('held by a timer');
});
