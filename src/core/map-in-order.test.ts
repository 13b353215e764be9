import { describe, expect, it } from 'vitest';
import { mapInOrder } from './map-in-order.js';

/** Work that finishes when told to. */
function gates() {
  const open = new Map<number, () => void>();
  let running = 0;
  let most = 0;
  const work = async (input: number): Promise<number> => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => open.set(input, resolve));
    running--;
    return input * 10;
  };
  return { open, work, most: () => most };
}

describe('mapInOrder', () => {
  it('keeps the order of the inputs and the limit, whatever finishes first', async () => {
    const { open, work, most } = gates();
    const results: number[] = [];
    const consuming = (async () => {
      for await (const result of mapInOrder([1, 2, 3, 4, 5], 3, work)) results.push(result);
    })();
    for (const input of [3, 2, 1, 4, 5]) {
      while (!open.has(input)) await new Promise((resolve) => setImmediate(resolve));
      open.get(input)?.();
    }
    await consuming;
    expect(results).toEqual([10, 20, 30, 40, 50]);
    expect(most()).toBe(3);
  });

  it('passes a failure on at its place and leaves no rejection unhandled', async () => {
    const fail = async (input: number): Promise<number> => {
      if (input > 1) throw new Error(`no ${input}`);
      return input;
    };
    const seen: number[] = [];
    const consume = async (): Promise<void> => {
      for await (const value of mapInOrder([1, 2, 3], 3, fail)) seen.push(value);
    };
    await expect(consume()).rejects.toThrow('no 2');
    expect(seen).toEqual([1]);
  });

  it('keeps a failure for its turn while what stands before it goes on', async () => {
    const { open, work } = gates();
    const unhandled: unknown[] = [];
    const note = (reason: unknown): number => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const results: unknown[] = [];
    const consuming = (async () => {
      const each = (input: number) => (input === 2 ? Promise.reject(new Error('no 2')) : work(input));
      for await (const result of mapInOrder([1, 2], 2, each)) results.push(result);
    })();
    const failing = expect(consuming).rejects.toThrow('no 2');
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    open.get(1)?.();
    await failing;
    process.off('unhandledRejection', note);
    expect([results, unhandled]).toEqual([[10], []]);
  });

  it('starts nothing more once the consumer stops', async () => {
    const started: number[] = [];
    const work = async (input: number): Promise<number> => started.push(input);
    for await (const _ of mapInOrder(Array.from({ length: 100 }).keys(), 4, work)) break;
    expect(started).toEqual([0, 1, 2, 3, 4]);
  });
});
