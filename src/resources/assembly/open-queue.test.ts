import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import type { Plugins } from '../../config/plugins.js';
import { createEngine } from '../../engine/create-engine.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { WorkQueue } from '../../ledger/queue/work-queue.js';

const QUEUE: WorkQueue = {
  isUp: true,
  add: async () => undefined,
  counts: async () => ({ waiting: 0, active: 0 }),
  consume: () => ({ close: async () => undefined }),
  onChange: () => undefined,
  close: async () => {
    throw new Error('It is the program that closes it.');
  },
};

/** As much of a ledger as is looked at before anything is asked of it. */
const ledgerWith = (lock: Ledger['lock']): Ledger =>
  ({
    live: null,
    reader: null,
    writer: null,
    clear: null,
    close: async () => undefined,
    lock,
  }) as unknown as Ledger;

const engineWith = (own: Plugins) => createEngine({ cwd: temporaryFolder(), ...own });

test("a queue that is handed in needs a ledger that hosts share, and stays the program's", async () => {
  await expect(engineWith({ queue: QUEUE })).rejects.toMatchObject({
    reason: 'CONFIG_INVALID',
    message: expect.stringContaining('a file of this host') as string,
  });
  await expect(engineWith({ queue: QUEUE, ledger: ledgerWith(undefined) })).rejects.toMatchObject({
    message: expect.stringContaining('has no lock that hosts share') as string,
  });
  const engine = await engineWith({
    queue: QUEUE,
    ledger: ledgerWith(async () => ({ release: () => undefined })),
  });
  expect((await engine.workPlan().queue()).isUp).toBe(true);
  await engine.close();
});

test('what is no queue is refused', async () => {
  await expect(engineWith({ queue: {} as WorkQueue })).rejects.toMatchObject({
    reason: 'USAGE',
    message: expect.stringContaining('a WorkQueue') as string,
  });
});
