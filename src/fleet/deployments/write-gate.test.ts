import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { WriteGate } from './write-gate.js';

const WAIT = { waitMs: 30_000 };

test('writers are in together; a mover waits for them and keeps later ones out', async () => {
  const folder = temporaryFolder();
  // Of two services, as two processes have.
  const [gate, other] = [new WriteGate(folder, 'acme'), new WriteGate(folder, 'acme')];
  const leave = [await gate.enter(WAIT), await other.enter(WAIT)];
  const events: string[] = [];
  const closing = gate.close(WAIT).then((open) => {
    events.push('closed');
    return open;
  });
  // The mover holds the door by now, or a further writer would be in.
  for (let isIn = true; isIn; ) {
    await nextTurn();
    isIn = await other.enter({ waitMs: 0 }).then(
      (out) => {
        out();
        return true;
      },
      () => false,
    );
  }
  const late = other.enter(WAIT).then((out) => {
    events.push('late writer');
    out();
  });
  expect(events).toEqual([]);
  for (const out of leave) out();
  const open = await closing;
  await nextTurn();
  expect(events).toEqual(['closed']);
  open();
  await late;
  expect(events).toEqual(['closed', 'late writer']);
});

test('who cannot come in in time is told so, and who is stopped stops', async () => {
  const gate = new WriteGate(temporaryFolder(), 'acme');
  const open = await gate.close(WAIT);
  await expect(gate.enter({ waitMs: 0 })).rejects.toMatchObject({ reason: 'INDEX_LOCKED' });
  const signal = AbortSignal.abort();
  await expect(gate.enter({ waitMs: 30_000, signal })).rejects.toMatchObject({ reason: 'ABORTED' });
  open();
  (await gate.enter({ waitMs: 0 }))();
});
