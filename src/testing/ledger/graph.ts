import assert from 'node:assert/strict';
import type { GenerationReader } from '../../ledger/ledger.js';
import type { GraphRows } from '../../relations/graph/graph.js';
import type { LedgerPart } from './contract.js';
import { AT, indexDocuments, planned, TENANT, targetOf } from './records.js';

const rows = (names: readonly string[], ...targets: readonly string[]): GraphRows => ({
  names,
  references: targets.map((target) => ({ kind: 'link', target })),
});

const ALL = { limit: 100 };

const namesOf = async ({ graph }: GenerationReader, name: string, tenant = TENANT) =>
  (await graph.named(tenant, [name], ALL)).map(({ documentId }) => documentId);

const referringTo = async ({ graph }: GenerationReader, name: string, tenant = TENANT) =>
  (await graph.referring(tenant, [name], ALL)).map(({ documentId }) => documentId);

/** Names and references of documents, from which edges are found. */
export const testGraph: LedgerPart = (test) => {
  test('rows come back as they were planned, whatever is in them', async ({ writer }) => {
    const graph: GraphRows = {
      names: ['a', 'NUL \0, half a pair \ud800', 'n'.repeat(3_000)].sort(),
      references: [
        { kind: 'link', target: '\u0001' },
        { kind: 'mention', target: 'key:A-1' },
        { kind: 'mention', target: 'key:A-2' },
      ],
    };
    await indexDocuments(writer, planned('d', { graph }), planned('bare', { graph: rows([]) }));
    const found = await writer.graph.rows(['d', 'bare', 'nobody']);
    assert.deepEqual([...found.keys()], ['d', 'bare']);
    assert.deepEqual(new Set(found.get('d')?.names), new Set(graph.names));
    assert.deepEqual(found.get('d')?.references, graph.references);
    assert.deepEqual(found.get('bare'), rows([]));
    for (const name of graph.names) assert.deepEqual(await namesOf(writer, name), ['d']);
  });

  test('an edge is there from the moment in which both of its ends are', async ({ writer }) => {
    await indexDocuments(writer, planned('a', { graph: rows(['a'], 'b') }));
    assert.deepEqual(await namesOf(writer, 'b'), []);
    assert.deepEqual(await referringTo(writer, 'b'), ['a']);
    await indexDocuments(writer, planned('b', { graph: rows(['b', 'b2']) }));
    assert.deepEqual(await namesOf(writer, 'b'), ['b']);
    assert.deepEqual(await writer.graph.referring(TENANT, ['b2', 'b'], ALL), [
      { name: 'b', documentId: 'a', kind: 'link' },
    ]);
  });

  test('a new revision replaces the rows, and what was planned counts at once', async ({ writer }) => {
    await indexDocuments(writer, planned('d', { graph: rows(['old', 'both'], 'x', 'y') }));
    await writer.plan([planned('d', { revision: 'r2', graph: rows(['both', 'new'], 'y', 'z') })]);
    assert.deepEqual((await writer.graph.rows(['d'])).get('d'), rows(['both', 'new'], 'y', 'z'));
    assert.deepEqual(await namesOf(writer, 'old'), []);
    assert.deepEqual(await referringTo(writer, 'x'), []);
    assert.deepEqual(await referringTo(writer, 'z'), ['d']);
  });

  test('rows go with their document', async ({ writer }) => {
    await indexDocuments(
      writer,
      planned('a', { graph: rows(['a'], 'b') }),
      planned('b', { graph: rows(['b'], 'a') }),
    );
    await writer.planDeletion(['a']);
    await writer.forget(['a']);
    assert.deepEqual(await namesOf(writer, 'a'), []);
    assert.deepEqual(await referringTo(writer, 'b'), []);
    assert.deepEqual(await referringTo(writer, 'a'), ['b']);
    assert.deepEqual([...(await writer.graph.rows(['a', 'b'])).keys()], ['b']);
  });

  test('a tenant and a generation see their own rows alone', async ({ writer, ledger }) => {
    await indexDocuments(
      writer,
      planned('mine', { graph: rows(['n'], 'n2') }),
      planned('theirs', { tenant: 'other', graph: rows(['n'], 'n2') }),
    );
    const next = await ledger.begin(targetOf, AT);
    const other = ledger.writer(next.generation, 'run');
    await indexDocuments(other, planned('later', { graph: rows(['n'], 'n2') }));
    assert.deepEqual([await namesOf(writer, 'n'), await referringTo(writer, 'n2')], [['mine'], ['mine']]);
    assert.deepEqual(await namesOf(writer, 'n', 'other'), ['theirs']);
    assert.deepEqual([await namesOf(other, 'n'), await referringTo(other, 'n2')], [['later'], ['later']]);
    await ledger.drop(next.generation);
    assert.deepEqual(await namesOf(other, 'n'), []);
    assert.deepEqual(await namesOf(writer, 'n'), ['mine']);
  });

  test('pages go on after a document, each name by itself', async ({ writer }) => {
    const documents = ['c', 'a', 'd', 'b'].map((id) => planned(id, { graph: rows(['n', id], 'm') }));
    await indexDocuments(writer, ...documents);
    const ids = (hits: readonly { readonly documentId: string }[]) =>
      hits.map(({ documentId }) => documentId);
    const { graph } = writer;
    assert.deepEqual(ids(await graph.named(TENANT, ['n', 'b'], { limit: 2 })), ['a', 'b', 'b']);
    assert.deepEqual(ids(await graph.named(TENANT, ['n'], { limit: 2, after: 'b' })), ['c', 'd']);
    assert.deepEqual(ids(await graph.referring(TENANT, ['m'], { limit: 3 })), ['a', 'b', 'c']);
    assert.deepEqual(ids(await graph.referring(TENANT, ['m'], { limit: 3, after: 'c' })), ['d']);
    assert.deepEqual(await graph.named(TENANT, [], ALL), []);
  });

  test('the first chunk is one that the store holds for certain', async ({ writer }) => {
    const chunks = ['c2', 'c1', 'c3'].map((chunkId) => ({ chunkId, digest: 'x' }));
    await indexDocuments(writer, planned('d', { chunks }));
    await writer.plan([planned('new')]);
    assert.deepEqual(await writer.graph.firstChunks(['new', 'd', 'nobody']), new Map([['d', 'c2']]));
  });

  test('what an older version wrote has no rows until they are made of the same revision', async ({
    writer,
  }) => {
    await indexDocuments(
      writer,
      planned('old'),
      planned('older'),
      planned('done', { graph: rows(['done']) }),
      planned('theirs', { tenant: 'other' }),
    );
    assert.deepEqual(await writer.graph.unread(TENANT, ALL), ['old', 'older']);
    assert.deepEqual(await writer.graph.unread(TENANT, { limit: 1 }), ['old']);
    assert.deepEqual(await writer.graph.unread(TENANT, { limit: 1, after: 'old' }), ['older']);
    assert.deepEqual([...(await writer.graph.rows(['old'])).keys()], []);
    const graph = rows(['n'], 'm');
    assert.equal(await writer.fillGraph({ documentId: 'old', revision: 'r0', graph }), false);
    assert.equal(await writer.fillGraph({ documentId: 'old', revision: 'r1', graph }), true);
    assert.equal(await writer.fillGraph({ documentId: 'old', revision: 'r1', graph: rows(['x']) }), false);
    assert.equal(await writer.fillGraph({ documentId: 'nobody', revision: 'r1', graph }), false);
    assert.deepEqual(await writer.graph.unread(TENANT, ALL), ['older']);
    assert.deepEqual((await writer.graph.rows(['old'])).get('old'), graph);
    assert.deepEqual(await namesOf(writer, 'n'), ['old']);
  });
};
