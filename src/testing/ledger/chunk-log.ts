import assert from 'node:assert/strict';
import type { DocumentPlan } from '../../ledger/ledger.js';
import type { LedgerPart, LedgerTest } from './contract.js';
import { AT, completed, indexDocuments, itemKey, planned, planOne, SOURCE, TENANT } from './records.js';

/** The write-ahead log of the store: what is planned, done, deleted and missing. */
export const testChunkLog: LedgerPart = (test) => {
  testPlans(test);
  testDeletions(test);
  testMissingChunks(test);
};

/** The document `d` with a chunk for each letter. */
const revision = (names: string, digest = 'a') =>
  planned('d', {
    revision: `${names} ${digest}`,
    chunks: [...names].map((name) => ({ chunkId: `d/${name}`, digest })),
  });

/** The parts of a plan that hold something, as letters. */
const lettersOf = ({ documentId, ...parts }: DocumentPlan): object => {
  assert.equal(documentId, 'd');
  const letters = Object.entries(parts).map(
    ([part, ids]) => [part, ids.map((id) => id.slice(2)).join('')] as const,
  );
  return Object.fromEntries(letters.filter(([, names]) => names !== ''));
};

const testPlans = (test: LedgerTest): void => {
  test('new chunks are written, live ones left, lacking ones deleted', async ({ writer }) => {
    assert.deepEqual(lettersOf(await planOne(writer, revision('ab'))), { toWrite: 'ab' });
    await writer.commit(['d'], AT);
    assert.deepEqual(lettersOf(await planOne(writer, revision('bc'))), {
      toWrite: 'c',
      unchanged: 'b',
      toDelete: 'a',
    });
    const states = (await writer.chunks('d')).map(({ chunkId, state }) => [chunkId, state]);
    assert.deepEqual(states.sort(), [
      ['d/a', 'stale'],
      ['d/b', 'live'],
      ['d/c', 'planned'],
    ]);
    assert.equal((await writer.document('d'))?.chunkCount, 2);
    await writer.commit(['d'], AT);
    assert.deepEqual(
      (await writer.chunks('d')).map(({ chunkId, ordinal, digest, state }) => [
        chunkId,
        ordinal,
        digest,
        state,
      ]),
      [
        ['d/b', 0, 'a', 'live'],
        ['d/c', 1, 'a', 'live'],
      ],
    );
  });

  test('chunks of several documents are those of each one', async ({ writer }) => {
    const ids = ['d', 'e', 'f'];
    const planned = ids.map((documentId) => {
      const { chunks, ...document } = revision('abc');
      const own = chunks.map(({ chunkId, digest }) => ({ chunkId: `${documentId}/${chunkId}`, digest }));
      return { ...document, documentId, externalId: documentId, chunks: own };
    });
    await writer.plan(planned);
    await writer.commit(['d', 'e'], AT);
    const asked = ['f', 'unknown', 'd', 'e'];
    const chunks = await writer.chunksOf(asked);
    assert.deepEqual([...chunks.keys()].sort(), asked.toSorted());
    for (const id of asked) assert.deepEqual(chunks.get(id), await writer.chunks(id));
    assert.equal(chunks.get('d')?.length, 3);
    assert.deepEqual(await writer.chunksOf([]), new Map());
  });

  test('a chunk whose digest changed is rewritten, and written for certain after a death', async ({
    writer,
  }) => {
    await indexDocuments(writer, revision('a', 'old'));
    assert.deepEqual(lettersOf(await planOne(writer, revision('a', 'new'))), { toRewrite: 'a' });
    // Killed here: the store may hold either version, so neither digest may count as unchanged.
    assert.deepEqual(lettersOf(await planOne(writer, revision('a', 'new'))), { toWrite: 'a' });
    assert.deepEqual(lettersOf(await planOne(writer, revision('a', 'old'))), { toWrite: 'a' });
  });

  test('a chunk of a dead attempt that the new revision lacks is deleted', async ({ writer }) => {
    await writer.plan([revision('ab')]);
    assert.deepEqual(lettersOf(await planOne(writer, revision('b'))), { toWrite: 'b', toDelete: 'a' });
    assert.deepEqual(lettersOf(await planOne(writer, revision('b'))), { toWrite: 'b', toDelete: 'a' });
    await writer.commit(['d'], AT);
    assert.deepEqual(lettersOf(await planOne(writer, revision('b'))), { unchanged: 'b' });
  });

  test('a chunk whose deletion was begun is written again', async ({ writer }) => {
    await indexDocuments(writer, revision('ab'));
    await writer.plan([revision('b')]);
    assert.deepEqual(lettersOf(await planOne(writer, revision('ab'))), { toWrite: 'a', unchanged: 'b' });
  });

  test('unchanged chunks that move keep the document order', async ({ writer }) => {
    await indexDocuments(writer, revision('abc'));
    assert.deepEqual(lettersOf(await planOne(writer, revision('cab'))), { unchanged: 'cab' });
    await writer.commit(['d'], AT);
    assert.deepEqual(
      (await writer.chunks('d')).map(({ chunkId }) => chunkId),
      ['d/c', 'd/a', 'd/b'],
    );
  });

  test('a preview says what a plan would, and records nothing', async ({ writer }) => {
    const unknown = planned('e');
    const [first] = await writer.preview([unknown]);
    assert.deepEqual(first?.toWrite, ['e-1']);
    assert.equal(await writer.document('e'), undefined);
    await indexDocuments(writer, revision('abc'));
    const preview = await writer.preview([revision('cd', 'b'), unknown]);
    assert.deepEqual(await writer.preview([revision('cd', 'b'), unknown]), preview);
    assert.equal((await writer.document('d'))?.status, 'indexed');
    assert.deepEqual(await writer.plan([revision('cd', 'b'), unknown]), preview);
  });

  test('plans come in the order of their documents', async ({ writer }) => {
    const ids = ['m', 'z', 'a', 'k'];
    const plans = await writer.plan(ids.map((id) => planned(id)));
    assert.deepEqual(
      plans.map(({ documentId }) => documentId),
      ids,
    );
  });

  test('a plan makes the item pending, so that going back is not taken for unchanged', async ({ writer }) => {
    const status = async () => (await writer.items(TENANT, SOURCE)).get('d.md')?.status;
    await indexDocuments(writer, revision('a'));
    assert.equal(await status(), 'indexed');
    await writer.plan([revision('b')]);
    assert.equal(await status(), 'pending');
    await writer.completeItems([completed('d')]);
    await writer.planDeletion(['d']);
    assert.equal(await status(), 'pending');
  });

  test('a plan is all or nothing over its documents', async ({ writer }) => {
    const twice = planned('x', { chunks: [...revision('aa').chunks] });
    await assert.rejects(writer.plan([revision('b'), twice]));
    assert.equal(await writer.document('d'), undefined);
    assert.equal(await writer.hasItems(TENANT, SOURCE), false);
    assert.deepEqual(await writer.allChunks(undefined, 10), []);
  });

  test('a chunk belongs to one document', async ({ writer }) => {
    await indexDocuments(writer, revision('a'));
    await assert.rejects(writer.plan([planned('x', { chunks: [{ chunkId: 'd/a', digest: 'mine' }] })]));
    assert.deepEqual(
      (await writer.chunks('d')).map(({ digest }) => digest),
      ['a'],
    );
    assert.equal(await writer.document('x'), undefined);
  });

  test('a document without chunks is one, too', async ({ writer }) => {
    await indexDocuments(writer, planned('d', { chunks: [] }));
    assert.equal((await writer.document('d'))?.chunkCount, 0);
    await indexDocuments(writer, revision('ab'));
    assert.deepEqual(lettersOf(await planOne(writer, planned('d', { chunks: [] }))), { toDelete: 'ab' });
    await writer.commit(['d'], AT);
    assert.deepEqual(await writer.chunks('d'), []);
  });

  test('thousands of chunks in one batch', async ({ writer }) => {
    const documents = Array.from({ length: 20 }, (_, d) =>
      planned(`d${d}`, {
        chunks: Array.from({ length: 250 }, (_, c) => ({ chunkId: `d${d}/${c}`, digest: `${c % 7}` })),
      }),
    );
    await indexDocuments(writer, ...documents);
    const plans = await writer.plan(documents);
    assert.ok(plans.every(({ unchanged }) => unchanged.length === 250));
    assert.equal((await writer.sources())[0]?.chunks, 5_000);
    assert.equal((await writer.planDeletion(documents.map(({ documentId }) => documentId))).length, 5_000);
  });
};

