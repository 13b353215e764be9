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

const serverOf = (name: string) => ({
  store: `knowledge-store-${name}`,
  contract: 'KnowledgeStore contract',
  variable: `RAGSTONE_TEST_${name.toUpperCase()}_URL`,
});
/** A collection of its own, and a model that is loaded at once. */
const apart = () => ({ collectionName: `test-${randomUUID()}`, embeddingFunction: createHashEmbedder() });

withTestServer({ describe, it: test }, serverOf('chroma'), (url) => {
  testKnowledgeStore('chroma, alone', async () => {
    const { hostname, port } = new URL(url);
    return new ChromaDBStore({
      host: hostname,
      port: Number(port),
      ...apart(),
    });
  });
});

for (const [server, Store] of [
  ['opensearch', OpenSearchStore],
  ['elasticsearch', ElasticsearchStore],
] as const)
  withTestServer({ describe, it: test }, serverOf(server), (url) => {
    testKnowledgeStore(
      `${Store.name}, alone`,
      async () =>
        new Store({
          url,
          ...apart(),
        }),
    );
  });
withTestServer({ describe, it: test }, serverOf('qdrant'), (url) => {
  testKnowledgeStore(
    'qdrant, alone',
    async () =>
      new QdrantStore({
        url,
        apiKey: process.env.RAGSTONE_TEST_QDRANT_KEY ?? 'ragstone-test-key',
        ...apart(),
      }),
  );
});

withTestServer({ describe, it: test }, serverOf('postgres'), (url) => {
  const storage = { server: { url } };
  testKnowledgeStore('postgres, alone', () => openStoreOfProject(folder, { provider: 'postgres', storage }));
  testKnowledgeStore('postgres, by engines that share a ledger', () =>
    openStoreOfProject(folder, { provider: 'postgres', storage, ledger: { type: 'postgres', url } }),
  );
});
