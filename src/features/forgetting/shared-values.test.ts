import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import type { RAGConfigInput } from '../../config/schema/index.js';
import { createEngine } from '../../engine/create-engine.js';
import { RedisValues } from '../../faces/service/retained/redis-values.js';
import { MemoryValues } from '../../faces/service/retained/retained-values.js';
import type { Engine } from '../../operations/engine.js';
import { connectedRedis, freePort, hasRedis, startRedis } from '../../platform/redis/test-redis.js';

const HOUR = 3_600_000;
const KEY = { id: 'one', key: randomBytes(32).toString('base64') };
const ANN = { id: 'ann', text: 'Ann keeps the gate.', metadata: { reporter: 'zirconflorin' } };
const DONE = (outcome: unknown): string => JSON.stringify({ fingerprint: 'f', isDone: true, outcome });
const BEGUN = JSON.stringify({ fingerprint: 'f', isDone: false });

describe.runIf(hasRedis())('a Redis server that others share', () => {
  async function shared() {
    const port = await freePort();
    const server = await startRedis(port);
    const { redis: connection } = await connectedRedis(port);
    const folder = temporaryFolder();
    const withEngine = async (config: RAGConfigInput, work: (engine: Engine) => Promise<void>) => {
      const options = { cwd: folder, dataDir: join(folder, 'data') };
      const engine = await createEngine({ ...options, config: { provider: 'libsql', ...config } });
      await work(engine).finally(() => engine.close());
    };
    const reader = new Redis(port).on('error', () => undefined);
    onTestFinished(() => reader.disconnect());
    /** Names of keys whose values hold a word. */
    const keysWith = async (word: string): Promise<string[]> => {
      const keys = await reader.keys('*');
      const values = keys.length === 0 ? [] : await reader.mget(keys);
      return keys.filter((_, at) => values[at]?.includes(word));
    };
    const values = new RedisValues(connection, new MemoryValues());
    return { server, url: `redis://127.0.0.1:${port}`, withEngine, keysWith, values };
  }

  const ENCRYPTED: RAGConfigInput = { security: { encryption: { fields: ['reporter'], keys: [KEY] } } };
  const WAYS: Readonly<
    Record<string, { readonly enabled: boolean; readonly work: (engine: Engine) => Promise<unknown> }>
  > = {
    'a rotation after a field was marked': { enabled: true, work: (engine) => engine.rotateEncryption() },
    'a forgetting after the cache was switched off': {
      enabled: false,
      work: (engine) => engine.forget({ documents: ['ann'] }),
    },
    'a clearing': { enabled: true, work: (engine) => engine.clear() },
  };

  test.each(Object.entries(WAYS))('results that stand there are gone after %s', async (what, way) => {
    const { url, withEngine, keysWith } = await shared();
    await withEngine({ retrieval: { cache: { redis: url, enabled: true } } }, async (engine) => {
      await engine.push([ANN]);
      await engine.search('gate');
    });
    expect(await keysWith('zirconflorin')).toEqual([expect.stringContaining('ragstone:query:')]);
    const config = { retrieval: { cache: { redis: url, enabled: way.enabled } } };
    await withEngine({ ...config, ...(what.includes('marked') ? ENCRYPTED : {}) }, async (engine) => {
      await way.work(engine);
    });
    expect(await keysWith('zirconflorin')).toEqual([]);
  });

  test('what a service keeps of a tenant is forgotten; of others, and of writes under way, it stays', async () => {
    const { url, withEngine, keysWith, values } = await shared();
    const keep = (kind: 'shown' | 'write', tenant: string, value: string, key = value) =>
      values.set({ kind, tenant, key }, value, HOUR);
    await keep('shown', 'default', JSON.stringify({ question: 'Where is Zirconflorin?' }));
    await keep('write', 'default', DONE([{ id: 'zirconflorin.md', error: 'No Zirconflorin.' }]));
    await keep('write', 'default', BEGUN, 'under way');
    await keep('shown', 'globex', JSON.stringify({ question: 'Who is Zirconflorin?' }));
    await withEngine({ server: { redis: url } }, async (engine) => {
      await engine.push([ANN]);
      const { removed } = await engine.forget({ documents: ['ann'] });
      expect(removed).toContainEqual({ place: 'shown results', what: 'requests', count: 1 });
      expect(removed).toContainEqual({ place: 'outcomes of writes', what: 'requests', count: 1 });
    });
    expect(await keysWith('irconflorin')).toHaveLength(1);
    expect(await values.get({ kind: 'write', tenant: 'default', key: 'under way' })).toBe(BEGUN);
  });

  test('a forgetting goes on when the server answers again', async () => {
    const { server, url, withEngine } = await shared();
    await withEngine({ server: { redis: url } }, async (engine) => {
      await engine.push([ANN]);
      server.kill('SIGKILL');
      await expect(engine.forget({ documents: ['ann'] })).rejects.toMatchObject({
        reason: 'SERVICE_UNAVAILABLE',
        message: expect.stringContaining('rag.server.redis') as string,
      });
      await startRedis(Number(new URL(url).port));
      expect(await engine.resumeForgetting()).toEqual([]);
    });
  });
});
