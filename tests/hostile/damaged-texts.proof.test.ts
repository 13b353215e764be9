import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { IS_LONG } from '../long-forms.js';
import type { Outcomes } from './use-damaged-index.js';

const SCRIPT = fileURLToPath(new URL('use-damaged-index.ts', import.meta.url));
const SEED = 3;
/** Every column takes a third of a second. */
const STEP = IS_LONG ? 1 : 6;

it('a byte that is no UTF-8 in a text of the index ends no process: it is named, and --force heals it', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', SCRIPT, String(SEED), String(STEP)],
    { encoding: 'utf8', timeout: 60_000 },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const { undamaged, ...damaged } = JSON.parse(stdout) as Record<string, Outcomes>;
  expect(undamaged).toMatchObject({ verify: 'whole', index: 'true', 'verify after force': 'whole' });
  expect(Object.keys(damaged).length).toBeGreaterThanOrEqual(Math.floor(50 / STEP));
  for (const [column, outcomes] of Object.entries(damaged)) {
    const unexplained = Object.values(outcomes).filter((outcome) => /thrown|INTERNAL|EMPTY/.test(outcome));
    expect({ column, unexplained }).toEqual({ column, unexplained: [] });
    expect({ column, ...outcomes }).toMatchObject({
      column,
      verify: expect.stringMatching(/^(ledger|store)-damaged$/),
      index: expect.stringMatching(/^(INDEX|STORE)_DAMAGED$/),
      'verify after force': 'whole',
    });
    expect(Number(outcomes['search after force'])).toBeGreaterThanOrEqual(2);
  }
});
