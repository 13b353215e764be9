import assert from 'node:assert/strict';
import type { LedgerPart } from './contract.js';
import { AT, indexDocuments, LATER, planned, targetOf } from './records.js';

/** What tells that something was changed that a search may show. A ledger need not tell it. */
export const testRevisions: LedgerPart = (test) => {
  test('the revision is another one after every change that a search may show, for every process', async ({
    ledger,
    facts,
    writer,
    reopen,
  }) => {
    if (ledger.revision === undefined) return;
    const other = await reopen();
    const seen = new Set<string>();
    const revisionOf = async (): Promise<string> => {
      const revision = await ledger.revision?.();
      assert.ok(revision !== undefined && revision !== '');
      assert.equal(await other.revision?.(), revision);
      return revision;
    };
    seen.add(await revisionOf());
    const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['a run begins', () => ledger.startRun('index', AT)],
      ['a plan', () => writer.plan([planned('a')])],
      ['a commit', () => writer.commit(['a'], AT)],
      ['the first generation', () => ledger.makeFirst(facts.generation, AT)],
      ['another document', () => indexDocuments(writer, planned('b'), planned('c'))],
      ['chunks that are missing', () => writer.markChunksMissing(['b-1'])],
      ['a plan of a deletion', () => writer.planDeletion(['b'])],
      ['a deletion', () => writer.forget(['b'])],
      ['what was learnt', () => ledger.setLearned(facts.generation, { stamp: 'x', bytes: Uint8Array.of(1) })],
      ['an upgrade', () => ledger.setUpgrade(facts.generation, '{}')],
      ['a switch', async () => ledger.switchTo((await ledger.begin(targetOf, AT)).generation, LATER)],
      ['a run ends', () => ledger.finishRun(1, { at: LATER, success: true, stats: '{}' })],
      ['what two processes did', () => Promise.all([ledger.startRun('a', AT), other.startRun('b', AT)])],
    ];
    for (const [what, change] of changes) {
      await change();
      const revision = await revisionOf();
      assert.ok(!seen.has(revision), `${what} left the revision as it was`);
      seen.add(revision);
    }
    if (writer.together !== undefined) {
      const { together } = writer;
      await together.revise([planned('d')], AT, () => undefined);
      const revised = await revisionOf();
      assert.ok(!seen.has(revised));
      await together.remove(['d'], () => undefined);
      assert.notEqual(await revisionOf(), revised);
    }
    const before = await revisionOf();
    await ledger.clear();
    const cleared = await revisionOf();
    assert.ok(cleared !== before && !seen.has(cleared));
  });

  test('reading leaves the revision as it is', async ({ ledger, facts, openForReading }) => {
    if (ledger.revision === undefined) return;
    const reader = await openForReading();
    const before = await reader.revision?.();
    await reader.live();
    await reader.reader(facts.generation).documents(undefined, 10);
    await reader.lastRun();
    assert.equal(await ledger.revision(), before);
  });
};
