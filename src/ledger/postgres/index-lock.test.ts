import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Ledger } from '../ledger.js';
import type { LockSubject } from '../lock.js';
import { openPostgresLedger } from './postgres-ledger.js';

const connectionString = process.env.RAGSTONE_TEST_POSTGRES_URL;

describe.skipIf(connectionString === undefined)('the lock of a server (RAGSTONE_TEST_POSTGRES_URL)', () => {
  let schema: string;
  let ours: Ledger;
  let theirs: Ledger;

  beforeEach(async () => {
    schema = `lock_${randomUUID().replaceAll('-', '')}`;
    ours = await openPostgresLedger({ connectionString, schema });
    theirs = await openPostgresLedger({ connectionString, schema });
  });

  afterEach(async () => {
    await ours.close();
    await theirs.close();
    await execute(`DROP SCHEMA ${schema} CASCADE`);
  });

  const lock = async (ledger: Ledger, subject: LockSubject, waitMs = 0, signal?: AbortSignal) => {
    const held = await ledger.lock?.({ subject, command: `ragstone ${subject}`, waitMs, signal });
    if (held === undefined) throw new Error('There is no lock.');
    return held;
  };

  it.each([
    ['items', 'items', true],
    ['items', 'whole', false],
    ['whole', 'items', false],
    ['whole', 'whole', false],
    ['whole', 'learning', true],
    ['learning', 'learning', false],
  ] as const)('%s beside %s: %s', async (first, second, isFree) => {
    const held = await lock(ours, first);
    const attempt = lock(theirs, second);
    if (isFree) await (await attempt).release();
    else
      await expect(attempt).rejects.toMatchObject({
        reason: 'INDEX_LOCKED',
        message: expect.stringContaining(`ragstone ${first} (process ${process.pid} on`) as string,
      });
    await held.release();
    await (await lock(theirs, second)).release();
  });

  it('leaves connections for work, however many hold it or wait for it', async () => {
    const many = await openPostgresLedger({ connectionString, schema, poolSize: 2, timeoutMs: 3_000 });
    const held = await Promise.all([1, 2].map(() => lock(many, 'items')));
    const waiting = [1, 2, 3].map(() => lock(many, 'whole', 60_000));
    expect(await many.live()).toBeUndefined();
    for (const one of held) await one.release();
    await Promise.all(waiting.map(async (one) => (await one).release()));
    await many.close();
  });

  it('is got where the server has no connection left for a moment', async () => {
    const role = `few_${randomUUID().replaceAll('-', '')}`;
    await execute(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 2; GRANT ALL ON DATABASE postgres TO ${role};
      CREATE SCHEMA AUTHORIZATION ${role}`);
    const url = new URL(connectionString ?? '');
    url.username = role;
    const few = await openPostgresLedger({
      connectionString: url.href,
      schema: role,
      poolSize: 1,
      retries: 0,
    });
    await few.live();
    const last = new pg.Client({ connectionString: url.href });
    await last.connect();
    const connecting = vi.spyOn(pg.Pool.prototype, 'connect');
    const locking = lock(few, 'items');
    await vi.waitUntil(() => connecting.mock.results.length > 0, { timeout: 60_000 });
    await expect(connecting.mock.results[0]?.value).rejects.toMatchObject({ code: '53300' });
    connecting.mockRestore();
    await last.end();
    await (await locking).release();
    await few.close();
    await execute(`DROP SCHEMA ${role} CASCADE; DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it('is waited for, until the wait is over or cancelled', async () => {
    const held = await lock(ours, 'whole');
    await expect(lock(theirs, 'items', 150)).rejects.toMatchObject({ reason: 'INDEX_LOCKED' });
    const cancelled = lock(theirs, 'items', 60_000, AbortSignal.timeout(50));
    await expect(cancelled).rejects.toMatchObject({ reason: 'ABORTED' });
    const waiting = lock(theirs, 'items', 60_000);
    await held.release();
    await (await waiting).release();
  });

  it('is left by those that give way to who waits for the whole, and by nobody else', async () => {
    const givesWay = { subject: 'items', command: 'ragstone worker', waitMs: 300, givesWay: true } as const;
    const working = await lock(ours, 'items');
    await (await theirs.lock?.(givesWay))?.release();
    const whole = lock(theirs, 'whole', 60_000);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await expect(ours.lock?.(givesWay)).rejects.toMatchObject({ reason: 'INDEX_LOCKED' });
    await (await lock(ours, 'items')).release();
    await working.release();
    await (await whole).release();
    await (await ours.lock?.(givesWay))?.release();
    // Who waited in vain leaves no mark.
    const again = await lock(ours, 'items');
    await expect(lock(theirs, 'whole', 150)).rejects.toMatchObject({ reason: 'INDEX_LOCKED' });
    await (await theirs.lock?.(givesWay))?.release();
    await again.release();
  });

  it('is apart for each schema', async () => {
    const other = `${schema}_b`;
    const elsewhere = await openPostgresLedger({ connectionString, schema: other });
    const held = await lock(ours, 'whole');
    await (await lock(elsewhere, 'whole')).release();
    await held.release();
    await elsewhere.close();
    await execute(`DROP SCHEMA ${other} CASCADE`);
  });

  it('that the server has freed tells its holder, and others get it', async () => {
    const held = await lock(ours, 'whole');
    await execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'ragstone whole (%'",
    );
    await (await lock(theirs, 'whole', 5_000)).release();
    await new Promise((resolve) => held.lost?.addEventListener('abort', resolve));
    expect(held.lost?.reason).toMatchObject({ reason: 'INDEX_UNAVAILABLE' });
    await held.release();
  });
});

async function execute(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(sql);
  await client.end();
}
