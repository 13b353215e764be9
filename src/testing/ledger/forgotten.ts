import assert from 'node:assert/strict';
import type { LedgerPart } from './contract.js';
import { AT, LATER, TENANT } from './records.js';

const KEY = 'ab'.repeat(32);
const OTHER_KEY = 'cd'.repeat(32);

/** Names that are kept out, and the records of runs that named them. */
export const testForgotten: LedgerPart = (test) => {
  test('names are kept out, those of the tenant alone, until their receipt is undone', async ({
    ledger,
    writer,
    reopen,
  }) => {
    assert.deepEqual(await ledger.blockedNames(TENANT), []);
    await ledger.block(TENANT, { key: KEY, hashes: ['h1', 'h2', 'h2'], receipt: 'first' });
    await ledger.block(TENANT, { key: KEY, hashes: ['h3'], receipt: 'second' });
    await ledger.block(TENANT, { key: KEY, hashes: [], receipt: 'third' });
    await ledger.block('other', { key: KEY, hashes: ['h4'], receipt: 'first' });
    await writer.setSourceCursor(TENANT, 'wiki', 'c1');
    const other = await reopen();
    assert.deepEqual(await other.blockedNames(TENANT), [{ key: KEY, hashes: new Set(['h1', 'h2', 'h3']) }]);
    assert.equal(await other.unblock(TENANT, 'unknown'), 0);
    assert.equal(await writer.sourceCursor(TENANT, 'wiki'), 'c1');
    assert.equal(await other.unblock(TENANT, 'first'), 2);
    // What is let in was never named again to a source that lists changes alone.
    assert.equal(await writer.sourceCursor(TENANT, 'wiki'), undefined);
    assert.deepEqual(await ledger.blockedNames(TENANT), [{ key: KEY, hashes: new Set(['h3']) }]);
    assert.deepEqual(await ledger.blockedNames('other'), [{ key: KEY, hashes: new Set(['h4']) }]);
  });

  test('names under several keys are told by key', async ({ ledger }) => {
    await ledger.block(TENANT, { key: KEY, hashes: ['h1'], receipt: 'first' });
    await ledger.block(TENANT, { key: OTHER_KEY, hashes: ['h2'], receipt: 'second' });
    const names = [...(await ledger.blockedNames(TENANT))].sort((a, b) => a.key.localeCompare(b.key));
    assert.deepEqual(names, [
      { key: KEY, hashes: new Set(['h1']) },
      { key: OTHER_KEY, hashes: new Set(['h2']) },
    ]);
  });

  test('what is kept out outlives a clear', async ({ ledger }) => {
    await ledger.block(TENANT, { key: KEY, hashes: ['h1'], receipt: 'first' });
    await ledger.clear();
    assert.deepEqual(await ledger.blockedNames(TENANT), [{ key: KEY, hashes: new Set(['h1']) }]);
  });

  test('records of ended runs are edited', async ({ ledger }) => {
    const runId = await ledger.startRun('index', AT);
    await ledger.finishRun(runId, { at: LATER, success: false, stats: '{"errors":["a.md"]}' });
    assert.equal(await ledger.editRuns((stats) => stats), 0);
    assert.equal(await ledger.editRuns((stats) => stats.replace('"a.md"', '')), 1);
    assert.equal((await ledger.lastRun())?.stats, '{"errors":[]}');
    assert.equal((await ledger.lastRun())?.success, false);
  });
};
