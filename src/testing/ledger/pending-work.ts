import assert from 'node:assert/strict';
import type { GenerationWriter } from '../../ledger/ledger.js';
import { LISTING, type PendingItem, type PendingWorkWriter } from '../../ledger/pending-work.js';
import type { LedgerContext, LedgerPart } from './contract.js';
import { AT, LATER, losesLease, MINUTE, SOURCE, TENANT, targetOf } from './records.js';

const OF = { tenant: TENANT, source: SOURCE };

/** What is listed and not done; nothing is asked of a ledger that no hosts share. */
export const testPendingWork: LedgerPart = (test) => {
  const pendingTest = (
    title: string,
    run: (context: LedgerContext & { readonly pending: PendingWorkWriter }) => Promise<void>,
  ): void =>
    test(title, async (context) => {
      const { pendingWork: pending } = context.writer;
      if (pending === undefined) return;
      await context.writer.claim(TENANT, SOURCE, [LISTING], MINUTE);
      await run({ ...context, pending });
    });

  pendingTest('is struck out by what deals with it in that version, and by nothing else', async (context) => {
    const { pending, writer } = context;
    await pending.add(OF, [item('a', '1'), item('b', '1'), item('c'), item('d', '1'), item('e')]);
    await pending.add(OF, [item('b', '2', { batch: 'b2' })]);
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
    await pending.settle(TENANT, SOURCE, [{ itemId: 'e' }, { itemId: 'b', version: '1' }]);
    assert.deepEqual(await left(writer), [['b', '2']]);
  });

  pendingTest(
    'is counted by source and project, and named by batch, the oldest first',
    async ({ pending }) => {
      await pending.add({ ...OF, project: 'p' }, [
        item('a', '1'),
        item('b', '1', { batch: 'b0', listedAt: LATER }),
      ]);
      await pending.add({ ...OF, project: 'p' }, [item('c', '1')]);
      const [count, ...others] = await pending.counts();
      assert.deepEqual(others, []);
      const ofProject = { ...OF, project: 'p', held: 0, since: AT };
      assert.deepEqual({ ...count, held: 0 }, { ...ofProject, items: 3, batches: 2 });
      assert.deepEqual(await pending.batches(10), [
        { ...OF, project: 'p', batch: 'b1' },
        { ...OF, project: 'p', batch: 'b0' },
      ]);
      assert.equal((await pending.batches(1)).length, 1);
      assert.deepEqual(await pending.batches(10, { ...OF, source: 'other' }), []);
      assert.equal(await pending.batchCount(), 2);
      assert.deepEqual(
        (await pending.items(TENANT, SOURCE, { batch: 'b0' })).map(({ itemId }) => itemId),
        ['b'],
      );
      assert.deepEqual(
        (await pending.items(TENANT, SOURCE, { itemIds: ['c', 'x'] })).map(({ itemId }) => itemId),
        ['c'],
      );
      await pending.add({ ...OF, project: 'q' }, [item('d', '1', { batch: 'b2' })]);
      const counts = await pending.counts();
      assert.deepEqual(
        counts.map(({ project, items, batches }) => [project, items, batches]),
        [
          ['p', 3, 2],
          ['q', 1, 1],
        ],
      );
    },
  );

  pendingTest('counts beginnings, and forgets them with a new version', async ({ pending }) => {
    const begun = async () => (await pending.items(TENANT, SOURCE)).map((one) => one.begun);
    await pending.add(OF, [item('a', '1'), item('b', '1')]);
    await pending.begin(TENANT, SOURCE, ['a', 'b'], 1);
    await pending.begin(TENANT, SOURCE, ['a'], 1);
    await pending.begin(TENANT, SOURCE, ['b'], -1);
    await pending.begin(TENANT, SOURCE, ['b'], -1);
    assert.deepEqual(await begun(), [2, 0]);
    await pending.add(OF, [item('a', '2')]);
    assert.deepEqual(await begun(), [0, 0]);
  });

  pendingTest('is written by who lists the source now, and by no older listing', async (context) => {
    const { pending, pass, reopen, facts } = context;
    pass(2 * MINUTE);
    const young = (await reopen()).writer(facts.generation, 'young');
    await young.claim(TENANT, SOURCE, [LISTING], MINUTE);
    await young.pendingWork?.add(OF, [item('a', '2')]);
    await losesLease(pending.add(OF, [item('a', '1')]));
    assert.deepEqual(await left(young), [['a', '2']]);
  });

  pendingTest('goes with its generation and its source', async (context) => {
    const { pending, writer, ledger, facts } = context;
    await pending.add(OF, [item('a', '1')]);
    await writer.forgetSource(TENANT, SOURCE);
    assert.deepEqual(await left(writer), []);
    await pending.add(OF, [item('a', '1')]);
    const { generation } = await ledger.begin(targetOf, AT);
    await ledger.switchTo(generation, AT);
    assert.deepEqual(await ledger.reader(generation).pendingWork?.counts(), []);
    await ledger.drop(facts.generation);
    assert.deepEqual(await left(writer), []);
  });
};

const item = (
  itemId: string,
  version?: string,
  more: Partial<PendingItem> = {},
): Omit<PendingItem, 'begun'> => ({
  itemId,
  ...(version === undefined ? {} : { version }),
  processingKey: 'k',
  batch: 'b1',
  listedAt: AT,
  ...more,
});

const itemKey = (itemId: string) => ({ ...OF, itemId });

const left = async ({ pendingWork: pending }: GenerationWriter): Promise<[string, string | undefined][]> =>
  ((await pending?.items(TENANT, SOURCE)) ?? []).map(({ itemId, version }) => [itemId, version]);
