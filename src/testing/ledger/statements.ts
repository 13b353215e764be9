import assert from 'node:assert/strict';
import type { GenerationReader } from '../../ledger/ledger.js';
import type { LedgerPart } from './contract.js';
import { AT, indexDocuments, planned, TENANT, targetOf } from './records.js';

const ALL = { limit: 100 };

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);

const filling = (documentId: string, packed: Uint8Array, revision = 'r1') => ({
  documentId,
  revision,
  packed,
});

const packedOf = async ({ statements }: GenerationReader, tenant = TENANT) =>
  (await statements.packed(tenant, ALL)).map(({ documentId, revision, packed }) => [
    documentId,
    revision,
    ...packed,
  ]);

/** What documents say, kept for conflicts between them. */
export const testStatements: LedgerPart = (test) => {
  test('statements are kept of the same revision, once', async ({ writer }) => {
    await indexDocuments(writer, planned('b'), planned('a'), planned('theirs', { tenant: 'other' }));
    assert.deepEqual(await writer.statements.unread(TENANT, ALL), ['a', 'b']);
    assert.equal(await writer.fillStatements([filling('a', bytes(1), 'r0')]), 0);
    assert.equal(await writer.fillStatements([filling('nobody', bytes(1))]), 0);
    assert.equal(await writer.fillStatements([]), 0);
    assert.equal(await writer.fillStatements([filling('a', bytes(0, 255, 7)), filling('b', bytes())]), 2);
    assert.equal(await writer.fillStatements([filling('a', bytes(9))]), 0);
    assert.deepEqual(await packedOf(writer), [
      ['a', 'r1', 0, 255, 7],
      ['b', 'r1'],
    ]);
    assert.deepEqual(await writer.statements.unread(TENANT, ALL), []);
    assert.deepEqual(await writer.statements.unread('other', ALL), ['theirs']);
    assert.deepEqual(await packedOf(writer, 'other'), []);
  });

  test('a new revision has to be examined anew, the same one has not', async ({ writer }) => {
    await indexDocuments(writer, planned('a'), planned('b'));
    await writer.fillStatements([filling('a', bytes(1)), filling('b', bytes(2))]);
    await writer.plan([planned('a', { revision: 'r2' }), planned('b', { title: 'other' })]);
    assert.deepEqual(await packedOf(writer), [['b', 'r1', 2]]);
    assert.deepEqual(await writer.statements.unread(TENANT, ALL), ['a']);
    assert.equal(await writer.fillStatements([filling('a', bytes(3), 'r1')]), 0);
    assert.equal(await writer.fillStatements([filling('a', bytes(4), 'r2')]), 1);
    await writer.plan([planned('a', { revision: 'r1' })]);
    assert.deepEqual(await packedOf(writer), [['b', 'r1', 2]]);
  });

  test('they go with their document', async ({ writer }) => {
    await indexDocuments(writer, planned('a'), planned('b'));
    await writer.fillStatements([filling('a', bytes(1)), filling('b', bytes(2))]);
    await writer.planDeletion(['a']);
    await writer.forget(['a']);
    assert.deepEqual(await packedOf(writer), [['b', 'r1', 2]]);
    await indexDocuments(writer, planned('a'));
    assert.deepEqual(await writer.statements.unread(TENANT, ALL), ['a']);
    assert.equal(await writer.fillStatements([filling('a', bytes(5))]), 1);
  });

  test('a generation sees its own, page by page', async ({ writer, ledger }) => {
    await indexDocuments(writer, planned('c'), planned('a'), planned('b'));
    const next = await ledger.begin(targetOf, AT);
    const other = ledger.writer(next.generation, 'run');
    await indexDocuments(other, planned('a'));
    assert.deepEqual(await writer.statements.unread(TENANT, { limit: 2 }), ['a', 'b']);
    assert.deepEqual(await writer.statements.unread(TENANT, { limit: 2, after: 'b' }), ['c']);
    await writer.fillStatements(['a', 'b', 'c'].map((id) => filling(id, bytes(1))));
    await other.fillStatements([filling('a', bytes(2))]);
    const ids = (found: readonly { readonly documentId: string }[]) =>
      found.map(({ documentId }) => documentId);
    assert.deepEqual(ids(await writer.statements.packed(TENANT, { limit: 2 })), ['a', 'b']);
    assert.deepEqual(ids(await writer.statements.packed(TENANT, { limit: 2, after: 'b' })), ['c']);
    assert.deepEqual(await packedOf(other), [['a', 'r1', 2]]);
    await ledger.drop(next.generation);
    assert.deepEqual(await packedOf(other), []);
  });
};
