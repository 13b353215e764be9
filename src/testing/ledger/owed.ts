import assert from 'node:assert/strict';
import type { GenerationWriter } from '../../ledger/ledger.js';
import { LISTING, type OwedItem, type OwedWriter } from '../../ledger/owed.js';
import type { LedgerContext, LedgerPart } from './contract.js';
import { AT, LATER, losesLease, MINUTE, SOURCE, TENANT, targetOf } from './records.js';

const OF = { tenant: TENANT, source: SOURCE };

/** What is listed and not done; nothing is asked of a ledger that no hosts share. */
export const testOwed: LedgerPart = (test) => {
  const owing = (
    title: string,
    run: (context: LedgerContext & { readonly owed: OwedWriter }) => Promise<void>,
  ): void =>
    test(title, async (context) => {
      const { owed } = context.writer;
      if (owed === undefined) return;
      await context.writer.claim(TENANT, SOURCE, [LISTING], MINUTE);
      await run({ ...context, owed });
    });

  owing('is struck out by what deals with it in that version, and by nothing else', async (context) => {
    const { owed, writer } = context;
    await owed.owe(OF, [item('a', '1'), item('b', '1'), item('c'), item('d', '1'), item('e')]);
    await owed.owe(OF, [item('b', '2', { batch: 'b2' })]);
    await writer.completeItems([
      { ...itemKey('a'), version: '1', processingKey: 'k' },
      { ...itemKey('b'), version: '1', processingKey: 'k' },
    ]);
    await writer.forgetItems(TENANT, SOURCE, ['c', 'd']);
    await writer.failItem(itemKey('e'), { reason: 'DOCUMENT_INVALID', message: 'no', at: AT, version: '1' });
    assert.deepEqual(await left(writer), [
      ['b', '2'],
      ['d', '1'],
      ['e', undefined],
    ]);
    await writer.failItem(itemKey('d'), { reason: 'DOCUMENT_INVALID', message: 'no', at: AT, version: '1' });
    await owed.settle(TENANT, SOURCE, [{ itemId: 'e' }, { itemId: 'b', version: '1' }]);
    assert.deepEqual(await left(writer), [['b', '2']]);
  });

  owing('is counted by source and project, and named by batch, the oldest first', async ({ owed }) => {
    await owed.owe({ ...OF, project: 'p' }, [
      item('a', '1'),
      item('b', '1', { batch: 'b0', listedAt: LATER }),
    ]);
    await owed.owe({ ...OF, project: 'p' }, [item('c', '1')]);
    const [count, ...others] = await owed.counts();
    assert.deepEqual(others, []);
    const ofProject = { ...OF, project: 'p', held: 0, since: AT };
    assert.deepEqual({ ...count, held: 0 }, { ...ofProject, items: 3, batches: 2 });
    assert.deepEqual(await owed.batches(10), [
      { ...OF, project: 'p', batch: 'b1' },
      { ...OF, project: 'p', batch: 'b0' },
    ]);
    assert.equal((await owed.batches(1)).length, 1);
    assert.deepEqual(await owed.batches(10, { ...OF, source: 'other' }), []);
    assert.equal(await owed.batchCount(), 2);
    assert.deepEqual(
      (await owed.items(TENANT, SOURCE, { batch: 'b0' })).map(({ itemId }) => itemId),
      ['b'],
    );
    assert.deepEqual(
      (await owed.items(TENANT, SOURCE, { itemIds: ['c', 'x'] })).map(({ itemId }) => itemId),
      ['c'],
    );
    await owed.owe({ ...OF, project: 'q' }, [item('d', '1', { batch: 'b2' })]);
    const counts = await owed.counts();
    assert.deepEqual(
      counts.map(({ project, items, batches }) => [project, items, batches]),
      [
        ['p', 3, 2],
        ['q', 1, 1],
      ],
    );
  });

  owing('counts beginnings, and forgets them with a new version', async ({ owed }) => {
    const begun = async () => (await owed.items(TENANT, SOURCE)).map((one) => one.begun);
    await owed.owe(OF, [item('a', '1'), item('b', '1')]);
    await owed.begin(TENANT, SOURCE, ['a', 'b'], 1);
    await owed.begin(TENANT, SOURCE, ['a'], 1);
    await owed.begin(TENANT, SOURCE, ['b'], -1);
    await owed.begin(TENANT, SOURCE, ['b'], -1);
    assert.deepEqual(await begun(), [2, 0]);
    await owed.owe(OF, [item('a', '2')]);
    assert.deepEqual(await begun(), [0, 0]);
  });

  owing('is written by who lists the source now, and by no older listing', async (context) => {
    const { owed, pass, reopen, facts } = context;
    pass(2 * MINUTE);
    const young = (await reopen()).writer(facts.generation, 'young');
    await young.claim(TENANT, SOURCE, [LISTING], MINUTE);
    await young.owed?.owe(OF, [item('a', '2')]);
    await losesLease(owed.owe(OF, [item('a', '1')]));
    assert.deepEqual(await left(young), [['a', '2']]);
  });

  owing('goes with its generation and its source', async (context) => {
    const { owed, writer, ledger, facts } = context;
    await owed.owe(OF, [item('a', '1')]);
    await writer.forgetSource(TENANT, SOURCE);
    assert.deepEqual(await left(writer), []);
    await owed.owe(OF, [item('a', '1')]);
    const { generation } = await ledger.begin(targetOf, AT);
    await ledger.switchTo(generation, AT);
    assert.deepEqual(await ledger.reader(generation).owed?.counts(), []);
    await ledger.drop(facts.generation);
    assert.deepEqual(await left(writer), []);
  });
};

const item = (itemId: string, version?: string, more: Partial<OwedItem> = {}): Omit<OwedItem, 'begun'> => ({
  itemId,
  ...(version === undefined ? {} : { version }),
  processingKey: 'k',
  batch: 'b1',
  listedAt: AT,
  ...more,
});

const itemKey = (itemId: string) => ({ ...OF, itemId });

const left = async ({ owed }: GenerationWriter): Promise<[string, string | undefined][]> =>
  ((await owed?.items(TENANT, SOURCE)) ?? []).map(({ itemId, version }) => [itemId, version]);
