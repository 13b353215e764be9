import assert from 'node:assert/strict';
import type { SourceState } from '../../ledger/source-state.js';
import type { LedgerPart } from './contract.js';
import { AT, completed, indexDocuments, LATER, planned, SOURCE, TENANT, targetOf } from './records.js';

/** Cursors, remembered sources, counts per source, and runs. */
export const testSources: LedgerPart = (test) => {
  test('the cursor of each source is kept', async ({ writer }) => {
    await writer.setSourceCursor(TENANT, 'wiki', 'c1');
    await writer.setSourceCursor(TENANT, 'wiki', 'c2\0');
    await writer.setSourceCursor('other', 'wiki', 'c3');
    assert.equal(await writer.sourceCursor(TENANT, 'wiki'), 'c2\0');
    assert.equal(await writer.sourceCursor('other', 'wiki'), 'c3');
    assert.equal(await writer.sourceCursor(TENANT, 'bugs'), undefined);
  });

  test('how the runs over each source went is kept', async ({ ledger, facts, writer, reopen }) => {
    const failing: SourceState = {
      listingStartedAt: LATER,
      listingFinishedAt: AT,
      succeededAt: AT,
      failures: 3,
      error: { reason: 'SOURCE_UNREADABLE', message: 'it is "away"\n\0 \ud800 \ue000', at: LATER },
      nextAttemptAt: LATER,
      reconciledAt: AT,
    };
    await writer.setSourceState(TENANT, 'wiki', { failures: 0, listingStartedAt: AT });
    await writer.setSourceState(TENANT, 'bugs', { failures: 0 });
    await writer.setSourceState(TENANT, 'wiki', failing);
    await writer.setSourceState('other', 'wiki', { failures: 1 });
    assert.deepEqual(
      await (await reopen()).reader(facts.generation).sourceStates(TENANT),
      new Map<string, SourceState>([
        ['bugs', { failures: 0 }],
        ['wiki', failing],
      ]),
    );
    assert.deepEqual(await writer.sourceStates('other'), new Map([['wiki', { failures: 1 }]]));
    const { generation } = await ledger.begin(targetOf, AT);
    assert.deepEqual(await ledger.reader(generation).sourceStates(TENANT), new Map());
  });

  test('of a forgotten source neither cursor nor state is left; others keep theirs', async ({ writer }) => {
    for (const [tenant, source] of [
      [TENANT, 'wiki'],
      [TENANT, 'bugs'],
      ['other', 'wiki'],
    ] as const) {
      await writer.setSourceCursor(tenant, source, 'c');
      await writer.setSourceState(tenant, source, { failures: 0 });
    }
    await writer.completeItems([{ ...completed('d'), source: 'wiki' }]);
    await writer.forgetSource(TENANT, 'wiki');
    await writer.forgetSource(TENANT, 'nobody');
    assert.equal(await writer.sourceCursor(TENANT, 'wiki'), undefined);
    assert.equal(await writer.sourceCursor(TENANT, 'bugs'), 'c');
    assert.equal(await writer.sourceCursor('other', 'wiki'), 'c');
    assert.deepEqual([...(await writer.sourceStates(TENANT)).keys()], ['bugs']);
    assert.deepEqual([...(await writer.sourceStates('other')).keys()], ['wiki']);
    assert.equal(await writer.hasItems(TENANT, 'wiki'), true);
  });

  test('sources with items are named in order, those of the tenant alone', async ({ writer }) => {
    for (const source of ['b', 'a', 'c'])
      await writer.completeItems([
        { ...completed('d'), source },
        { ...completed('e'), source },
      ]);
    await writer.completeItems([{ ...completed('d'), tenant: 'other', source: 'x' }]);
    assert.deepEqual(await writer.sourceNames(TENANT), ['a', 'b', 'c']);
    assert.deepEqual(await writer.sourceNames('other'), ['x']);
    assert.deepEqual(await writer.sourceNames('nobody'), []);
  });

  test('remembered sources are known until they are forgotten', async ({ ledger, reopen }) => {
    await ledger.rememberSources(TENANT, ['b', 'a']);
    await ledger.rememberSources(TENANT, ['a', 'c']);
    await ledger.rememberSources('other', ['a']);
    await ledger.rememberSources(TENANT, []);
    const other = await reopen();
    assert.deepEqual(await other.rememberedSources(TENANT), ['a', 'b', 'c']);
    await other.forgetSources(TENANT, ['a', 'nobody']);
    await other.forgetSources(TENANT, []);
    assert.deepEqual(await ledger.rememberedSources(TENANT), ['b', 'c']);
    assert.deepEqual(await ledger.rememberedSources('other'), ['a']);
  });

  test('sources have the owners that state them', async ({ ledger, reopen }) => {
    assert.deepEqual(await ledger.sourceOwners(TENANT), new Map());
    await ledger.ownSources(TENANT, 'host-b', ['wiki', 'notes', 'wiki']);
    await ledger.ownSources(TENANT, 'host-a', ['wiki']);
    await ledger.ownSources('other', 'host-b', ['bugs']);
    const other = await reopen();
    assert.deepEqual(
      await other.sourceOwners(TENANT),
      new Map([
        ['notes', ['host-b']],
        ['wiki', ['host-a', 'host-b']],
      ]),
    );
    await other.ownSources(TENANT, 'host-b', ['bugs', 'notes']);
    await other.ownSources(TENANT, 'host-a', []);
    assert.deepEqual(
      await ledger.sourceOwners(TENANT),
      new Map([
        ['bugs', ['host-b']],
        ['notes', ['host-b']],
      ]),
    );
    assert.deepEqual(await ledger.sourceOwners('other'), new Map([['bugs', ['host-b']]]));
  });

  test('sources are counted by state', async ({ writer }) => {
    await indexDocuments(
      writer,
      planned('d'),
      planned('e'),
      planned('f', { source: 'wiki', sourceType: 'confluence' }),
    );
    await writer.plan([planned('g')]);
    await writer.failItem(
      { tenant: TENANT, source: 'empty', itemId: 'x' },
      {
        reason: 'DOCUMENT_INVALID',
        message: 'm',
        at: AT,
      },
    );
    await indexDocuments(writer, planned('h', { tenant: 'another' }));
    await writer.planDeletion(['h']);
    const none = { pending: 0, indexed: 0, failed: 0, outdated: 0 };
    const summary = { tenant: TENANT, failedItems: 0, chunks: 0 };
    assert.deepEqual(await writer.sources(), [
      {
        ...summary,
        tenant: 'another',
        source: SOURCE,
        sourceType: 'markdown',
        documents: { ...none, pending: 1 },
      },
      {
        ...summary,
        source: SOURCE,
        sourceType: 'markdown',
        documents: { ...none, indexed: 2, pending: 1 },
        chunks: 3,
      },
      { ...summary, source: 'empty', sourceType: 'unknown', documents: none, failedItems: 1 },
      { ...summary, source: 'wiki', sourceType: 'confluence', documents: { ...none, indexed: 1 }, chunks: 1 },
    ]);
  });

  for (const [title, field, often, seldom] of [
    ['redactions are summed by type', 'redactions', 'email', 'phone'],
    ['what was not read is summed by kind', 'unread', 'pictures', 'charts'],
  ] as const)
    test(title, async ({ writer }) => {
      await indexDocuments(
        writer,
        planned('d', { metadata: { [field]: { [often]: 2, [seldom]: 1 } } }),
        planned('e', { metadata: { [field]: { [often]: 3 } } }),
        planned('f', { metadata: { [field]: 'no object' } }),
        planned('g', { metadata: { [field]: { [often]: 'no number' } } }),
      );
      assert.deepEqual((await writer.sources())[0]?.[field], { [often]: 5, [seldom]: 1 });
      await indexDocuments(writer, planned('d'), planned('e'));
      assert.equal((await writer.sources())[0]?.[field], undefined);
    });

  test('runs are remembered, killed ones as unfinished', async ({ ledger }) => {
    assert.equal(await ledger.lastRun(), undefined);
    const first = await ledger.startRun('index docs', AT);
    await ledger.finishRun(first, { at: LATER, success: true, stats: '{"chunks":1}' });
    assert.deepEqual(await ledger.lastRun(), {
      runId: first,
      command: 'index docs',
      startedAt: AT,
      finishedAt: LATER,
      success: true,
      stats: '{"chunks":1}',
    });
    const second = await ledger.startRun('index "\0"', LATER);
    assert.notEqual(second, first);
    assert.deepEqual(await ledger.lastRun(), { runId: second, command: 'index "\0"', startedAt: LATER });
    await ledger.finishRun(second, { at: LATER, success: false, stats: '{}' });
    assert.equal((await ledger.lastRun())?.success, false);
  });
};
