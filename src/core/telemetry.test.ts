import { tracingChannel } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { RAGError } from './errors.js';
import { openSpan, StageClock, type TelemetryPayloads, traced } from './telemetry.js';

/** What subscribers of a channel hear while work runs: names of events, and the payload as it was at the last one. */
async function heard(name: string, work: () => Promise<unknown>) {
  const events: string[] = [];
  let payload: object = {};
  const hear = (event: string) => (message: object) => {
    events.push(event);
    payload = { ...message };
  };
  const subscribers = {
    start: hear('start'),
    end: hear('end'),
    asyncStart: hear('asyncStart'),
    asyncEnd: hear('asyncEnd'),
    error: hear('error'),
  };
  const channel = tracingChannel(`ragstone:${name}`);
  channel.subscribe(subscribers);
  await work().catch(() => undefined);
  channel.unsubscribe(subscribers);
  return { events, payload };
}

const embed = (): TelemetryPayloads['embed'] => ({ kind: 'query', model: 'm', texts: 1 });

describe('traced', () => {
  it('publishes beginning and end, and never the result', async () => {
    const { events, payload } = await heard('embed', () => traced('embed', embed(), () => 'secret text'));
    expect(events).toEqual(['start', 'end', 'asyncStart', 'asyncEnd']);
    expect(payload).toEqual({ kind: 'query', model: 'm', texts: 1, tookMs: expect.any(Number) });
  });

  it('publishes the public part of a failure, and throws all of it', async () => {
    const failure = new RAGError('EMBEDDING_FAILED', 'down', { cause: 'what was sent' });
    const failing = () => traced('embed', embed(), () => Promise.reject(failure));
    await expect(failing()).rejects.toBe(failure);
    const { events, payload } = await heard('embed', failing);
    expect(events).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
    expect(payload).toMatchObject({ error: { reason: 'EMBEDDING_FAILED', message: 'down' } });
    expect(Reflect.get(payload, 'error')).not.toHaveProperty('cause');
  });

  it('keeps what is no error of ours out of the payload', async () => {
    const { payload } = await heard('embed', () =>
      traced('embed', embed(), () => Promise.reject(new Error('with a key in it'))),
    );
    expect(String(Reflect.get(payload, 'error'))).not.toContain('key');
  });
});

describe('openSpan', () => {
  it('ends once', async () => {
    const { events } = await heard('answer', async () => {
      const span = openSpan('answer', { mode: 'naive' });
      span.end();
      span.end(new Error('too late'));
    });
    expect(events).toEqual(['start', 'end', 'asyncStart', 'asyncEnd']);
  });
});

describe('StageClock', () => {
  it('adds up stages by name, those of clocks inside it too, and not what holds stages', async () => {
    const outer = new StageClock();
    const fuse = () => traced('stage', { stage: 'fuse' }, () => undefined);
    await outer.run(() =>
      traced('search', { mode: 'lexical', topK: 3 }, async () => {
        await fuse();
        const inner = new StageClock();
        await inner.run(() => traced('lane', { lane: 'lexical' }, fuse));
        expect(Object.keys(inner.times)).toEqual(['fuse', 'lexical']);
      }),
    );
    expect(Object.keys(outer.times)).toEqual(['fuse', 'lexical']);
    expect(outer.times.lexical).toBeGreaterThanOrEqual(0);
  });
});
