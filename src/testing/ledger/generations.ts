import assert from 'node:assert/strict';
import { RAGError } from '../../core/errors.js';
import type { LedgerPart } from './contract.js';
import {
  AT,
  allPages,
  defined,
  indexDocuments,
  LATER,
  planned,
  SOURCE,
  TENANT,
  targetOf,
} from './records.js';

/** Generations side by side, the switch between them, and what a model learnt of one. */
export const testGenerations: LedgerPart = (test) => {
  test('a generation begins unseen, with the next number, made for its target', async ({ ledger, facts }) => {
    assert.deepEqual(defined(facts), {
      ...targetOf(facts.generation),
      generation: facts.generation,
      state: 'building',
      startedAt: AT,
    });
    assert.equal(await ledger.live(), undefined);
    const next = await ledger.begin(targetOf, LATER);
    assert.equal(next.generation, facts.generation + 1);
    assert.equal(next.collection, `chunks-${next.generation}`);
    assert.deepEqual(
      (await ledger.generations()).map(({ generation }) => generation),
      [next.generation, facts.generation],
    );
  });

  test('a switch from a generation that others have replaced since is refused', async ({ ledger, facts }) => {
    await ledger.switchTo(facts.generation, AT);
    const [second, third] = [await ledger.begin(targetOf, AT), await ledger.begin(targetOf, AT)];
    await ledger.switchTo(second.generation, AT, facts.generation);
    // A caller without an answer asks again.
    await ledger.switchTo(second.generation, LATER, facts.generation);
    await assert.rejects(ledger.switchTo(third.generation, LATER, facts.generation), {
      reason: 'INDEX_LEASE_LOST',
    });
    assert.equal((await ledger.live())?.generation, second.generation);
    await ledger.switchTo(third.generation, LATER, second.generation);
    assert.equal((await ledger.live())?.generation, third.generation);
  });

  test('the switch makes one generation live and retires the other, for every process', async (context) => {
    const { ledger, facts } = context;
    const other = await context.reopen();
    const next = await ledger.begin(targetOf, AT);
    await ledger.switchTo(facts.generation, AT);
    assert.equal((await other.live())?.generation, facts.generation);
    await other.switchTo(next.generation, LATER);
    const live = await ledger.live();
    assert.deepEqual([live?.generation, live?.state, live?.switchedAt], [next.generation, 'live', LATER]);
    const states = async () => (await ledger.generations()).map(({ state }) => state);
    assert.deepEqual(await states(), ['live', 'retired']);
    await ledger.switchTo(facts.generation, LATER);
    assert.deepEqual(await states(), ['retired', 'live']);
    await ledger.switchTo(facts.generation, LATER);
    assert.deepEqual(await states(), ['retired', 'live']);
  });

  test('of several that want to be the first one becomes it', async (context) => {
    const { ledger, facts } = context;
    const other = await context.reopen();
    const next = await ledger.begin(targetOf, AT);
    const isFirst = await Promise.all([
      ledger.makeFirst(facts.generation, AT),
      other.makeFirst(next.generation, AT),
    ]);
    assert.deepEqual([...isFirst].sort(), [false, true]);
    const first = isFirst[0] ? facts.generation : next.generation;
    assert.equal((await other.live())?.generation, first);
    assert.equal(await ledger.makeFirst(first, LATER), true);
    const states = (await ledger.generations()).map(({ state }) => state);
    assert.deepEqual([...states].sort(), ['building', 'live']);
  });

  test('a generation that is not there cannot be switched to, and the live one stays', async (context) => {
    const { ledger, facts } = context;
    await ledger.switchTo(facts.generation, AT);
    await assert.rejects(ledger.switchTo(facts.generation + 1, AT), RAGError.isInstance);
    assert.equal((await ledger.live())?.generation, facts.generation);
  });

  test('generations know nothing of each other', async ({ ledger, facts, writer }) => {
    const { generation } = await ledger.begin(targetOf, AT);
    const next = ledger.writer(generation, 'other run');
    await indexDocuments(writer, planned('d', { text: 'old', chunks: [{ chunkId: 'd-1', digest: 'old' }] }));
    await writer.setSourceCursor(TENANT, SOURCE, 'old cursor');
    const empty = ledger.reader(generation);
    assert.equal(await empty.document('d'), undefined);
    assert.equal(await empty.text('d'), undefined);
    assert.equal(await empty.hasItems(TENANT, SOURCE), false);
    assert.equal(await empty.sourceCursor(TENANT, SOURCE), undefined);
    assert.deepEqual(await empty.sources(), []);
    await indexDocuments(next, planned('d', { text: 'new', chunks: [{ chunkId: 'd-1', digest: 'new' }] }));
    assert.equal(await writer.text('d'), 'old');
    assert.equal(await next.text('d'), 'new');
    assert.deepEqual(
      (await ledger.reader(facts.generation).allChunks(undefined, 9)).map(({ digest }) => digest),
      ['old'],
    );
    await next.planDeletion(['d']);
    await next.forget(['d']);
    assert.equal((await writer.document('d'))?.status, 'indexed');
  });

  test('a dropped generation is gone with its content; its number is not used again', async (context) => {
    const { ledger, facts, writer } = context;
    const next = await ledger.begin(targetOf, AT);
    const filled = ledger.writer(next.generation, 'run');
    await indexDocuments(filled, planned('d'));
    await filled.claim(TENANT, SOURCE, ['d.md'], 1_000);
    await filled.setSourceCursor(TENANT, SOURCE, 'c');
    await filled.setSourceState(TENANT, SOURCE, { failures: 0 });
    await indexDocuments(writer, planned('d'));
    await ledger.drop(next.generation);
    assert.deepEqual(
      (await ledger.generations()).map(({ generation }) => generation),
      [facts.generation],
    );
    const reader = ledger.reader(next.generation);
    assert.equal(await reader.document('d'), undefined);
    assert.equal(await reader.text('d'), undefined);
    assert.equal(await reader.sourceCursor(TENANT, SOURCE), undefined);
    assert.deepEqual(await reader.sourceStates(TENANT), new Map());
    assert.deepEqual(await allPages(reader.allChunks.bind(reader), ({ chunkId }) => chunkId), []);
    assert.equal(await writer.text('d'), 'text');
    assert.equal((await ledger.begin(targetOf, AT)).generation, next.generation + 1);
  });

  test('the live generation is not dropped', async ({ ledger, facts }) => {
    await ledger.switchTo(facts.generation, AT);
    await assert.rejects(ledger.drop(facts.generation), RAGError.isInstance);
    assert.equal((await ledger.live())?.generation, facts.generation);
  });

  test('what a model learnt is kept by generation, and named in its facts', async ({
    ledger,
    facts,
    reopen,
  }) => {
    assert.equal(await ledger.learned(facts.generation), undefined);
    const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256);
    await ledger.setLearned(facts.generation, { stamp: 'first', bytes: Uint8Array.of(0, 1, 0) });
    await ledger.setLearned(facts.generation, { stamp: 'second', bytes });
    const other = await reopen();
    const learned = await other.learned(facts.generation);
    assert.ok(learned && Buffer.from(learned).equals(Buffer.from(bytes)));
    await other.switchTo(facts.generation, AT);
    assert.equal((await ledger.live())?.learned, 'second');
    const next = await ledger.begin(targetOf, AT);
    assert.equal(await ledger.learned(next.generation), undefined);
    await other.setLearned(facts.generation, undefined);
    assert.equal(await ledger.learned(facts.generation), undefined);
    assert.equal((await ledger.live())?.learned, undefined);
  });

  test('how a generation was made from another one is kept in its facts', async ({
    ledger,
    facts,
    reopen,
  }) => {
    const upgrade = JSON.stringify({ model: 'ß\u0000\ud800', from: 1 });
    const next = await ledger.begin(targetOf, AT);
    await ledger.setUpgrade(next.generation, 'first');
    await ledger.setUpgrade(next.generation, upgrade);
    await ledger.setUpgrade(next.generation + 7, upgrade);
    const other = await reopen();
    assert.deepEqual(
      (await other.generations()).map(({ generation, upgrade: held }) => [generation, held]),
      [
        [next.generation, upgrade],
        [facts.generation, undefined],
      ],
    );
    await other.switchTo(next.generation, LATER);
    assert.equal((await ledger.live())?.upgrade, upgrade);
  });

  test('clear forgets everything, and other processes see it', async ({ ledger, facts, writer, reopen }) => {
    const other = await reopen();
    await indexDocuments(writer, planned('d'));
    await writer.setSourceCursor(TENANT, SOURCE, 'c');
    await writer.setSourceState(TENANT, SOURCE, { failures: 0 });
    await ledger.switchTo(facts.generation, AT);
    await ledger.rememberSources(TENANT, ['x']);
    await ledger.ownSources(TENANT, 'host', ['x']);
    await ledger.startRun('index', AT);
    await ledger.clear();
    for (const each of [ledger, other]) {
      assert.equal(await each.live(), undefined);
      assert.deepEqual(await each.generations(), []);
      assert.equal(await each.reader(facts.generation).document('d'), undefined);
      assert.equal(await each.reader(facts.generation).text('d'), undefined);
      assert.deepEqual(await each.reader(facts.generation).sourceStates(TENANT), new Map());
      assert.deepEqual(await each.rememberedSources(TENANT), []);
      assert.deepEqual(await each.sourceOwners(TENANT), new Map());
      assert.equal(await each.lastRun(), undefined);
    }
    const { generation } = await other.begin(targetOf, AT);
    await indexDocuments(other.writer(generation, 'run'), planned('d'));
    assert.equal(await ledger.reader(generation).text('d'), 'text');
  });

  test('a sound ledger has no problems, and some size', async ({ ledger, writer }) => {
    await indexDocuments(writer, planned('d'));
    assert.deepEqual(await ledger.integrity(), []);
    const bytes = await ledger.bytes();
    assert.ok(bytes === undefined || bytes > 0);
  });

  test('a ledger that was opened for reading reads what others write, and writes nothing', async (context) => {
    const { ledger, facts, writer } = context;
    await indexDocuments(writer, planned('d'));
    const reading = await context.openForReading();
    assert.equal((await reading.reader(facts.generation).document('d'))?.status, 'indexed');
    await indexDocuments(writer, planned('e'));
    await ledger.switchTo(facts.generation, AT);
    assert.equal((await reading.live())?.generation, facts.generation);
    assert.equal((await reading.reader(facts.generation).document('e'))?.status, 'indexed');
    await assert.rejects(reading.writer(facts.generation, 'r').plan([planned('f')]), RAGError.isInstance);
    await assert.rejects(reading.begin(targetOf, AT), RAGError.isInstance);
    await assert.rejects(reading.clear(), RAGError.isInstance);
    assert.equal(await writer.document('f'), undefined);
  });
};
