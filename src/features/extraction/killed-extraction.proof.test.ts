import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { createEngine } from '../../index.js';
import { FactModel, passageIn, readsServices } from './test-fact-model.js';

const ENGINE = new URL('../../index.ts', import.meta.url).href;
const MODEL = new URL('./test-fact-model.ts', import.meta.url).href;
const LOADER = fileURLToPath(import.meta.resolve('tsx'));
const CHUNKS = 40;
const AT_A_TIME = 4;
/** Calls after which the process is killed. */
const KILLS = [3, 13] as const;

test('an extraction that is killed goes on, and pays again for nothing but the calls that were under way', async () => {
  const folder = temporaryFolder();
  const log = join(folder, 'calls');
  appendFileSync(log, '');
  const calls = (): string[] => readFileSync(log, 'utf8').split('\n').filter(Boolean);
  const graph = { extraction: { concurrency: AT_A_TIME } };
  const settings = { config: { provider: 'libsql', graph } } as const;
  const options = { ...settings, dataDir: join(folder, 'data'), cwd: folder };
  const first = await createEngine(options);
  await first.push(
    Array.from({ length: CHUNKS }, (_, i) => ({
      id: `d${i}`,
      text: `Plan ${i}: the Pay Service uses the Ledger Database.`,
    })),
  );
  await first.close();
  // What is called is written down before it is answered.
  const script = `
    import { appendFileSync } from 'node:fs';
    import { setTimeout as pause } from 'node:timers/promises';
    import { createEngine } from ${JSON.stringify(ENGINE)};
    import { FactModel, passageIn, readsServices } from ${JSON.stringify(MODEL)};
    const chatModel = new FactModel(async (request) => {
      appendFileSync(${JSON.stringify(log)}, /Plan \\d+/.exec(passageIn(request))?.[0] + '\\n');
      await pause(20);
      return readsServices(request, 0);
    });
    const engine = await createEngine({ ...${JSON.stringify(options)}, chatModel });
    await engine.graph.extract();
    await engine.close();`;
  for (const after of KILLS) {
    const before = calls().length;
    const child = spawn(process.execPath, ['--import', LOADER, '--input-type=module', '-e', script], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
    while (calls().length < before + after && child.exitCode === null) await pause(2);
    child.kill('SIGKILL');
    await ended;
  }
  const killed = calls().length;
  const model = new FactModel((request, asked) => {
    appendFileSync(log, `${/Plan \d+/.exec(passageIn(request))?.[0]}\n`);
    return readsServices(request, asked);
  });
  const engine = await createEngine({ ...options, chatModel: model });
  const result = await engine.graph.extract();
  expect(result.left).toBe(0);
  expect(result.read).toBe(calls().length - killed);
  expect(result.read).toBeLessThan(CHUNKS);
  expect(await engine.graph.status()).toMatchObject({ read: CHUNKS, unread: 0 });
  expect(new Set(calls()).size).toBe(CHUNKS);
  // A turn of writing is under way for each of the calls that follow it, too.
  expect(calls().length).toBeLessThanOrEqual(CHUNKS + KILLS.length * AT_A_TIME);
  await engine.close();
});
