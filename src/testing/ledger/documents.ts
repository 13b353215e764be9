import assert from 'node:assert/strict';
import type { LedgerPart } from './contract.js';
import { AT, allPages, indexDocuments, LATER, planned, SOURCE, TENANT } from './records.js';

/** Documents and their facts. */
export const testDocuments: LedgerPart = (test) => {
  test('a document comes back as it was planned', async ({ writer }) => {
    const document = planned('d', {
      project: 'p',
      title: 'NUL \0, SOH \u0001\u0002, half a pair \ud800',
      itemId: 'a/b.md',
      externalId: '',
      metadata: { list: [1, null, 'x\0'], nested: { 'a.b': true }, half: '\udc00' },
    });
    await indexDocuments(writer, document);
    const { text: _text, chunks: _chunks, ...facts } = document;
    assert.deepEqual(await writer.document('d'), {
      ...facts,
      status: 'indexed',
      chunkCount: 1,
      indexedAt: AT,
    });
    assert.equal(await writer.document('nobody'), undefined);
    assert.deepEqual(await writer.documentCounts(TENANT, SOURCE), new Map([['a/b.md', 1]]));
  });

  test('a document is pending from plan to commit, and keeps when it was indexed last', async ({
    writer,
  }) => {
    await indexDocuments(writer, planned('d'));
    await writer.plan([planned('d', { revision: 'r2', title: 'new' })]);
    const pending = await writer.document('d');
    assert.deepEqual(
      [pending?.status, pending?.revision, pending?.indexedAt, pending?.title],
      ['pending', 'r2', AT, 'new'],
    );
    await writer.commit(['d'], LATER);
    const indexed = await writer.document('d');
    assert.deepEqual([indexed?.status, indexed?.indexedAt], ['indexed', LATER]);
  });

  test('documents are found by their id, their path, an end of it, and a longer one', async ({ writer }) => {
    await indexDocuments(
      writer,
      planned('a', { externalId: 'docs/guide.md' }),
      planned('b', { externalId: 'guide.md' }),
      planned('c', { externalId: 'docs/A_guide.md' }),
      planned('d', { externalId: 'NUL \0\u0001/é😀.md' }),
      planned('e', { externalId: 'guide.md', tenant: 'other', itemId: 'of another' }),
    );
    const called = async (name: string) =>
      (await writer.called(TENANT, name)).map(({ documentId }) => documentId);
    assert.deepEqual(await called('guide.md'), ['a', 'b']);
    assert.deepEqual(await called('docs/guide.md'), ['a', 'b']);
    assert.deepEqual(await called('/home/docs/guide.md'), ['a', 'b']);
    assert.deepEqual(await called('docs/a_guide.md'), []);
    assert.deepEqual(await called('a'), ['a']);
    assert.deepEqual(await called('é😀.md'), ['d']);
    assert.deepEqual(await called('/x/NUL \0\u0001/é😀.md'), ['d']);
    assert.deepEqual(await called('uide.md'), []);
    assert.deepEqual(await called(''), []);
  });

  test('heads of a tenant say what is held of each document for certain, a page at a time', async ({
    writer,
  }) => {
    const chunks = ['c2', 'c1', 'c3'].map((chunkId) => ({ chunkId, digest: 'x' }));
    await indexDocuments(
      writer,
      planned('b', { chunks, metadata: { sourceType: 'wiki' } }),
      planned('a'),
      planned('c', { tenant: 'other', itemId: 'of another' }),
      planned('e'),
    );
    await writer.plan([planned('d'), planned('b', { revision: 'r2', chunks: chunks.slice(1) })]);
    await writer.planDeletion(['e']);
    const head = { source: SOURCE, status: 'indexed', metadata: {}, indexedAt: AT };
    assert.deepEqual(await writer.heads(TENANT, undefined, 2), [
      { ...head, documentId: 'a', firstChunk: 'a-1' },
      { ...head, documentId: 'b', status: 'pending', firstChunk: 'c1' },
    ]);
    assert.deepEqual(await writer.heads(TENANT, 'b', 9), [
      { documentId: 'd', source: SOURCE, status: 'pending', metadata: {} },
      { documentId: 'e', source: SOURCE, status: 'pending', metadata: {} },
    ]);
    assert.deepEqual(await writer.heads('nobody', undefined, 9), []);
  });

  test('documents with fields under `knowledgeMetadata` are found, of every tenant, a page at a time', async ({
    writer,
  }) => {
    if (writer.folded === undefined) return;
    const folded = { knowledgeMetadata: { team: 'red' } };
    await indexDocuments(
      writer,
      planned('c', { metadata: folded, tenant: 'other', itemId: 'of another' }),
      planned('a', { metadata: folded }),
      planned('b', { metadata: { team: 'red', said: '"knowledgeMetadata":' } }),
    );
    assert.deepEqual(await writer.folded({ limit: 1 }), ['a']);
    assert.deepEqual(await writer.folded({ limit: 5, after: 'a' }), ['c']);
    await indexDocuments(writer, planned('a'));
    assert.deepEqual(await writer.folded({ limit: 5 }), ['c']);
  });

  test('every text that is kept of a document can be read', async ({ writer }) => {
    if (writer.texts === undefined) return;
    await indexDocuments(writer, planned('d', { text: 'first' }));
    await indexDocuments(writer, planned('d', { revision: 'r2', text: 'second' }));
    assert.deepEqual((await writer.texts('d')).sort(), ['first', 'second']);
    assert.deepEqual(await writer.texts('nobody'), []);
  });

  test('facts that a new revision lacks are gone', async ({ writer }) => {
    await indexDocuments(writer, planned('d', { project: 'p', title: 't', metadata: { a: 1 } }));
    await indexDocuments(writer, planned('d'));
    const document = await writer.document('d');
    assert.deepEqual([document?.project, document?.title, document?.metadata], [undefined, undefined, {}]);
  });

  test('documents of items are found, several of one item and none of another', async ({ writer }) => {
    await indexDocuments(
      writer,
      planned('b', { itemId: 'many' }),
      planned('a', { itemId: 'many' }),
      planned('c', { itemId: 'one' }),
      planned('d', { itemId: 'many', source: 'other' }),
    );
    const found = await writer.documentsOfItems(TENANT, SOURCE, ['one', 'none', 'many']);
    assert.deepEqual(
      found.map(({ documentId }) => documentId),
      ['c', 'a', 'b'],
    );
    assert.deepEqual(await writer.documentsOfItems(TENANT, SOURCE, []), []);
    assert.deepEqual(
      await writer.documentCounts(TENANT, SOURCE),
      new Map([
        ['many', 2],
        ['one', 1],
      ]),
    );
  });

  test('documents and chunks are paged in id order, each once', async ({ writer }) => {
    await indexDocuments(writer, ...['c', 'a', 'b', 'e', 'd'].map((id) => planned(id)));
    const documents = await allPages(writer.documents.bind(writer), ({ documentId }) => documentId);
    assert.deepEqual(
      documents.map(({ documentId }) => documentId),
      ['a', 'b', 'c', 'd', 'e'],
    );
    const chunks = await allPages(writer.allChunks.bind(writer), ({ chunkId }) => chunkId);
    assert.deepEqual(
      chunks.map(({ chunkId, documentId }) => [chunkId, documentId]),
      ['a', 'b', 'c', 'd', 'e'].map((id) => [`${id}-1`, id]),
    );
  });

  test('a document cannot be committed before it is planned', async ({ writer }) => {
    await writer.plan([planned('d')]);
    await assert.rejects(writer.commit(['d', 'nobody'], AT), /before it was planned/);
    assert.equal((await writer.document('d'))?.status, 'pending');
  });

  test('empty lists change nothing', async ({ writer }) => {
    assert.deepEqual(await writer.plan([]), []);
    assert.deepEqual(await writer.preview([]), []);
    assert.deepEqual(await writer.planDeletion([]), []);
    await writer.commit([], AT);
    await writer.forget([]);
    await writer.markChunksMissing([]);
    assert.deepEqual(await writer.documents(undefined, 10), []);
  });
};
