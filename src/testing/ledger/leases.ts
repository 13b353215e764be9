import assert from 'node:assert/strict';
import type { GenerationWriter } from '../../ledger/ledger.js';
import type { LedgerContext, LedgerPart, LedgerTest } from './contract.js';
import {
  AT,
  completed,
  itemKey,
  itemOf,
  losesLease,
  MINUTE,
  planned,
  SOURCE,
  TENANT,
  targetOf,
} from './records.js';

/** Claims of items, their end, and the fence against whoever wakes up afterwards. */
export const testLeases: LedgerPart = (test) => {
  testClaims(test);
  testFences(test);
};

const ITEM = itemOf('d');

const isClaimed = async (writer: GenerationWriter, itemId = ITEM): Promise<boolean> =>
  (await writer.claim(TENANT, SOURCE, [itemId], MINUTE)).has(itemId);

/** A second holder, as another process. */
async function rivalOf({ reopen, facts }: LedgerContext): Promise<GenerationWriter> {
  return (await reopen()).writer(facts.generation, 'rival');
}

const testClaims = (test: LedgerTest): void => {
  test('an item is held by one holder until the lease runs out', async (context) => {
    const { writer, pass } = context;
    const rival = await rivalOf(context);
    assert.equal(await isClaimed(writer), true);
    assert.equal(await isClaimed(rival), false);
    pass(MINUTE - 1);
    assert.equal(await isClaimed(rival), false);
    pass(1);
    assert.equal(await isClaimed(rival), true);
    assert.equal(await isClaimed(writer), false);
  });

  test('whose document was deleted by who took its item over has lost its lease', async (context) => {
    const { writer, pass } = context;
    const rival = await rivalOf(context);
    await isClaimed(writer);
    await writer.plan([planned('d')]);
    pass(MINUTE);
    await isClaimed(rival);
    await rival.planDeletion(['d']);
    await rival.forget(['d']);
    await losesLease(writer.commit(['d'], AT));
  });

  test('claiming again makes a lease longer', async (context) => {
    const { writer, pass } = context;
    const rival = await rivalOf(context);
    await isClaimed(writer);
    pass(MINUTE - 1);
    assert.equal(await isClaimed(writer), true);
    pass(MINUTE - 1);
    assert.equal(await isClaimed(rival), false);
    await writer.plan([planned('d')]);
  });

  test('a lease is renewed by its holder, ended or not, and never taken back from another one', async (context) => {
    const { writer, pass } = context;
    const rival = await rivalOf(context);
    const renewed = async (by: GenerationWriter) =>
      (await by.renew(TENANT, SOURCE, [ITEM, 'x'], MINUTE)).has(ITEM);
    assert.equal(await renewed(writer), false);
    await isClaimed(writer);
    assert.equal(await renewed(rival), false);
    pass(MINUTE - 1);
    assert.equal(await renewed(writer), true);
    pass(MINUTE - 1);
    assert.equal(await isClaimed(rival), false);
    pass(1);
    assert.equal(await renewed(writer), true);
    assert.equal(await isClaimed(rival), false);
    pass(MINUTE);
    assert.equal(await isClaimed(rival), true);
    assert.equal(await renewed(writer), false);
    await rival.release(TENANT, SOURCE, [ITEM]);
    assert.equal(await renewed(writer), false);
    await losesLease(writer.plan([planned('d')]));
    assert.equal(await isClaimed(rival), true);
  });

  test('a claim says which items were got; those of others, or of nobody, are apart', async (context) => {
    const { writer } = context;
    const rival = await rivalOf(context);
    assert.deepEqual(await writer.claim(TENANT, SOURCE, ['a', 'b', 'b'], MINUTE), new Set(['a', 'b']));
    assert.deepEqual(await rival.claim(TENANT, SOURCE, ['b', 'c'], MINUTE), new Set(['c']));
    assert.deepEqual(await rival.claim('other', SOURCE, ['a'], MINUTE), new Set(['a']));
    assert.deepEqual(await rival.claim(TENANT, 'other', ['a'], MINUTE), new Set(['a']));
    assert.deepEqual(await rival.claim(TENANT, SOURCE, [], MINUTE), new Set());
  });

  test('what is given back can be claimed at once; what others hold stays theirs', async (context) => {
    const { writer } = context;
    const rival = await rivalOf(context);
    await isClaimed(writer);
    await rival.release(TENANT, SOURCE, [ITEM]);
    assert.equal(await isClaimed(rival), false);
    await writer.release(TENANT, SOURCE, [ITEM]);
    assert.equal(await isClaimed(rival), true);
    await writer.release(TENANT, SOURCE, []);
  });

  test('a claim makes no item known', async ({ writer }) => {
    await isClaimed(writer);
    assert.equal(await writer.hasItems(TENANT, SOURCE), false);
  });

  test('claims of one generation are none of another', async (context) => {
    const { ledger, writer } = context;
    const { generation } = await ledger.begin(targetOf, AT);
    assert.equal(await isClaimed(writer), true);
    assert.equal(await isClaimed(ledger.writer(generation, 'rival')), true);
  });

  test('the lease outlives the connection that took it', async (context) => {
    const other = await context.reopen();
    assert.equal(await isClaimed(other.writer(context.facts.generation, 'rival')), true);
    await other.close();
    assert.equal(await isClaimed(context.writer), false);
  });
};

