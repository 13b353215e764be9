import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ASDLCError,
  BackendConnectionError,
  DocumentNotFoundError,
  EmbeddingError,
  get_knowledge_store,
  IndexingError,
  KnowledgeStoreError,
  SearchError,
} from '../src/knowledge-store.js';
import { chooseBackend } from './environment.js';

chooseBackend({ KNOWLEDGE_STORE_BACKEND: 'embedded' });

test('every error of the hierarchy is a KnowledgeStoreError and an ASDLCError', () => {
  for (const Class of [
    DocumentNotFoundError,
    IndexingError,
    SearchError,
    EmbeddingError,
    BackendConnectionError,
  ]) {
    const error = new Class('INTERNAL', 'It failed.');
    assert.ok(error instanceof KnowledgeStoreError && error instanceof ASDLCError && error instanceof Error);
    assert.equal(error.name, Class.name);
  }
});

test('a search ranks by words and by meaning, so a number that stands in one document finds it', async () => {
  const store = await get_knowledge_store();
  const lines = [
    'The account is locked for a while.',
    'Locked accounts open again later (AUTH-117).',
    'Sessions end at night.',
  ];
  await store.index_documents(lines.map((content, i) => ({ doc_id: `d${i}`, content })));
  assert.equal((await store.search('AUTH-117', 1))[0]?.doc_id, 'd1');
  assert.equal((await store.search('when does a session end?', 1))[0]?.doc_id, 'd2');
  await store.close();
});

test('collections never meet: one for each epic is another KNOWLEDGE_STORE_COLLECTION', async () => {
  const contents: (readonly string[])[] = [];
  for (const epic of ['E001', 'E002']) {
    chooseBackend({ KNOWLEDGE_STORE_BACKEND: 'embedded', KNOWLEDGE_STORE_COLLECTION: `epic-${epic}` });
    const store = await get_knowledge_store();
    await store.index_document('plan.md', `The plan of ${epic}.`);
    contents.push((await store.search('the plan', 10)).map(({ content }) => content));
    await store.close();
  }
  assert.deepEqual(contents, [['The plan of E001.'], ['The plan of E002.']]);
});

test('ids, content and metadata are checked before anything is written', async () => {
  chooseBackend({ KNOWLEDGE_STORE_BACKEND: 'embedded' });
  const store = await get_knowledge_store();
  const good = { doc_id: 'good', content: 'A good one.' };
  for (const bad of [
    { doc_id: 'x'.repeat(200), content: 'text' },
    { doc_id: 'a', content: 'text', metadata: { nested: { sql: '1 OR 1=1' } } },
    { doc_id: 'a', content: 'text', metadata: { $tenant: 'other' } },
  ])
    await assert.rejects(store.index_documents([good, bad as typeof good]), IndexingError);
  assert.equal(await store.get_by_id('good'), null);
  await store.close();
});

test('many documents at once are written as one, and a document that did not change costs no vector', async () => {
  chooseBackend({ KNOWLEDGE_STORE_BACKEND: 'embedded' });
  const store = await get_knowledge_store();
  const documents = Array.from({ length: 120 }, (_, i) => ({
    doc_id: `n${i}`,
    content: `Note ${i} about the weather.`,
  }));
  assert.equal(await store.index_documents(documents), 120);
  assert.equal(await store.index_documents(documents), 120);
  assert.equal((await store.search({ query: 'weather', top_k: 100 })).length, 100);
  await store.close();
});
