import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { waitFor } from '../../../../tests/wait-for.js';
import { loadConfig } from '../../../config/load-config.js';
import { createEngine, type Engine, type EngineView } from '../../../index.js';
import { startService } from '../start-service.js';

const BODY = JSON.stringify({ query: 'x', minScore: 0 });
const SEARCH = `POST /api/ai/rag/search HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;
const DOCS = 'GET /docs HTTP/1.1\r\nhost: localhost\r\n\r\n';

interface GatedService {
  readonly url: string;
  /** Searches that were begun, by what lets each go on. */
  readonly begun: (() => void)[];
  readonly isHealthy: () => Promise<boolean>;
  readonly open: () => Socket;
}

/** A service without keys whose searches wait to be let go on. */
async function gatedService(): Promise<GatedService> {
  const cwd = temporaryFolder();
  const config = await loadConfig({
    config: { provider: 'memory', server: { stopMs: 0, maxDelayMs: 0 } },
    cwd,
  });
  const engine = await createEngine({ config: { provider: 'memory' }, cwd });
  const begun: (() => void)[] = [];
  const view = {
    search: async () => {
      await new Promise<void>((goOn) => begun.push(goOn));
      return {
        query: 'x',
        results: [],
        lanes: [],
        degradationLevel: 0,
        notices: [],
        noticeKinds: [],
        stages: {},
        tookMs: 1,
      };
    },
  } as unknown as EngineView;
  const gated: Engine = Object.assign(Object.create(engine) as Engine, { as: () => view });
  const service = await startService({ engine: gated, config, port: 0 });
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    for (const goOn of begun) goOn();
    await service.stop();
    await engine.close();
  });
  const { hostname, port } = new URL(service.url);
  return {
    url: service.url,
    begun,
    isHealthy: async () => (await fetch(`${service.url}/health/rag/live`)).status === 200,
    open: () => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      sockets.push(socket);
      return socket;
    },
  };
}

describe('requests of one connection', () => {
  test('are begun one after another, each when the answers before it were taken', async () => {
    const { begun, open, isHealthy } = await gatedService();
    const socket = open();
    let said = '';
    socket.on('data', (part) => (said += String(part)));
    socket.write(SEARCH.repeat(3));
    for (let answered = 0; answered < 3; answered += 1) {
      await waitFor(() => expect(begun.length).toBeGreaterThan(answered));
      expect(await isHealthy()).toBe(true);
      expect(begun).toHaveLength(answered + 1);
      begun[answered]?.();
    }
    await waitFor(() => expect(said.split('HTTP/1.1 200')).toHaveLength(4));
  });

  test('are not begun where their connection was closed meanwhile', async () => {
    const { begun, open, isHealthy } = await gatedService();
    const socket = open();
    socket.write(SEARCH.repeat(3));
    await waitFor(() => expect(begun).toHaveLength(1));
    socket.destroy();
    await once(socket, 'close');
    begun[0]?.();
    for (let turn = 0; turn < 5; turn += 1) expect(await isHealthy()).toBe(true);
    expect(begun).toHaveLength(1);
  });

  test('hold no place of those that may be under way while they wait, nor after they are gone', async () => {
    const { begun, open, url } = await gatedService();
    for (let turn = 0; turn < 20; turn += 1) {
      const socket = open();
      socket.write(SEARCH.repeat(30));
      await waitFor(() => expect(begun).toHaveLength(turn + 1));
      socket.destroy();
    }
    const search = fetch(`${url}/api/ai/rag/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: BODY,
    });
    await waitFor(() => expect(begun).toHaveLength(21));
    begun[20]?.();
    expect((await search).status).toBe(200);
  });

  test.each([
    ['searches', SEARCH],
    ['the page of the routes', DOCS],
    ['what is no route', 'GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['the health', 'GET /health/rag HTTP/1.1\r\nhost: localhost\r\n\r\n'],
  ])('that are too many at once (%s) close it, and the health is answered', async (_, request) => {
    const { begun, open, isHealthy } = await gatedService();
    const socket = open();
    socket.pause();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(request.repeat(1_500));
    await waitFor(async () => {
      expect(await isHealthy()).toBe(true);
      // A socket that reads nothing learns by writing.
      socket.write(request);
      expect(socket.destroyed).toBe(true);
    });
    await closed;
    expect(begun.length).toBeLessThanOrEqual(1);
  });
});
