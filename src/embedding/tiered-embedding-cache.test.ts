import fc from 'fast-check';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { redisShelf } from '../platform/redis/redis-shelf.js';
import { connectedRedis, freePort, hasRedis, startRedis } from '../platform/redis/test-redis.js';
import { createHashEmbedder } from '../testing/hash-embedder.js';
import { queryCacheOver } from './cached-embedder.js';
import { openEmbeddingCache } from './disk-embedding-cache.js';
import { cacheKeyer, type EmbeddingCache } from './embedding-cache.js';
import { sharedKeyOf, tieredEmbeddingCache } from './tiered-embedding-cache.js';

const { identity } = createHashEmbedder();
const keyOf = cacheKeyer(identity, 'document', 'acme');

async function openHost(port: number): Promise<EmbeddingCache> {
  const { redis } = await connectedRedis(port);
  const local = openEmbeddingCache({ folder: temporaryFolder(), maxMegabytes: 1 });
  const cache = tieredEmbeddingCache(local, redisShelf(redis, 'the cache of vectors'));
  onTestFinished(() => cache.close());
  return cache;
}

describe.skipIf(!hasRedis())('vectors that hosts share by Redis', () => {
  test('are found by the other host, as they were', async () => {
    const port = await freePort();
    await startRedis(port);
    const [one, other] = [await openHost(port), await openHost(port)];
    const vector = Float32Array.of(0.25, -1, Math.fround(1 / 3));
    await one.setMany([[keyOf('a'), vector]]);
    expect(await other.getMany([keyOf('b'), keyOf('a')], 3)).toEqual([undefined, vector]);
    const { redis } = await connectedRedis(port);
    const client = redis.client as {
      ttl(key: string): Promise<number>;
      strlen(key: string): Promise<number>;
    };
    expect(sharedKeyOf(keyOf('a'))).toMatch(/^sdap:embedding:[A-Za-z0-9+/]{43}=$/);
    expect(await client.ttl(sharedKeyOf(keyOf('a')))).toBeGreaterThan(604_700);
    expect(await client.strlen(sharedKeyOf(keyOf('a')))).toBe(12);
  });

  test('that somebody else wrote there and that are none are not used', async () => {
    const port = await freePort();
    await startRedis(port);
    const { redis } = await connectedRedis(port);
    const client = redis.client as { set(key: string, value: Buffer): Promise<unknown> };
    const notANumber = Buffer.from(Float32Array.of(1, Number.NaN, 2).buffer);
    for (const bytes of [Buffer.from('short'), notANumber, Buffer.alloc(16)]) {
      await client.set(sharedKeyOf(keyOf('a')), bytes);
      expect(await (await openHost(port)).getMany([keyOf('a')], 3)).toEqual([undefined]);
    }
  });

  test('are misses while the server is gone, with one warning, and are found again when it is back', async () => {
    const port = await freePort();
    const server = await startRedis(port);
    const host = await openHost(port);
    server.kill('SIGKILL');
    await new Promise((gone) => server.once('exit', gone));
    await expect.poll(async () => (await host.getMany([keyOf('a')], 1))[0]).toBeUndefined();
    await host.setMany([[keyOf('a'), Float32Array.of(1)]]);
    expect(await host.getMany([keyOf('a')], 1)).toEqual([Float32Array.of(1)]);
    await host.getMany([keyOf('b')], 1);
    expect(host.warnings?.()).toHaveLength(1);
    await host.getMany([keyOf('b')], 1);
    expect(host.warnings?.()).toEqual([]);
    await startRedis(port);
    const other = await openHost(port);
    await expect
      .poll(async () => {
        await host.setMany([[keyOf('c'), Float32Array.of(2)]]);
        return (await other.getMany([keyOf('c')], 1))[0];
      })
      .toEqual(Float32Array.of(2));
  });

  test('of queries are asked for once by all hosts, and by each scope for itself', async () => {
    const port = await freePort();
    await startRedis(port);
    const asked: string[] = [];
    const model = createHashEmbedder();
    const embedder: typeof model = {
      ...model,
      isCheap: false,
      countTokens: (text) => model.countTokens(text),
      close: () => model.close(),
      doEmbed: (texts, ...rest) => {
        asked.push(...texts);
        return model.doEmbed(texts, ...rest);
      },
    };
    const hosts = [await openHost(port), await openHost(port)].map((kept) =>
      queryCacheOver(embedder, { kept }),
    );
    const vectors = [];
    for (const host of hosts) vectors.push(await host('a').doEmbed(['quokka'], 'query'));
    expect(vectors[0]).toEqual(vectors[1]);
    expect(asked).toEqual(['quokka']);
    await hosts[1]?.('b').doEmbed(['quokka'], 'query');
    expect(asked).toEqual(['quokka', 'quokka']);
  });
});

describe('names of vectors', () => {
  it('differ wherever model, kind, owner or text differ', () => {
    const part = fc.record({
      model: fc.string(),
      kind: fc.constantFrom('query' as const, 'document' as const),
      owner: fc.option(fc.string(), { nil: undefined }),
      text: fc.string(),
    });
    const nameOf = ({
      model,
      kind,
      owner,
      text,
    }: {
      model: string;
      kind: 'query' | 'document';
      owner: string | undefined;
      text: string;
    }) => sharedKeyOf(cacheKeyer({ ...identity, model }, kind, owner)(text));
    fc.assert(
      fc.property(part, part, (a, b) => {
        const isSame = a.model === b.model && a.kind === b.kind && a.owner === b.owner && a.text === b.text;
        expect(nameOf(a) === nameOf(b)).toBe(isSame);
      }),
    );
  });
});
