import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEngine } from '../engine/create-engine.js';

test('searches in a loop let timers fire', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'event-loop-'));
  const engine = await createEngine({ config: { provider: 'libsql' }, dataDir });
  await engine.index([{ id: 'a', text: 'An oak stands by the gate.' }]);
  const search = () => engine.search({ text: 'oak', options: { mode: 'lexical' } }, { tenant: 'default' });
  // The first one reads files, and waits for them.
  await search();
  let fired = 0;
  const timer = setInterval(() => {
    fired += 1;
  }, 0);
  for (let count = 0; count < 50; count += 1) await search();
  clearInterval(timer);
  await engine.close();
  await rm(dataDir, { recursive: true });
  expect(fired).toBeGreaterThan(0);
});
