import { describe, expect, test } from 'vitest';
import { RagDeploymentModel } from '../../../index.js';
import { connectedRedis, freePort, hasRedis, startRedis } from '../../../platform/redis/test-redis.js';
import { IdempotentWrites } from '../requests/idempotent-writes.js';
import { RedisValues } from './redis-values.js';
import { MemoryValues, RETENTION_LIMITS, type RetainedPlace } from './retained-values.js';

const SHARED = { deploymentId: 'shared', deploymentModel: RagDeploymentModel.Shared };

const HOUR = 3_600_000;
const place = (key: string, tenant = 'acme'): RetainedPlace => ({ kind: 'write', tenant, key });

describe.runIf(hasRedis())('what is kept in a real Redis', () => {
  async function twoServices() {
    const port = await freePort();
    const server = await startRedis(port);
    const [first, second] = [await connectedRedis(port), await connectedRedis(port)];
    await expect.poll(() => [first.told.at(-1), second.told.at(-1)]).toEqual([true, true]);
    const values = [first, second].map(({ redis }) => new RedisValues(redis, new MemoryValues()));
    const [one, other] = values as [RedisValues, RedisValues];
    return { port, server, told: first.told, one, other };
  }

  test('is found by its tenant, kind and key alone, and claimed by one of two services', async () => {
    const { one, other } = await twoServices();
    await one.set(place('k'), 'one', HOUR);
    expect(await other.get(place('k'))).toBe('one');
    expect(await other.get(place('k', 'globex'))).toBeUndefined();
    expect(await other.get({ ...place('k'), kind: 'shown' })).toBeUndefined();
    const claims = [one, other, one, other].map((values, n) => values.claim(place('new'), `${n}`, HOUR));
    const outcomes = await Promise.all(claims);
    const winner = outcomes.indexOf(undefined);
    expect(outcomes.filter((outcome) => outcome !== undefined)).toEqual(Array(3).fill(`${winner}`));
    await one.remove(place('k'));
    expect(await other.claim(place('k'), '\0€', HOUR)).toBeUndefined();
    expect(await one.get(place('k'))).toBe('\0€');
    await one.set(place('huge'), 'x'.repeat(RETENTION_LIMITS.write.characters + 1), HOUR);
    expect(await one.get(place('huge'))).toBeUndefined();
    await one.set(place('over'), 'x', 1);
    await expect.poll(() => other.get(place('over'))).toBeUndefined();
  });

  test('has a write done once by all', async () => {
    const { one, other } = await twoServices();
    let done = 0;
    const work = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      done += 1;
      return { id: `${done}` };
    };
    const writes = [one, other].map((values) => new IdempotentWrites(values));
    const runs = [...writes, ...writes].map((one) =>
      one.run({ tenant: 'acme', deployment: SHARED, key: 'k', content: 'body', work }),
    );
    expect(await Promise.all(runs)).toEqual(Array(4).fill({ id: '1' }));
    expect(done).toBe(1);
  });

  test('is kept by each service while the server is gone, and found again behind it', async () => {
    const { port, server, told, one, other } = await twoServices();
    await one.set(place('before'), 'kept', HOUR);
    server.kill('SIGKILL');
    await expect.poll(() => told.at(-1)).toBe(false);
    await one.set(place('alone'), 'own', HOUR);
    expect(await one.get(place('alone'))).toBe('own');
    expect(await other.get(place('alone'))).toBeUndefined();
    await startRedis(port);
    await expect.poll(() => told.at(-1)).toBe(true);
    await one.set(place('after'), 'shared', HOUR);
    await expect.poll(() => other.get(place('after'))).toBe('shared');
  });
});