/** Every write to the item of `d`, and what must be so before it. */
const WRITES: Readonly<Record<string, (writer: GenerationWriter) => Promise<unknown>>> = {
  plan: (writer) =>
    writer.plan([planned('d', { revision: 'mine', chunks: [{ chunkId: 'd-2', digest: 'y' }] })]),
  commit: (writer) => writer.commit(['d'], AT),
  completeItems: (writer) => writer.completeItems([completed('d', 'mine')]),
  failItem: (writer) => writer.failItem(itemKey('d'), { reason: 'DOCUMENT_INVALID', message: 'm', at: AT }),
  planDeletion: (writer) => writer.planDeletion(['d']),
  forget: (writer) => writer.forget(['d']),
  forgetItems: (writer) => writer.forgetItems(TENANT, SOURCE, [ITEM]),
  markChunksMissing: (writer) => writer.markChunksMissing(['d-1']),
};

const testFences = (test: LedgerTest): void => {
  for (const [name, write] of Object.entries(WRITES)) {
    test(`${name} by whoever has lost the item is refused and changes nothing`, async (context) => {
      const { writer, pass } = context;
      const rival = await rivalOf(context);
      await isClaimed(writer);
      await writer.plan([planned('d')]);
      pass(MINUTE);
      assert.equal(await isClaimed(rival), true);
      await rival.plan([planned('d', { revision: 'theirs' })]);
      await rival.commit(['d'], AT);
      await rival.completeItems([completed('d', 'theirs')]);
      const before = await stateOf(rival);
      await losesLease(write(writer));
      // Nor when the other one is done and gone: it may have been undone.
      await rival.release(TENANT, SOURCE, [ITEM]);
      await losesLease(write(writer));
      pass(10 * MINUTE);
      await losesLease(write(writer));
      assert.deepEqual(await stateOf(rival), before);
    });

    test(`${name} by whoever never claimed the item is refused while another one holds it`, async (context) => {
      const { writer, pass } = context;
      const rival = await rivalOf(context);
      await writer.plan([planned('d')]);
      await writer.commit(['d'], AT);
      await isClaimed(rival);
      const before = await stateOf(rival);
      await losesLease(write(writer));
      assert.deepEqual(await stateOf(rival), before);
      await rival.release(TENANT, SOURCE, [ITEM]);
      if (name === 'forget') await writer.planDeletion(['d']);
      await write(writer);
      pass(MINUTE);
    });
  }

  test('a lease that ran out holds as long as nobody else wants the item', async (context) => {
    const { writer, pass } = context;
    await isClaimed(writer);
    pass(100 * MINUTE);
    await writer.plan([planned('d')]);
    await writer.commit(['d'], AT);
    assert.equal((await writer.document('d'))?.status, 'indexed');
  });

  test('whoever claims the item again may write it again', async (context) => {
    const { writer, pass } = context;
    const rival = await rivalOf(context);
    await isClaimed(writer);
    pass(MINUTE);
    await isClaimed(rival);
    await losesLease(writer.plan([planned('d')]));
    pass(MINUTE);
    assert.equal(await isClaimed(writer), true);
    await writer.plan([planned('d')]);
    await losesLease(rival.plan([planned('d')]));
  });

  test('a batch with one lost item is refused whole, and other items are not', async (context) => {
    const { writer, pass } = context;
    const rival = await rivalOf(context);
    await writer.claim(TENANT, SOURCE, [ITEM, itemOf('e')], MINUTE);
    pass(MINUTE);
    await isClaimed(rival);
    await losesLease(writer.plan([planned('e'), planned('d')]));
    assert.equal(await writer.document('e'), undefined);
    await writer.plan([planned('e')]);
    assert.equal((await writer.document('e'))?.status, 'pending');
  });

  test('a generation that was dropped takes no writes', async (context) => {
    const { ledger, reopen } = context;
    const { generation } = await ledger.begin(targetOf, AT);
    const lost = ledger.writer(generation, 'run');
    await lost.claim(TENANT, SOURCE, [ITEM], MINUTE);
    await lost.plan([planned('d')]);
    await (await reopen()).drop(generation);
    await losesLease(lost.plan([planned('d')]));
    await losesLease(lost.completeItems([completed('d')]));
    assert.equal(await lost.document('d'), undefined);
    assert.equal(await lost.hasItems(TENANT, SOURCE), false);
  });
};

/** All that a write to `d` can change. */
const stateOf = async (reader: GenerationWriter) => ({
  document: await reader.document('d'),
  chunks: await reader.chunks('d'),
  items: await reader.items(TENANT, SOURCE),
  text: await reader.text('d'),
});
