import { describe, expect, it } from 'vitest';
import {
  type Runtime,
  repeat,
  runtime,
  SYSTEM_RUNTIME,
  sleep,
  timeoutSignal,
  withRuntime,
} from './runtime.js';

/** A clock that stands until it is moved. */
function standing() {
  const timers = new Map<object, { readonly at: number; readonly callback: () => void }>();
  let time = 0;
  const clock: Runtime = {
    ...SYSTEM_RUNTIME,
    now: () => time,
    elapsed: () => time,
    setTimer: (callback, milliseconds) => {
      const key = {};
      timers.set(key, { at: time + milliseconds, callback });
      return () => timers.delete(key);
    },
  };
  const move = (milliseconds: number): void => {
    time += milliseconds;
    for (const [key, { at, callback }] of [...timers]) {
      if (at > time || !timers.delete(key)) continue;
      callback();
    }
  };
  return { clock, move, timers };
}

describe('a runtime', () => {
  it('is that of the machine where none is handed in', () => {
    expect(runtime()).toBe(SYSTEM_RUNTIME);
    expect(withRuntime(undefined, runtime)).toBe(SYSTEM_RUNTIME);
  });

  it('holds for all that the work starts, and for nothing beside it', async () => {
    const [a, b] = [standing().clock, standing().clock];
    const seen = await Promise.all(
      [a, b].map((clock) =>
        withRuntime(clock, async () => {
          await Promise.resolve();
          return runtime();
        }),
      ),
    );
    expect(seen).toEqual([a, b]);
    expect(seen[0]).toBe(a);
    expect(runtime()).toBe(SYSTEM_RUNTIME);
  });

  it('wakes who sleeps by its timers', async () => {
    const { clock, move } = standing();
    let isAwake = false;
    const slept = withRuntime(clock, () => sleep(100)).then(() => {
      isAwake = true;
    });
    move(99);
    await Promise.resolve();
    expect(isAwake).toBe(false);
    move(1);
    await slept;
  });

  it('forgets the timer of who is called off', async () => {
    const { clock, timers } = standing();
    const caller = new AbortController();
    const slept = withRuntime(clock, () => sleep(100, caller.signal));
    caller.abort();
    await expect(slept).rejects.toMatchObject({ reason: 'ABORTED' });
    expect(timers.size).toBe(0);
    await expect(sleep(100, caller.signal)).rejects.toMatchObject({ reason: 'ABORTED' });
  });

  it('repeats until it is told to stop, from inside too', () => {
    const { clock, move, timers } = standing();
    let calls = 0;
    const stop = withRuntime(clock, () =>
      repeat(() => {
        calls += 1;
        if (calls === 3) stop();
      }, 10),
    );
    for (let i = 0; i < 5; i++) move(10);
    expect(calls).toBe(3);
    expect(timers.size).toBe(0);
  });

  it('fires a signal when the time is over', () => {
    const { clock, move } = standing();
    const signal = withRuntime(clock, () => timeoutSignal(50));
    move(49);
    expect(signal.aborted).toBe(false);
    move(1);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });
});
