import assert from 'node:assert/strict';
import { EVERYTHING, eq, oneOf, range } from '../../core/filter.js';
import type { ContractPart } from './contract.js';
import { idsOf, randomVector, record, seededRandom } from './records.js';

const ROWS = 10_000;
const idAt = (i: number): string => `r${String(i).padStart(5, '0')}`;

/** One batch of 10,000 records and what is done with so many. */
export const testLargeBatches: ContractPart = (test) => {
  test('10,000 records are written in one batch, found, replaced and deleted', async ({ open, settle }) => {
    const random = seededRandom(7);
    const records = Array.from({ length: ROWS }, (_, i) =>
      record(idAt(i), {
        vector: randomVector(random),
        documentId: `d${i % 100}`,
        metadata: { i },
        searchText: `common n${i}`,
      }),
    );
    const collection = await open();
    await collection.upsert(records);
    await settle();
    assert.equal(await collection.count(EVERYTHING), ROWS);
    await collection.upsert(records.slice(0, 5_000).map((r) => ({ ...r, content: 'replaced' })));
    await settle();
    assert.equal(await collection.count(EVERYTHING), ROWS);
    await collection.optimize();
    await settle();

    const wanted = [idAt(4_999), idAt(5_000)];
    assert.deepEqual(
      (await collection.get(wanted)).map(({ content }) => content),
      ['replaced', `Content of ${idAt(5_000)}`],
    );
    const everyId = records.map(({ id }) => id);
    assert.equal((await collection.get(everyId)).length, ROWS);
    assert.equal(await collection.count(oneOf('$chunkId', everyId)), ROWS);
    assert.equal(await collection.count(range('i', { gte: 9_000, lt: 9_500 })), 500);
    const hits = await collection.searchText?.({ terms: ['n7777'], topK: 10, filter: EVERYTHING });
    if (hits !== undefined) assert.deepEqual(idsOf(hits), [idAt(7_777)]);
    assert.equal(await collection.delete(eq('$documentId', 'd7')), ROWS / 100);
    await settle();
    assert.equal(await collection.count(EVERYTHING), ROWS - ROWS / 100);
  });

  test('every record is listed once over many pages', async ({ open, settle }) => {
    const collection = await open();
    const ids = Array.from({ length: 2_000 }, (_, i) => idAt(i));
    await collection.upsert(ids.toReversed().map((id) => record(id)));
    await settle();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await collection.list({
        filter: EVERYTHING,
        limit: 300,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...idsOf(page.chunks));
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.deepEqual(seen, ids);
  });
};
