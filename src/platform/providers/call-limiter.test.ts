import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallLimiter, type CallLimits } from './call-limiter.js';

/** A clock that only waiting moves. */
function fakeClock() {
  let time = 0;
  return {
    now: () => time,
    wait: async (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

async function admitAll(limits: CallLimits, tokens: readonly number[]): Promise<number[]> {
  const clock = fakeClock();
  const limiter = new CallLimiter(limits, clock);
  const starts: number[] = [];
  for (const count of tokens) {
    await limiter.admit({ tokens: count });
    starts.push(clock.now());
  }
  return starts;
}

describe('CallLimiter', () => {
  it('has no more calls and tokens in any minute than it may', async () => {
    const limits = { requestsPerMinute: 3, tokensPerMinute: 100 };
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 20 }), async (tokens) => {
        const starts = await admitAll(limits, tokens);
        for (const [i, start] of starts.entries()) {
          const within = starts.flatMap((other, j) =>
            j <= i && start - other < 60_000 ? [tokens[j] ?? 0] : [],
          );
          expect(within.length).toBeLessThanOrEqual(3);
          expect(within.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(100);
        }
      }),
    );
  });

  it('does not wait without limits, and lets a call above the token limit go alone', async () => {
    expect(await admitAll({}, [1e9, 1e9])).toEqual([0, 0]);
    expect(await admitAll({ tokensPerMinute: 10 }, [50, 5])).toEqual([0, 60_000]);
  });

  it('refuses the call that could cost too much, by estimates until the real cost is known', async () => {
    const limiter = new CallLimiter({ maxCost: 1 }, fakeClock());
    const settle = await limiter.admit({ tokens: 1, cost: 0.9 });
    await expect(limiter.admit({ tokens: 1, cost: 0.2 })).rejects.toMatchObject({
      reason: 'SPEND_LIMIT_REACHED',
    });
    settle(0.1);
    settle(5);
    expect(limiter.spent).toBeCloseTo(0.1);
    await limiter.admit({ tokens: 1, cost: 0.9 });
    expect(limiter.spent).toBeCloseTo(1);
  });

  it('gives back what a cancelled call had booked', async () => {
    const limiter = new CallLimiter({ maxCost: 1 }, fakeClock());
    const done = limiter.admit({ tokens: 1, cost: 0.9 }, AbortSignal.abort());
    await expect(done).rejects.toMatchObject({ reason: 'ABORTED' });
    expect(limiter.spent).toBe(0);
  });
});
