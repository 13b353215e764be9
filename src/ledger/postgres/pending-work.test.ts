import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AT, targetOf } from '../../testing/ledger/records.js';
import type { Ledger } from '../ledger.js';
import { LISTING } from '../pending-work.js';
import { openPostgresLedger } from './postgres-ledger.js';

const connectionString = process.env.RAGSTONE_TEST_POSTGRES_URL;
const OF = { tenant: 'acme', source: 'notes' };
const MINUTE = 60_000;

// What else is so of it the contract of ledgers says.
describe.skipIf(connectionString === undefined)('what is pending (RAGSTONE_TEST_POSTGRES_URL)', () => {
  const schema = `owed_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
  let ledger: Ledger;
  let generation: number;
  let now = 0;

  beforeEach(async () => {
    ledger = await openPostgresLedger({ connectionString, schema, now: () => now });
    await ledger.clear();
    generation = (await ledger.begin(targetOf, AT)).generation;
    await ledger.switchTo(generation, AT);
  });

  afterEach(async () => {
    await ledger.close();
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(`DROP SCHEMA ${schema} CASCADE`);
    await client.end();
  });

  it('is counted with what is held, by the clock of the server', async () => {
    const writer = ledger.writer(generation, 'lister');
    await writer.claim(OF.tenant, OF.source, [LISTING], MINUTE);
    const of = (itemId: string) => ({
      itemId,
      version: '1',
      processingKey: 'k',
      batch: itemId,
      listedAt: AT,
    });
    await writer.pendingWork?.add(OF, [of('a'), of('b')]);
    const worker = ledger.writer(generation, 'worker');
    now = Date.now();
    await worker.claim(OF.tenant, OF.source, ['a'], MINUTE);
    expect(await writer.pendingWork?.counts()).toEqual([{ ...OF, items: 2, held: 1, batches: 2, since: AT }]);
  });
});
