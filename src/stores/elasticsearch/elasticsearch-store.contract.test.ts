import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { withTestServer } from '../../../tests/with-test-server.js';
import { type ServerRoute, testVectorStore } from '../../testing/index.js';
import type { VectorStore } from '../vector-store.js';
import { SCHEMA_VERSION } from './collection-index.js';
import { createElasticsearchStore, createOpenSearchStore } from './elasticsearch-store.js';
import type { SearchServerOptions } from './server-options.js';

const SERVERS = [
  { name: 'elasticsearch', variable: 'RAGSTONE_TEST_ELASTICSEARCH_URL', create: createElasticsearchStore },
  { name: 'opensearch', variable: 'RAGSTONE_TEST_OPENSEARCH_URL', create: createOpenSearchStore },
];

for (const { name, variable, create } of SERVERS) {
  withTestServer({ describe, it }, { store: name, variable }, (url) => {
    for (const vectorIndex of ['hnsw', 'flat'] as const)
      testVectorStore({
        name: `${name}, ${vectorIndex}`,
        runner: { describe, it },
        server: url,
        create: async () => fixture(create, { url, vectorIndex, indexPrefix: `test-${randomUUID()}-` }),
      });
  });
}

const COLLECTIONS = ['contract', 'notes', 'other-notes_2'];

function fixture(create: (options: SearchServerOptions) => VectorStore, options: SearchServerOptions) {
  return {
    store: create(options),
    reopen: async (route?: ServerRoute) =>
      create(
        route === undefined
          ? options
          : { ...options, url: `http://${route.host}:${route.port}`, timeoutMs: route.timeoutMs },
      ),
    makeSchemaNewer: async (collection: string) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ _meta: { ragstone: { schemaVersion: SCHEMA_VERSION + 1 } } });
      const mapping = new URL(`/${options.indexPrefix}${collection}/_mapping`, options.url);
      await fetch(mapping, { method: 'PUT', headers, body });
    },
    cleanup: async () => {
      const store = create(options);
      for (const collection of COLLECTIONS) await store.drop(collection);
      await store.close();
    },
  };
}
