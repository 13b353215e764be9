import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { createEngine, startMonitoring } from '../../../index.js';

/** A device that is always full. */
const FULL = '/dev/full';

async function watched() {
  const cwd = temporaryFolder({ 'docs/a.md': '# Audit\n\nLogs are kept for thirty days.\n' });
  const engine = await createEngine({
    cwd,
    config: {
      provider: 'libsql',
      sources: [{ name: 'docs', type: 'markdown', root: 'docs', paths: ['**/*.md'] }],
      monitoring: {
        alerts: {
          enabled: true,
          channels: [{ type: 'console', minSeverity: 'info' }],
          conditions: [{ name: 'indexing_failure', threshold: 2, severity: 'error' }],
        },
      },
    },
  });
  const watch = await startMonitoring(engine, { name: 'test', write: () => undefined });
  onTestFinished(async () => {
    await watch.stop();
    await engine.close();
  });
  const raised = (): string[] => watch.raisedAlerts().map(({ alert, value }) => `${alert} ${value}`);
  const failures = async (): Promise<string | undefined> =>
    /^rag_indexing_failure_count_total (\d+)$/m.exec((await watch.metrics?.text()) ?? '')?.[1];
  return { cwd, engine, raised, failures };
}

test.skipIf(!existsSync(FULL)).each([
  ['pushes', 'push'],
  ['runs', 'run'],
] as const)('%s that a full disk refuses are failures of indexing', async (_, kind) => {
  const { cwd, engine, raised, failures } = await watched();
  const write = () => (kind === 'push' ? engine.push([{ id: 'n', text: 'A note.' }]) : engine.index());
  await write();
  // Where a writer puts its name first.
  const draft = join(cwd, '.ragstone', `writer.json.${process.pid}`);
  symlinkSync(FULL, draft);
  for (const times of ['1', '2']) {
    await expect(write()).rejects.toMatchObject({ reason: 'INDEX_DISK_FULL' });
    expect(await failures()).toBe(times);
    expect(raised()).toEqual(times === '2' ? ['indexing_failure 2'] : []);
  }
  rmSync(draft);
  await write();
  expect(raised()).toEqual([]);
});

test('what a caller pushes amiss is no failure of indexing', async () => {
  const { engine, raised } = await watched();
  const push = (document: { text?: string; bytes?: Uint8Array; mediaType?: string }) =>
    engine.push([{ id: 'n', ...document }]);
  for (let turn = 0; turn < 3; turn++) {
    const { success } = await push({ text: '{', mediaType: 'application/x-unknown' });
    expect(success).toBe(false);
  }
  expect(raised()).toEqual([]);
});
