import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { GenerationalCache } from './generational-cache.js';

it('makes a value once while it is asked for, and forgets what was not for a generation', () => {
  const made: string[] = [];
  const cache = new GenerationalCache<string>(2);
  const get = (key: string): string =>
    cache.getOrMake(key, (own) => {
      made.push(own);
      return own.toUpperCase();
    });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'd', 'a', 'e', 'b']) expect(get(key)).toBe(key.toUpperCase());
  expect(made).toEqual(['a', 'b', 'c', 'd', 'e', 'b']);
});

it('tells apart long keys, half surrogate pairs too', () => {
  const cache = new GenerationalCache<string>(10);
  const keys = ['a rather long key \ud800', 'a rather long key \ud801', 'a rather long key \ufffd'];
  for (const key of keys) cache.getOrMake(key, (own) => own);
  expect(keys.map((key) => cache.getOrMake(key, () => 'made again'))).toEqual(keys);
});

it('does not keep the texts in memory that its keys were cut from', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const heapMiB = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const cache = new GenerationalCache<string>(1_000);
  const before = heapMiB();
  for (let i = 0; i < 100; i++) {
    const [word = ''] = `${'word '.repeat(200_000)}uncommonlylongword${i} `.match(/uncommonly\w+/) ?? [];
    cache.getOrMake(word, (own) => own);
  }
  expect(heapMiB() - before).toBeLessThan(30);
});
