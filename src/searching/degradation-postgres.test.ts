import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { withTestServer } from '../../tests/with-test-server.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';
import { FaultyProxy } from '../testing/faulty-proxy.js';

const STATIC = [{ text: 'Call the desk.' }];
const A = { tenant: 'a', groups: ['hr'] };
/** Opening, lanes and reading, each up to the deadline, on a busy machine. */
const PATIENCE_MS = 6_000;

withTestServer(
  { describe, it },
  { store: 'postgres', variable: 'RAGSTONE_TEST_POSTGRES_URL', contract: 'outages of a real server' },
  (url) => {
    describe.each(['cut', 'silent', 'slow'] as const)('PostgreSQL that is %s', (mode) => {
      const start = async (ledger: 'sqlite' | 'postgres') => {
        const { hostname, port, username, password, pathname } = new URL(url);
        const proxy = await FaultyProxy.start(
          { host: hostname, port: Number(port || 5432) },
          { delayMs: 900 },
        );
        onTestFinished(() => proxy.stop());
        const login = `${username}${password === '' ? '' : `:${password}`}`;
        const address = `postgres://${login}@127.0.0.1:${proxy.port}${pathname}`;
        const namespace = `outage_${randomUUID().slice(0, 8)}`;
        const cwd = temporaryFolder();
        const open = async (): Promise<Engine> => {
          const engine = await createEngine({
            cwd,
            config: {
              provider: 'postgres',
              storage: { server: { url: address, namespace } },
              ...(ledger === 'postgres'
                ? { ledger: { type: 'postgres', url: address, namespace: `${namespace}_l` } }
                : {}),
              degradation: { failures: 2, retryAfterMs: 500, slowStoreMs: 400, static: STATIC },
              retrieval: { laneDeadlineMs: 1_500 },
            },
          });
          onTestFinished(() => engine.close());
          return engine;
        };
        return { proxy, open };
      };

      /** The level that searches come to and keep, and the last response. */
      const settle = async (engine: Engine, level: number) => {
        for (let turn = 0; ; turn++) {
          const response = await engine.search('quokka', A);
          expect(response.tookMs).toBeLessThan(PATIENCE_MS);
          if (response.degradationLevel === level) return response;
          expect(turn).toBeLessThan(30);
          await new Promise((resolve) => setTimeout(resolve, 150));
        }
      };

      it('leaves the copy of words, also to an engine that starts then, and is used again', async () => {
        const { proxy, open } = await start('sqlite');
        const engine = await open();
        await engine.push([{ id: 'x', text: 'The quokka.', access: { groups: ['hr'] } }], A);
        await engine.push([{ id: 'y', text: 'The quokka of it.', access: { groups: ['it'] } }], {
          tenant: 'a',
          groups: ['it'],
        });
        const sources = ({ results }: Awaited<ReturnType<Engine['search']>>) =>
          results.map(({ metadata }) => metadata.source);
        expect(sources(await settle(engine, 0))).toEqual(['x']);
        proxy.mode = mode;
        for (const one of [engine, await open()]) {
          const words = await settle(one, 3);
          expect(words.degradation?.parts).toEqual(['store']);
          expect(sources(words)).toEqual(['x']);
          expect((await one.search('quokka', { tenant: 'b' })).results).toEqual([]);
        }
        proxy.mode = 'pass';
        await settle(engine, 0);
      });

      it.skipIf(mode === 'slow')('with the ledger on it leaves the static texts', async () => {
        const { proxy, open } = await start('postgres');
        const engine = await open();
        await engine.push([{ id: 'x', text: 'The quokka.', access: { groups: ['hr'] } }], A);
        await settle(engine, 0);
        proxy.mode = mode;
        for (const one of [engine, await open()]) {
          const said = await settle(one, 4);
          expect(said).toMatchObject({ results: [], staticResponses: [{ text: 'Call the desk.' }] });
        }
        proxy.mode = 'pass';
        await settle(engine, 0);
      });
    });
  },
);
