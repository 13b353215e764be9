import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import {
  AzureSearchStore,
  BackendConnectionError,
  ChromaDBStore,
  ElasticsearchStore,
  get_knowledge_store,
  KnowledgeStoreConfig,
  OpenSearchStore,
  QdrantStore,
  VertexSearchStore,
} from '../src/knowledge-store.js';
import { startChroma } from './chroma-server.js';
import { checkContract } from './contract.js';
import { chooseBackend } from './environment.js';

const { TEST_CHROMA_PROGRAM, TEST_DATABASE_URL, TEST_OPENSEARCH_URL } = process.env;

/** A Chroma server for as long as the work goes on. */
async function withChroma(work: (port: number) => Promise<void>): Promise<void> {
  const chroma = await startChroma(TEST_CHROMA_PROGRAM ?? '');
  try {
    await work(chroma.port);
  } finally {
    await chroma.stop();
  }
}

/** An address that a test cannot run without. */
const given = (address: string | undefined): string => address ?? '';

test('the contract holds in the embedded store', async () => {
  chooseBackend({ KNOWLEDGE_STORE_BACKEND: 'embedded' });
  await checkContract(await get_knowledge_store());
});

test(
  'the contract holds on a Chroma server',
  { skip: TEST_CHROMA_PROGRAM === undefined && 'no chroma' },
  () =>
    withChroma(async (port) => {
      chooseBackend({
        KNOWLEDGE_STORE_BACKEND: 'chroma',
        KNOWLEDGE_STORE_HOST: '127.0.0.1',
        KNOWLEDGE_STORE_PORT: String(port),
      });
      await checkContract(await get_knowledge_store());
    }),
);

test('the contract holds on PostgreSQL with pgvector', {
  skip: TEST_DATABASE_URL === undefined && 'no server',
}, async () => {
  chooseBackend({ KNOWLEDGE_STORE_BACKEND: 'pgvector', KNOWLEDGE_STORE_URL: given(TEST_DATABASE_URL) });
  await checkContract(await get_knowledge_store());
});

test('the contract holds on an OpenSearch server', {
  skip: TEST_OPENSEARCH_URL === undefined && 'no server',
}, async () => {
  chooseBackend({ KNOWLEDGE_STORE_BACKEND: 'opensearch', KNOWLEDGE_STORE_URL: given(TEST_OPENSEARCH_URL) });
  await checkContract(await get_knowledge_store());
});

test(
  'ChromaDBStore is made with host, port and collection_name',
  { skip: TEST_CHROMA_PROGRAM === undefined && 'no chroma' },
  () =>
    withChroma((port) =>
      checkContract(new ChromaDBStore({ host: '127.0.0.1', port, collection_name: 'class-of-chroma' })),
    ),
);

test('the classes of the migration table are KnowledgeStores', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const account = {
    clientEmail: 'nobody@example.iam.gserviceaccount.com',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  for (const store of [
    new ChromaDBStore('127.0.0.1', 1),
    new QdrantStore('127.0.0.1', 1),
    new ElasticsearchStore('127.0.0.1', 1),
    new OpenSearchStore('127.0.0.1', 1),
    new AzureSearchStore('http://127.0.0.1:1', 'a key'),
    new VertexSearchStore({ project: 'example-project', url: 'http://127.0.0.1:1', account }),
  ]) {
    assert.equal(await store.health_check(), false);
    await assert.rejects(store.search('anything'), BackendConnectionError);
    await store.close();
  }
});

test('settings come from the environment, with the defaults of the document', () => {
  chooseBackend({});
  delete process.env.KNOWLEDGE_STORE_COLLECTION;
  const { host, port, collection_name, embedding_model } = KnowledgeStoreConfig.from_env();
  assert.deepEqual(
    [host, port, collection_name, embedding_model],
    ['localhost', 8000, 'asdlc_documents', 'all-MiniLM-L6-v2'],
  );
  process.env.KNOWLEDGE_STORE_BACKEND = 'mongodb';
  assert.throws(() => KnowledgeStoreConfig.from_env(), /KNOWLEDGE_STORE_BACKEND.*embedded.*chroma/);
});
