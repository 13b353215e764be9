import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { AzureSearchService } from '../../../tests/fakes/services/azure-search/azure-search-service.js';
import { TEST_ACCOUNT } from '../../../tests/fakes/services/vertex-search/test-account.js';
import { VertexSearchService } from '../../../tests/fakes/services/vertex-search/vertex-search-service.js';
import { createUsearchStore } from '../../stores/usearch-store.js';
import { createHashEmbedder } from '../../testing/index.js';
import { AzureSearchStore, getKnowledgeStore, KnowledgeStoreConfig, VertexSearchStore } from './index.js';
import { testKnowledgeStore } from './test-knowledge-store.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-knowledge-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

testKnowledgeStore('usearch, alone', async () =>
  getKnowledgeStore({
    store: createUsearchStore({ path: await mkdtemp(join(folder, 'usearch-')) }),
    embedder: createHashEmbedder(),
    config: new KnowledgeStoreConfig(),
    cwd: folder,
  }),
);

const azure = await AzureSearchService.start();
afterAll(() => azure.stop());
testKnowledgeStore(
  'Azure AI Search, alone',
  async () =>
    new AzureSearchStore({
      endpoint: azure.url,
      apiKey: 'admin-key',
      collectionName: `test-${randomUUID()}`,
      embeddingFunction: createHashEmbedder(),
    }),
);

const vertex = await VertexSearchService.start();
afterAll(() => vertex.stop());
testKnowledgeStore(
  'Vertex AI Search, alone',
  async () =>
    new VertexSearchStore({
      project: 'test-project',
      url: vertex.url,
      account: TEST_ACCOUNT,
      visibleWithinMs: 5_000,
      collectionName: `test-${randomUUID()}`,
      embeddingFunction: createHashEmbedder(),
    }),
);
