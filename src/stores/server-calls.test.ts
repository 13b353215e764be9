import { describe, expect, it } from 'vitest';
import { runtime } from '../core/runtime.js';
import { onTimersAlone } from '../core/test-clock.js';
import { noAnswerError, type Passing, sendAgain, withinTime } from './server-calls.js';

const SERVER = { title: 'Qdrant', address: 'http://127.0.0.1:1' };
const LONG_MS = 60_000;

/** Sends what is listed, one after another; an error is thrown. */
const sending = (outcomes: readonly (string | Error)[]) => {
  const sentAt: number[] = [];
  const send = (): Promise<string> => {
    const outcome = outcomes[sentAt.length] ?? 'nothing is left';
    sentAt.push(runtime().elapsed());
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  };
  return { send, sentAt };
};

const whereRejected = (sent: PromiseSettledResult<string>): Passing | undefined =>
  sent.status === 'rejected' ? {} : undefined;

const signal = new AbortController().signal;

describe('sendAgain', () => {
  it('gives what came at last, after pauses that double', () =>
    onTimersAlone(async () => {
      const { send, sentAt } = sending([new Error('one'), new Error('two'), 'here']);
      expect(await sendAgain(send, { signal, passing: whereRejected })).toBe('here');
      const [first = 0, second = 0, third = 0] = sentAt;
      expect(second - first).toBeGreaterThanOrEqual(100);
      expect(third - second).toBeGreaterThanOrEqual(200);
    }));

  it('throws the last failure after four attempts', () =>
    onTimersAlone(async () => {
      const { send, sentAt } = sending(['a', 'b', 'c', 'd', 'e'].map((word) => new Error(word)));
      await expect(sendAgain(send, { signal, passing: whereRejected })).rejects.toThrow(/^d$/);
      expect(sentAt).toHaveLength(4);
    }));

  it('sends once where it may not be sent twice, or the same would come out again', async () => {
    const once = sending([new Error('one'), 'here']);
    await expect(sendAgain(once.send, { signal, attempts: 1, passing: whereRejected })).rejects.toThrow(
      'one',
    );
    const lasting = sending([new Error('one'), 'here']);
    await expect(sendAgain(lasting.send, { signal, passing: () => undefined })).rejects.toThrow('one');
    expect([once.sentAt.length, lasting.sentAt.length]).toEqual([1, 1]);
  });

  it('an answer may ask for another attempt too, and never comes before the time that it asks for', () =>
    onTimersAlone(async () => {
      const { send, sentAt } = sending(['busy', 'here']);
      const passing = (sent: PromiseSettledResult<string>): Passing | undefined =>
        sent.status === 'fulfilled' && sent.value === 'busy' ? { retryAfterMs: 5_000 } : undefined;
      expect(await sendAgain(send, { signal, passing })).toBe('here');
      const [first = 0, second = 0] = sentAt;
      expect(second - first).toBeGreaterThanOrEqual(5_000);
    }));

  it('stops where nobody waits any more', async () => {
    const stopped = new AbortController();
    const { send, sentAt } = sending([new Error('one'), 'here']);
    const work = (): Promise<string> => {
      stopped.abort();
      return send();
    };
    await expect(sendAgain(work, { signal: stopped.signal, passing: whereRejected })).rejects.toThrow('one');
    expect(sentAt).toHaveLength(1);
  });
});

describe('withinTime', () => {
  const call = { action: 'search vectors', timeoutMs: 20 };

  it('tells what was late, and does not wait for what is deaf', async () => {
    const deaf = withinTime(SERVER, call, () => new Promise(() => undefined));
    await expect(deaf).rejects.toMatchObject({
      reason: 'STORE_TIMEOUT',
      message: expect.stringMatching(
        /^Qdrant at http:\/\/127.0.0.1:1 could not search vectors within 20 ms\./,
      ) as string,
    });
  });

  it('is cancelled by its caller', async () => {
    const cancelled = new AbortController();
    const waiting = withinTime(
      SERVER,
      { ...call, timeoutMs: LONG_MS, signal: cancelled.signal },
      () => new Promise(() => undefined),
    );
    cancelled.abort();
    await expect(waiting).rejects.toMatchObject({ reason: 'ABORTED' });
  });
});

describe('noAnswerError', () => {
  it('leaves errors of ours as they are', () => {
    const ours = noAnswerError(SERVER, 'search vectors', 'Check that it runs.', new Error('ECONNREFUSED'));
    expect(ours.message).toMatch(/could not search vectors\. There is no connection.*Check that it runs\.$/);
    expect(noAnswerError(SERVER, 'write', 'Check that it runs.', ours)).toBe(ours);
  });
});
