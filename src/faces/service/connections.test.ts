import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { loadConfig } from '../../config/load-config.js';
import { createEngine, type Engine, type EngineView, type SearchResponse } from '../../index.js';
import { type RunningService, startService } from './start-service.js';

const FOUND: SearchResponse = {
  query: 'x',
  results: [],
  lanes: [],
  degradationLevel: 0,
  notices: [],
  noticeKinds: [],
  stages: {},
  tookMs: 1,
};

/** A search that goes on until it is let go or stopped. */
interface SlowSearch {
  readonly service: RunningService;
  readonly begun: Promise<void>;
  readonly stopped: Promise<unknown>;
  release(): void;
}

async function slowSearch(stopMs: number, logged: string[] = []): Promise<SlowSearch> {
  const cwd = temporaryFolder();
  const config = await loadConfig({ config: { provider: 'memory', server: { stopMs, maxDelayMs: 0 } }, cwd });
  const engine = await createEngine({ config: { provider: 'memory' }, cwd });
  const begun = withResolvers<void>();
  const stopped = withResolvers<unknown>();
  const released = withResolvers<void>();
  const view = {
    search: async ({ signal }: { signal: AbortSignal }) => {
      begun.resolve();
      const stop = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => {
          stopped.resolve(signal.reason);
          reject(signal.reason as Error);
        }),
      );
      await Promise.race([released.promise, stop]);
      return FOUND;
    },
  } as unknown as EngineView;
  const slow: Engine = Object.assign(Object.create(engine) as Engine, { as: () => view });
  const service = await startService({
    engine: slow,
    config,
    port: 0,
    log: { level: 'info', write: (line) => logged.push(line) },
  });
  return { service, begun: begun.promise, stopped: stopped.promise, release: released.resolve };
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const search = (service: RunningService, init: RequestInit = {}) =>
  fetch(`${service.url}/api/ai/rag/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'x' }),
    ...init,
  });

/** Takes no more connections. */
async function untilRefused({ url }: RunningService): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const isRefused = await new Promise<boolean>((resolve) => {
      const socket = connect(Number(port), hostname);
      socket.once('error', () => resolve(true));
      socket.once('connect', () => {
        socket.destroy();
        resolve(false);
      });
    });
    if (isRefused) return;
  }
}

describe('a request under way', () => {
  test('is told that its time was over, also where its work let no timer have a turn', async () => {
    const cwd = temporaryFolder();
    // A machine at work has no turn for two seconds.
    const config = await loadConfig({ config: { provider: 'memory', server: { maxDelayMs: 0 } }, cwd });
    const engine = await createEngine({ config: { provider: 'memory' }, cwd });
    const view = {
      search: async () => {
        const start = performance.now();
        while (performance.now() - start < 20);
        return FOUND;
      },
    } as unknown as EngineView;
    const busy: Engine = Object.assign(Object.create(engine) as Engine, { as: () => view });
    const service = await startService({ engine: busy, config, port: 0 });
    const asked = async (timeout: string) =>
      (await search(service, { headers: { 'content-type': 'application/json', 'x-timeout-ms': timeout } }))
        .status;
    expect([await asked('10'), await asked('60000')]).toEqual([504, 200]);
    await service.stop();
    await engine.close();
  });

  test('is stopped when its caller goes', async () => {
    const logged: string[] = [];
    const { service, begun, stopped } = await slowSearch(60_000, logged);
    const caller = new AbortController();
    const answer = search(service, { signal: caller.signal }).catch((error: Error) => error.name);
    await begun;
    caller.abort();
    expect(await answer).toBe('AbortError');
    expect(await stopped).toMatchObject({ reason: 'ABORTED' });
    await service.stop();
    expect(logged.join('')).toContain('the caller went away');
    expect(logged.join(''), 'it is no failure of the service').not.toContain('"level":50');
  });

  test('is finished by a service that stops, on a connection that is kept open', async () => {
    const { service, begun, release } = await slowSearch(60_000);
    const answer = search(service);
    await begun;
    const end = service.stop();
    await untilRefused(service);
    release();
    const { status, headers } = await answer;
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    await end;
    await expect(search(service)).rejects.toThrow('fetch failed');
  });

  test('is given up when the service has waited long enough', async () => {
    const { service, begun } = await slowSearch(50);
    const answer = search(service);
    await begun;
    await service.stop();
    const { status } = await answer;
    expect(status).toBe(503);
  });
});

test('a connection that nothing was sent on ends before the service has waited for requests', async () => {
  const { service, begun, stopped, release } = await slowSearch(2_000);
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined).resume();
  await new Promise((resolve) => socket.once('connect', resolve));
  const ends: string[] = [];
  const answer = search(service);
  await begun;
  const closed = new Promise<void>((resolve) =>
    socket.once('close', () => resolve(void ends.push('unused'))),
  );
  void stopped.then(() => ends.push('search'));
  const end = service.stop();
  await closed;
  expect(ends).toEqual(['unused']);
  release();
  await answer;
  await end;
});

test('a caller that sends nothing keeps no service from stopping', async () => {
  const { service } = await slowSearch(50);
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  const head = ['POST /api/ai/rag/search HTTP/1.1', 'host: localhost', 'content-type: application/json'];
  socket.write([...head, 'content-length: 100', '', '{'].join('\r\n'));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined).resume();
  await service.stop();
  await closed;
});

test('a refused request whose body never ends is answered, and its connection closed', async () => {
  const { service } = await slowSearch(50);
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const received: string[] = [];
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined).on('data', (data) => received.push(String(data)));
  socket.write('POST /nowhere HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{');
  await closed;
  expect(received.join('')).toMatch(/^HTTP\/1\.1 404 /);
  await service.stop();
});
