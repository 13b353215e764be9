import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createEngine } from '../../engine/create-engine.js';
import { filesWith } from '../../testing/files-with.js';
import { Receipts } from './receipts.js';

const ENGINE = new URL('../../engine/create-engine.ts', import.meta.url).href;
const LOADER = fileURLToPath(import.meta.resolve('tsx'));

/** Milliseconds after the plan is on the disk. */
const KILLED_AFTER = [0, 5, 20, 60, 150];

test.each(KILLED_AFTER)('killed %d ms after it began, the next run finishes it', async (after) => {
  const folder = mkdtempSync(join(tmpdir(), 'killed-'));
  const dataDir = join(folder, 'data');
  mkdirSync(join(folder, 'docs'));
  for (let i = 0; i < 300; i++)
    writeFileSync(
      join(folder, 'docs', `note-${i}.md`),
      `---\nreporter: ${i % 3 === 0 ? 'Quaggadromous' : 'Somebody'}\n---\n# Note ${i}\n\nThe gate of house ${i}.\n`,
    );
  const options = { config: { provider: 'libsql' as const }, dataDir, cwd: folder };
  const before = await createEngine(options);
  await before.index({ paths: ['docs'] });
  await before.close();
  const script = `
      import { createEngine } from ${JSON.stringify(ENGINE)};
      const engine = await createEngine(${JSON.stringify(options)});
      await engine.forget({ filter: { op: 'eq', field: 'reporter', value: 'Quaggadromous' } });
      await engine.close();`;
  const child = spawn(process.execPath, ['--import', LOADER, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  const plans = new Receipts(dataDir);
  while (!hasEnded && plans.unfinishedIds().length === 0) await pause(1);
  await pause(after);
  child.kill('SIGKILL');
  await ended;
  const engine = await createEngine(options);
  try {
    const result = await engine.index();
    expect(result.stats.forgotten).toEqual({ [`path:${join(folder, 'docs')}`]: 100 });
    expect(await filesWith(dataDir, 'quaggadromous')).toEqual([]);
    const receipts = new Receipts(dataDir);
    expect(receipts.unfinishedIds()).toEqual([]);
    const [receipt] = receipts.all();
    expect(await engine.checkReceipt(receipt?.id ?? '')).toMatchObject({ clean: true });
    expect(await engine.verify()).toMatchObject({ ok: true });
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true });
  }
});
