import { describe, expect, test } from 'vitest';
import type { ClientRuntime } from './client-runtime.js';
import { RagstoneClient } from './ragstone-client.js';

interface Sent {
  readonly method: string | undefined;
  readonly headers: Headers;
}

const problem = (status: number, reason: string, headers: Record<string, string> = {}, retryable = true) =>
  new Response(JSON.stringify({ status, reason, retryable, detail: reason, code: 'E004', requestId: 'r' }), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });

/** A client whose server gives these answers in turn, and whose waits are over at once. */
function answering(...answers: (() => Response)[]) {
  const sent: Sent[] = [];
  const waits: number[] = [];
  let names = 0;
  const runtime: ClientRuntime = {
    elapsed: () => 0,
    random: () => 0.5,
    uniqueName: () => `name-${++names}`,
    setTimer: (callback, milliseconds) => {
      // The time limit of the call is no wait.
      if (milliseconds === LIMIT) return () => undefined;
      waits.push(milliseconds);
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  const client = new RagstoneClient({
    url: 'http://localhost:1',
    timeoutMs: LIMIT,
    runtime,
    fetch: async (_, init) => {
      sent.push({ method: init?.method, headers: new Headers(init?.headers) });
      const answer = answers.shift();
      if (answer === undefined) throw new TypeError('fetch failed');
      return answer();
    },
  });
  return { client, sent, waits };
}

const LIMIT = 20_000;
const fine = () => Response.json({ deleted: 1 });

describe('what may pass is tried again', () => {
  test('after doubling waits, which chance makes shorter', async () => {
    const { client, sent, waits } = answering(
      () => problem(503, 'SERVICE_UNAVAILABLE'),
      () => problem(503, 'INDEX_LOCKED'),
      fine,
    );
    await client.deleteParts('a');
    expect(waits).toEqual([187.5, 375]);
    expect(sent).toHaveLength(3);
  });

  test('a change with the same idempotency key, another change with another one', async () => {
    const { client, sent } = answering(() => problem(503, 'SERVICE_UNAVAILABLE'), fine, fine, fine);
    await client.deleteParts('a');
    await client.deleteParts('a');
    await client.deleteParts('a', { idempotencyKey: 'mine' });
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual([
      'name-1',
      'name-1',
      'name-2',
      'mine',
    ]);
  });

  test('and not what the caller itself could not give', async () => {
    const sent: unknown[] = [];
    const asking = (key: () => string) =>
      new RagstoneClient({
        ...{ url: 'http://localhost:1', key },
        fetch: async (_, init) => {
          sent.push(init);
          return fine();
        },
      });
    const locked = new Error('The key store is locked.');
    const failing = () => {
      throw locked;
    };
    await expect(asking(failing).stats()).rejects.toBe(locked);
    await expect(asking(() => 'two\nlines').stats()).rejects.toBeInstanceOf(TypeError);
    expect(sent).toEqual([]);
  });

  test('a question has no such key', async () => {
    const { client, sent } = answering(fine);
    await client.stats();
    expect(sent[0]?.headers.has('idempotency-key')).toBe(false);
  });

  test('not before the service asks to come back', async () => {
    const { client, waits } = answering(() => problem(429, 'RATE_LIMITED', { 'retry-after': '7' }), fine);
    await client.stats();
    expect(waits).toEqual([7_187.5]);
  });

  test('not where the answer would come too late', async () => {
    const { client, sent } = answering(() => problem(429, 'RATE_LIMITED', { 'retry-after': '60' }), fine);
    await expect(client.stats()).rejects.toMatchObject({ reason: 'RATE_LIMITED', retryAfterMs: 60_000 });
    expect(sent).toHaveLength(1);
  });

  test('a broken connection, and the statuses of a proxy', async () => {
    const { client, sent } = answering(() => new Response('<html>', { status: 502 }));
    await expect(client.stats()).rejects.toMatchObject({ reason: 'SERVER_UNREACHABLE', retryable: true });
    expect(sent).toHaveLength(3);
  });

  test('a deployment that is saved or moved, with the same key too', async () => {
    const busy = () => problem(503, 'SERVICE_UNAVAILABLE');
    const { client, sent } = answering(busy, fine, busy, fine);
    await client.saveDeployment('acme', { model: 'Dedicated' });
    await client.moveDeployment('acme', { model: 'Shared' }, { idempotencyKey: 'mine' });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toEqual(['name-1', 'name-1', 'mine', 'mine']);
  });

  test('what the platform waits no longer for is told as a time-out, and how to wait longer', async () => {
    const client = new RagstoneClient({
      url: 'http://localhost:1',
      retries: 0,
      // As the `fetch` of Node.js fails after five minutes.
      fetch: async () => {
        const cause = Object.assign(new Error('Headers Timeout Error'), { code: 'UND_ERR_HEADERS_TIMEOUT' });
        throw new TypeError('fetch failed', { cause });
      },
    });
    const failed = client.indexSources();
    await expect(failed).rejects.toMatchObject({ reason: 'REQUEST_TIMEOUT', retryable: true });
    await expect(failed).rejects.toThrow('a `fetch` that waits longer');
  });

  test('as often as the caller says', async () => {
    const { client, sent } = answering();
    await expect(client.stats({ retries: 0 })).rejects.toThrow('http://localhost:1');
    expect(sent).toHaveLength(1);
  });
});

describe('what will not pass is not', () => {
  test('a refusal', async () => {
    const { client, sent } = answering(() => problem(400, 'REQUEST_INVALID', {}, false), fine);
    await expect(client.stats()).rejects.toMatchObject({ reason: 'REQUEST_INVALID' });
    expect(sent).toHaveLength(1);
  });

  test.each([
    [
      'a page',
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      /no Ragstone service/,
    ],
    ['another version', () => Response.json({}, { headers: { 'x-ragstone-api': '2' } }), /version 2/],
    [
      'another address',
      () => new Response(null, { status: 301, headers: { location: 'https://b.example/x?token=1' } }),
      /to https:\/\/b\.example\. Give/,
    ],
  ])('%s', async (_, answer, message) => {
    const { client, sent } = answering(answer, fine);
    const failure = expect(client.stats()).rejects;
    await failure.toThrow(message);
    await failure.toMatchObject({ reason: 'SERVER_INCOMPATIBLE', category: 'config' });
    expect(sent).toHaveLength(1);
  });
});

describe('a stream', () => {
  const stream =
    (...pieces: string[]) =>
    () =>
      new Response(ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece))), {
        headers: { 'content-type': 'text/event-stream' },
      });
  const read = async (client: RagstoneClient) => {
    const events = [];
    for await (const event of client.answerEvents({ question: 'x' })) events.push(event);
    return events;
  };

  test('is tried again until it begins, and read in whatever pieces it comes', async () => {
    const { client } = answering(
      () => problem(503, 'SERVICE_UNAVAILABLE'),
      stream(
        ': hello\r',
        '\nevent: te',
        'xt\ndata: {"text":',
        '"a\\n"}\n\n',
        'event: news\ndata: {}\n\nevent: answer\r\ndata: {"answer":"b"}\r\n\r\n',
      ),
    );
    expect(await read(client)).toEqual([
      { type: 'text', text: 'a\n' },
      { type: 'answer', answer: { answer: 'b' } },
    ]);
  });

  test('that ends in a problem fails with it, and one that breaks off says so', async () => {
    const failed = answering(
      stream(
        'event: error\ndata: {"reason":"CHAT_TIMEOUT","status":504,"detail":"Late.","retryable":true}\n\n',
      ),
    );
    await expect(read(failed.client)).rejects.toMatchObject({ reason: 'CHAT_TIMEOUT', message: 'Late.' });
    const broken = answering(stream('event: text\ndata: {"text":"a"}\n\n'));
    await expect(read(broken.client)).rejects.toMatchObject({ reason: 'SERVER_UNREACHABLE' });
    expect(broken.sent).toHaveLength(1);
  });
});