const testDeletions = (test: LedgerTest): void => {
  test('a document is forgotten only after its deletion was planned', async ({ writer }) => {
    await indexDocuments(writer, revision('ba'), planned('e'));
    await assert.rejects(writer.forget(['d']), /before its deletion was planned/);
    assert.deepEqual(await writer.planDeletion(['e', 'unknown', 'd']), ['e-1', 'd/b', 'd/a']);
    const document = await writer.document('d');
    assert.deepEqual([document?.status, document?.chunkCount], ['pending', 0]);
    assert.deepEqual(
      (await writer.chunks('d')).map(({ state }) => state),
      ['stale', 'stale'],
    );
    await writer.forget(['d', 'unknown']);
    assert.equal(await writer.document('d'), undefined);
    assert.equal(await writer.text('d'), undefined);
    assert.deepEqual(await writer.chunks('d'), []);
    assert.equal((await writer.document('e'))?.status, 'pending');
    assert.equal(await writer.text('e'), 'text');
    await writer.forget(['d']);
  });

  test('one that came back before it was forgotten is written again', async ({ writer }) => {
    await indexDocuments(writer, revision('ab'));
    await writer.planDeletion(['d']);
    assert.deepEqual(lettersOf(await planOne(writer, revision('bc'))), { toWrite: 'bc', toDelete: 'a' });
  });

  test('one whose deletion was planned counts as indexed only when it was written again', async ({
    writer,
  }) => {
    await indexDocuments(writer, revision('a'), planned('e'));
    await writer.plan([revision('b')]);
    assert.notEqual((await writer.document('d'))?.indexedAt, undefined);
    await writer.planDeletion(['d']);
    assert.equal((await writer.document('d'))?.indexedAt, undefined);
    await writer.plan([revision('c')]);
    assert.equal((await writer.document('d'))?.indexedAt, undefined);
    assert.notEqual((await writer.document('e'))?.indexedAt, undefined);
    await writer.commit(['d'], '2026-01-02T00:00:00.000Z');
    assert.equal((await writer.document('d'))?.indexedAt, '2026-01-02T00:00:00.000Z');
  });
};

