import { expect, test } from 'vitest';
import { SharedWork } from './shared-load.js';

/** Work that ends when it is told to, or stopped. */
function slowWork() {
  const begun: AbortSignal[] = [];
  const ends: ((value: string) => void)[] = [];
  const start = (signal: AbortSignal): Promise<string> =>
    new Promise((resolve, reject) => {
      begun.push(signal);
      ends.push(resolve);
      signal.addEventListener('abort', () => reject(new Error('stopped')));
    });
  return { begun, start, end: (value: string) => ends.at(-1)?.(value) };
}

test('what is asked for by several at once is done once, and again for who comes later', async () => {
  const shared = new SharedWork<string>();
  const { begun, start, end } = slowWork();
  const asked = [1, 2, 3].map(() => shared.run('a', undefined, start));
  const other = shared.run('b', undefined, async () => 'other');
  end('x');
  expect(await Promise.all(asked)).toEqual(['x', 'x', 'x']);
  expect(await other).toBe('other');
  expect(begun).toHaveLength(1);
  const later = shared.run('a', undefined, start);
  end('y');
  expect(await later).toBe('y');
});

test('who stops waiting stops nobody else', async () => {
  const shared = new SharedWork<string>();
  const { begun, start, end } = slowWork();
  const controller = new AbortController();
  const first = shared.run('a', controller.signal, start);
  const second = shared.run('a', new AbortController().signal, start);
  controller.abort();
  await expect(first).rejects.toMatchObject({ reason: 'ABORTED' });
  expect(begun[0]?.aborted).toBe(false);
  end('x');
  expect(await second).toBe('x');
});

test('work that nobody waits for is stopped, and who comes then begins anew', async () => {
  const shared = new SharedWork<string>();
  const { begun, start, end } = slowWork();
  const controllers = [new AbortController(), new AbortController()];
  const asked = controllers.map(({ signal }) => shared.run('a', signal, start));
  for (const controller of controllers) controller.abort();
  for (const one of asked) await expect(one).rejects.toMatchObject({ reason: 'ABORTED' });
  expect(begun[0]?.aborted).toBe(true);
  const next = shared.run('a', undefined, start);
  end('x');
  expect(await next).toBe('x');
  expect(begun).toHaveLength(2);
});

test('a failure is everybody s, and is not kept', async () => {
  const shared = new SharedWork<string>();
  const fail = async (): Promise<string> => {
    throw new Error('no');
  };
  const asked = [1, 2].map(() => shared.run('a', undefined, fail));
  for (const one of asked) await expect(one).rejects.toThrow('no');
  expect(await shared.run('a', undefined, async () => 'yes')).toBe('yes');
});
