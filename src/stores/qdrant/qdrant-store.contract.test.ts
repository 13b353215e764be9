import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { withTestServer } from '../../../tests/with-test-server.js';
import { testVectorStore } from '../../testing/index.js';
import { SCHEMA_VERSION, specMetadata } from './collection-info.js';
import { collectionNameOf } from './qdrant-names.js';
import { createQdrantStore } from './qdrant-store.js';

/** The one that the test server asks for; a server without keys takes any. */
const KEY = process.env.RAGSTONE_TEST_QDRANT_KEY ?? 'ragstone-test-key';
const COLLECTIONS = ['contract', 'notes', 'other-notes_2'];

withTestServer({ describe, it }, { store: 'qdrant', variable: 'RAGSTONE_TEST_QDRANT_URL' }, (url) => {
  testVectorStore({
    name: 'qdrant',
    runner: { describe, it },
    server: url,
    create: async () => {
      // A namespace of its own for each test, so that the collections of one are empty in the next.
      const options = { url, apiKey: KEY, namespace: `t${randomUUID().replaceAll('-', '').slice(0, 20)}` };
      return {
        store: createQdrantStore(options),
        reopen: async (route) =>
          createQdrantStore(
            route === undefined
              ? options
              : { ...options, url: `http://${route.host}:${route.port}`, timeoutMs: route.timeoutMs },
          ),
        makeSchemaNewer: async (name) => {
          const spec = { name, dimensions: 8, fingerprint: 'model-a@1:8' };
          const address = new URL(`/collections/${collectionNameOf(options.namespace, name)}`, url);
          await fetch(address, {
            method: 'PATCH',
            headers: { 'content-type': 'application/json', 'api-key': KEY },
            body: JSON.stringify({ metadata: specMetadata(spec, SCHEMA_VERSION + 1) }),
          });
        },
        cleanup: async () => {
          const store = createQdrantStore(options);
          for (const collection of COLLECTIONS) await store.drop(collection);
          await store.close();
        },
      };
    },
  });
});
