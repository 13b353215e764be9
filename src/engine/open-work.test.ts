import { once } from 'node:events';
import { expect, test } from 'vitest';
import { OpenWork } from './open-work.js';

test('much work under one signal is taken for no leak', async () => {
  const warnings: Error[] = [];
  const hear = (warning: Error): void => void warnings.push(warning);
  process.on('warning', hear);
  const work = new OpenWork();
  await work.run(undefined, async (signal) => {
    for (let listener = 0; listener < 30; listener += 1) signal.addEventListener('abort', () => undefined);
  });
  process.emitWarning('the last one');
  while (warnings.length === 0) await once(process, 'warning');
  process.off('warning', hear);
  expect(warnings.map(({ message }) => message)).toEqual(['the last one']);
});

test('work ends with the engine, at a reason that says so', async () => {
  const work = new OpenWork();
  const running = work.run(undefined, async (signal) => {
    await once(signal, 'abort');
    throw signal.reason;
  });
  const refused = expect(running).rejects.toMatchObject({ reason: 'USAGE' });
  await work.end();
  await refused;
  await expect(work.run(undefined, () => Promise.resolve())).rejects.toMatchObject({ reason: 'USAGE' });
});
