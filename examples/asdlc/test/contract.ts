import assert from 'node:assert/strict';
import {
  Document,
  DocumentNotFoundError,
  IndexingError,
  type KnowledgeStore,
  SearchError,
} from '../src/knowledge-store.js';

const LONG = Array.from(
  { length: 40 },
  (_, i) => `## Part ${i}\n\n${`Paragraph ${i} about subject${i} and its many details. `.repeat(12)}\n\n`,
).join('');

/** What every KnowledgeStore does, whatever keeps its documents. `store` is empty. */
export async function checkContract(store: KnowledgeStore): Promise<void> {
  assert.equal(await store.health_check(), true);
  assert.equal(await store.get_by_id('nobody'), null);
  assert.deepEqual(await store.search('anything'), []);

  const metadata = { type: 'spec', epic: 7, ratio: 0.5, draft: false };
  assert.equal(
    await store.index_document('spec/a.md', '# Login\n\nUsers sign in with a token.', metadata),
    true,
  );
  const document = await store.get_by_id('spec/a.md');
  assert.ok(document instanceof Document);
  assert.equal(document.content, '# Login\n\nUsers sign in with a token.');
  assert.deepEqual(document.metadata, metadata);

  await store.index_documents([
    { doc_id: 'long.md', content: LONG, metadata: { type: 'docs' } },
    {
      doc_id: 'other.md',
      content: 'Nothing of that kind: a recipe for bread.',
      metadata: { type: 'docs', epic: 8 },
    },
  ]);
  assert.equal((await store.get_by_id('long.md'))?.content, LONG);
  const found = await store.search('subject31 details', 10);
  assert.equal(found.filter(({ doc_id }) => doc_id === 'long.md').length, 1);
  assert.equal(found[0]?.doc_id, 'long.md');
  const scores = found.map(({ score }) => score);
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
  assert.ok(scores.every((score) => score >= 0 && score <= 1));
  assert.equal(found[0]?.source, 'long.md');

  const ids = async (filters: Record<string, string | number | boolean>): Promise<string[]> =>
    (await store.search({ query: 'anything at all', top_k: 100, filters }))
      .map(({ doc_id }) => doc_id)
      .sort();
  assert.deepEqual(await ids({ type: 'docs' }), ['long.md', 'other.md']);
  assert.deepEqual(await ids({ type: 'docs', epic: 8 }), ['other.md']);
  assert.deepEqual(await ids({ epic: '8' }), []);
  assert.deepEqual(await ids({ draft: false }), ['spec/a.md']);

  await store.index_document('long.md', 'Short now: the orchard.', { type: 'docs' });
  assert.equal((await store.get_by_id('long.md'))?.content, 'Short now: the orchard.');
  assert.equal((await store.search('the orchard', 1))[0]?.doc_id, 'long.md');

  assert.equal(await store.delete('other.md'), true);
  assert.equal(await store.delete('other.md'), false);
  assert.equal(await store.get_by_id('other.md'), null);
  assert.deepEqual(await ids({ type: 'docs' }), ['long.md']);

  await assert.rejects(store.search('x', 101), SearchError);
  await assert.rejects(store.search(' '), SearchError);
  await assert.rejects(store.index_document('', 'no id'), IndexingError);
  await assert.rejects(store.require_by_id('nobody'), DocumentNotFoundError);
  await store.close();
  assert.equal(await store.health_check(), false);
}