const testMissingChunks = (test: LedgerTest): void => {
  test('chunks that the store lacks are planned again', async ({ writer }) => {
    await indexDocuments(writer, revision('ab'), planned('e'));
    await writer.markChunksMissing(['d/a', 'unknown']);
    assert.deepEqual(
      (await writer.chunks('d')).map(({ state }) => state),
      ['planned', 'live'],
    );
    assert.equal((await writer.document('d'))?.status, 'outdated');
    assert.equal((await writer.items(TENANT, SOURCE)).get('d.md')?.status, 'outdated');
    assert.equal((await writer.document('e'))?.status, 'indexed');
    assert.equal((await writer.items(TENANT, SOURCE)).get('e.md')?.status, 'indexed');
    assert.deepEqual(lettersOf(await planOne(writer, revision('ab'))), { toWrite: 'a', unchanged: 'b' });
  });

  test('neither chunks nor documents that are being written change by that', async ({ writer }) => {
    await indexDocuments(writer, revision('ab'));
    await writer.plan([revision('bc')]);
    await writer.markChunksMissing(['d/a', 'd/c']);
    const states = (await writer.chunks('d')).map(({ chunkId, state }) => [chunkId, state]);
    assert.deepEqual(states.sort(), [
      ['d/a', 'stale'],
      ['d/b', 'live'],
      ['d/c', 'planned'],
    ]);
    assert.equal((await writer.document('d'))?.status, 'pending');
    await writer.failItem(itemKey('d'), { reason: 'DOCUMENT_INVALID', message: 'm', at: AT });
    await writer.markChunksMissing(['d/b']);
    assert.equal((await writer.items(TENANT, SOURCE)).get('d.md')?.status, 'failed');
  });
};
