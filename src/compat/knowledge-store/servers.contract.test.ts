import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { withTestServer } from '../../../tests/with-test-server.js';
import { createHashEmbedder } from '../../testing/index.js';
import { ChromaDBStore, ElasticsearchStore, OpenSearchStore, QdrantStore } from './index.js';
import { testKnowledgeStore } from './test-knowledge-store.js';
import { openStoreOfProject } from './test-project.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-knowledge-'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const CHROMA = {
  store: 'knowledge-store-chroma',
  contract: 'KnowledgeStore contract',
  variable: 'RAGSTONE_TEST_CHROMA_URL',
};
const OPENSEARCH = {
  store: 'knowledge-store-opensearch',
  contract: 'KnowledgeStore contract',
  variable: 'RAGSTONE_TEST_OPENSEARCH_URL',
};
const ELASTICSEARCH = {
  store: 'knowledge-store-elasticsearch',
  contract: 'KnowledgeStore contract',
  variable: 'RAGSTONE_TEST_ELASTICSEARCH_URL',
};
const QDRANT = {
  store: 'knowledge-store-qdrant',
  contract: 'KnowledgeStore contract',
  variable: 'RAGSTONE_TEST_QDRANT_URL',
};
const POSTGRES = {
  store: 'knowledge-store-postgres',
  contract: 'KnowledgeStore contract',
  variable: 'RAGSTONE_TEST_POSTGRES_URL',
};

withTestServer({ describe, it: test }, CHROMA, (url) => {
  testKnowledgeStore('chroma, alone', async () => {
    const { hostname, port } = new URL(url);
    return new ChromaDBStore({
      host: hostname,
      port: Number(port),
      collectionName: `test-${randomUUID()}`,
      embeddingFunction: createHashEmbedder(),
    });
  });
});

for (const [server, Store] of [
  [OPENSEARCH, OpenSearchStore],
  [ELASTICSEARCH, ElasticsearchStore],
] as const)
  withTestServer({ describe, it: test }, server, (url) => {
    testKnowledgeStore(
      `${Store.name}, alone`,
      async () =>
        new Store({
          url,
          collectionName: `test-${randomUUID()}`,
          embeddingFunction: createHashEmbedder(),
        }),
    );
  });
withTestServer({ describe, it: test }, QDRANT, (url) => {
  testKnowledgeStore(
    'qdrant, alone',
    async () =>
      new QdrantStore({
        url,
        apiKey: process.env.RAGSTONE_TEST_QDRANT_KEY ?? 'ragstone-test-key',
        collectionName: `test-${randomUUID()}`,
        embeddingFunction: createHashEmbedder(),
      }),
  );
});

withTestServer({ describe, it: test }, POSTGRES, (url) => {
  const storage = { server: { url } };
  testKnowledgeStore('postgres, alone', () => openStoreOfProject(folder, { provider: 'postgres', storage }));
  testKnowledgeStore('postgres, by engines that share a ledger', () =>
    openStoreOfProject(folder, { provider: 'postgres', storage, ledger: { type: 'postgres', url } }),
  );
});
