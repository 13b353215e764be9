import { describe, expect, it } from 'vitest';
import { RAGError } from '../../core/errors.js';
import { SYSTEM_RUNTIME, withRuntime } from '../../core/runtime.js';
import { Breaker, type Session } from './breaker.js';

const down = (): Promise<never> => Promise.reject(new RAGError('STORE_UNAVAILABLE', 'It is down.'));
const well = (): Promise<string> => Promise.resolve('well');

/** A breaker, and a clock that goes by hand. */
function start(options: { readonly slowMs?: number; readonly limitMs?: number } = {}) {
  let now = 0;
  const breaker = new Breaker({
    failures: 2,
    retryAfterMs: 1_000,
    ...options,
    isOutage: (error) => RAGError.isInstance(error) && error.reason === 'STORE_UNAVAILABLE',
    lateError: () => new RAGError('STORE_UNAVAILABLE', 'It was late.'),
    refusal: (why) => new RAGError('STORE_UNAVAILABLE', `Left alone: ${why}`),
  });
  const searchOnce = async (work: () => Promise<unknown>): Promise<unknown> => {
    let session: Session | undefined;
    try {
      session = breaker.begin();
      return await session.ask(work);
    } catch (error) {
      return (error as Error).message;
    } finally {
      session?.end();
      // What the search came to is known a moment later.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const runtime = { ...SYSTEM_RUNTIME, elapsed: () => now };
  let asked = 0;
  const ask = (work: () => Promise<unknown>): Promise<unknown> =>
    withRuntime(runtime, () =>
      searchOnce(() => {
        asked += 1;
        return work();
      }),
    );
  return {
    breaker,
    ask,
    refuses: () => withRuntime(runtime, () => breaker.refuses),
    asked: () => asked,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

describe('a part that fails', () => {
  it('is left alone after failures in a row, tried by one request, and asked again once that succeeds', async () => {
    const { ask, asked, breaker, pass, refuses } = start();
    for (const work of [down, well, down, down]) {
      await ask(work);
      pass(1);
    }
    expect(breaker.state).toBe('out');
    expect(await ask(well)).toBe('Left alone: It is down.');
    expect(asked()).toBe(4);
    pass(1_000);
    expect(refuses()).toBe(false);
    let answer = (_: string): void => undefined;
    const trial = ask(() => new Promise((resolve) => (answer = resolve)));
    expect(breaker.state).toBe('trying');
    // Nobody waits for the trial.
    expect(await ask(well)).toBe('Left alone: It is down.');
    answer('back');
    expect(await trial).toBe('back');
    expect(breaker.state).toBe('well');
    expect(await ask(well)).toBe('well');
  });

  it('stays alone for as long again where the trial fails, or nobody waited for it', async () => {
    const { ask, breaker, pass, refuses } = start();
    for (let turn = 0; turn < 2; turn++) {
      await ask(down);
      pass(1);
    }
    for (const end of [down, () => Promise.reject(new RAGError('ABORTED', 'Stopped.'))]) {
      pass(1_000);
      await ask(end);
      expect(breaker.state).toBe('out');
      expect(refuses()).toBe(true);
    }
  });

  it('has failed once where requests side by side fail, and not at all where it was asked wrongly or nobody waited', async () => {
    const { ask, breaker, pass } = start();
    await Promise.all(
      [1, 2, 3].map(() =>
        ask(
          () =>
            new Promise((_, reject) =>
              setTimeout(() => reject(new RAGError('STORE_UNAVAILABLE', 'Down.')), 5),
            ),
        ),
      ),
    );
    expect(breaker.state).toBe('well');
    pass(1);
    await ask(() => Promise.reject(new RAGError('ABORTED', 'Stopped.')));
    await ask(() => Promise.reject(new RAGError('ABORTED', 'Stopped.')));
    expect(breaker.state).toBe('well');
    pass(1);
    await ask(down);
    expect(breaker.state).toBe('out');
  });

  it('has failed where it is slow, and its answer is taken; where it says nothing, it is waited for so long', async () => {
    const { ask, breaker, pass } = start({ slowMs: 20, limitMs: 600 });
    const late = () => new Promise((resolve) => setTimeout(() => resolve('late'), 200));
    expect(await ask(late)).toBe('late');
    pass(1);
    expect(await ask(() => new Promise(() => undefined))).toBe('It was late.');
    expect(breaker.state).toBe('out');
  });
});
