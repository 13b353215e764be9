import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AT, targetOf } from '../../testing/ledger/records.js';
import { type GenerationWriter, type Ledger, LISTING, type OwedItem } from '../ledger.js';
import { openPostgresLedger } from './postgres-ledger.js';

const connectionString = process.env.RAGSTONE_TEST_POSTGRES_URL;
const OF = { tenant: 'acme', source: 'notes' };
const MINUTE = 60_000;

describe.skipIf(connectionString === undefined)('what is owed (RAGSTONE_TEST_POSTGRES_URL)', () => {
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

  const owedBy = (writer: GenerationWriter) => {
    if (writer.owed === undefined) throw new Error('Nothing can be owed.');
    return writer.owed;
  };

  async function lister(name = 'lister'): Promise<GenerationWriter> {
    const writer = ledger.writer(generation, name);
    await writer.claim(OF.tenant, OF.source, [LISTING], MINUTE);
    return writer;
  }

  const item = (itemId: string, version?: string, more: Partial<OwedItem> = {}): Omit<OwedItem, 'begun'> => ({
    itemId,
    ...(version === undefined ? {} : { version }),
    processingKey: 'k',
    batch: 'b1',
    listedAt: AT,
    ...more,
  });

  const left = async (writer: GenerationWriter): Promise<[string, string | undefined][]> =>
    (await owedBy(writer).items(OF.tenant, OF.source)).map(({ itemId, version }) => [itemId, version]);

  const itemKey = (itemId: string) => ({ ...OF, itemId });

  it('is struck out by what deals with it in that version, and by nothing else', async () => {
    const writer = await lister();
    await owedBy(writer).owe(OF, [item('a', '1'), item('b', '1'), item('c'), item('d', '1'), item('e')]);
    await owedBy(writer).owe(OF, [item('b', '2', { batch: 'b2' })]);
    await writer.completeItems([
      { ...itemKey('a'), version: '1', processingKey: 'k' },
      { ...itemKey('b'), version: '1', processingKey: 'k' },
    ]);
    await writer.forgetItems(OF.tenant, OF.source, ['c', 'd']);
    await writer.failItem(itemKey('e'), { reason: 'DOCUMENT_INVALID', message: 'no', at: AT, version: '1' });
    expect(await left(writer)).toEqual([
      ['b', '2'],
      ['d', '1'],
      ['e', undefined],
    ]);
    await writer.failItem(itemKey('d'), { reason: 'DOCUMENT_INVALID', message: 'no', at: AT, version: '1' });
    await owedBy(writer).settle(OF.tenant, OF.source, [{ itemId: 'e' }, { itemId: 'b', version: '1' }]);
    expect(await left(writer)).toEqual([['b', '2']]);
  });

  it('is counted by source, with what is held and the oldest, and named by batch', async () => {
    const writer = await lister();
    const later = '2026-12-01T00:00:00.000Z';
    await owedBy(writer).owe({ ...OF, project: 'p' }, [
      item('a', '1'),
      item('b', '1', { batch: 'b0', listedAt: later }),
    ]);
    const worker = ledger.writer(generation, 'worker');
    now = Date.now();
    await worker.claim(OF.tenant, OF.source, ['a'], MINUTE);
    expect(await owedBy(writer).counts()).toEqual([{ ...OF, items: 2, held: 1, batches: 2, since: AT }]);
    expect(await owedBy(writer).batches(10)).toEqual([
      { ...OF, project: 'p', batch: 'b1' },
      { ...OF, project: 'p', batch: 'b0' },
    ]);
    expect(await owedBy(writer).batches(10, { ...OF, source: 'other' })).toEqual([]);
    expect(await owedBy(writer).batchCount()).toBe(2);
    expect(await owedBy(writer).items(OF.tenant, OF.source, { batch: 'b0' })).toMatchObject([
      { itemId: 'b' },
    ]);
  });

  it('counts beginnings, and forgets them with a new version', async () => {
    const writer = await lister();
    const owed = owedBy(writer);
    const begun = async () => (await owed.items(OF.tenant, OF.source)).map((one) => one.begun);
    await owed.owe(OF, [item('a', '1'), item('b', '1')]);
    await owed.begin(OF.tenant, OF.source, ['a', 'b'], 1);
    await owed.begin(OF.tenant, OF.source, ['a'], 1);
    await owed.begin(OF.tenant, OF.source, ['b'], -1);
    await owed.begin(OF.tenant, OF.source, ['b'], -1);
    expect(await begun()).toEqual([2, 0]);
    await owed.owe(OF, [item('a', '2')]);
    expect(await begun()).toEqual([0, 0]);
  });

  it('is written by who lists the source now, and by no older listing', async () => {
    const old = await lister('old');
    now += 2 * MINUTE;
    const young = await lister('young');
    await owedBy(young).owe(OF, [item('a', '2')]);
    await expect(owedBy(old).owe(OF, [item('a', '1')])).rejects.toMatchObject({ reason: 'INDEX_LEASE_LOST' });
    expect(await left(young)).toEqual([['a', '2']]);
  });

  it('goes with its generation, its source, and the whole', async () => {
    const writer = await lister();
    await owedBy(writer).owe(OF, [item('a', '1')]);
    await owedBy(writer).owe({ ...OF, source: 'notes' }, [item('b', '1')]);
    await writer.forgetSource(OF.tenant, OF.source);
    expect(await left(writer)).toEqual([]);
    await owedBy(writer).owe(OF, [item('a', '1')]);
    const next = (await ledger.begin(targetOf, AT)).generation;
    await ledger.switchTo(next, AT);
    expect(await ledger.reader(next).owed?.counts()).toEqual([]);
    await ledger.drop(generation);
    expect(await left(writer)).toEqual([]);
  });
});
