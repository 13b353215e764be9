import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { withTestServer } from '../../../tests/with-test-server.js';
import { testVectorStore } from '../../testing/index.js';
import { describeSpec, SCHEMA_VERSION } from './collection-class.js';
import { classNameOf } from './weaviate-names.js';
import { createWeaviateStore } from './weaviate-store.js';

const COLLECTIONS = ['contract', 'notes', 'other-notes_2'];

withTestServer({ describe, it }, { store: 'weaviate', variable: 'RAGSTONE_TEST_WEAVIATE_URL' }, (url) => {
  testVectorStore({
    name: 'weaviate',
    runner: { describe, it },
    server: url,
    create: async () => {
      // A namespace of its own for each test, so that the collections of one are empty in the next.
      const options = { url, namespace: `t${randomUUID().replaceAll('-', '').slice(0, 20)}` };
      return {
        store: createWeaviateStore(options),
        reopen: async (route) =>
          createWeaviateStore(
            route === undefined
              ? options
              : { ...options, url: `http://${route.host}:${route.port}`, timeoutMs: route.timeoutMs },
          ),
        makeSchemaNewer: async (name) => {
          const address = new URL(`/v1/schema/${classNameOf(options.namespace, name)}`, url);
          const found = (await (await fetch(address)).json()) as Record<string, unknown>;
          const spec = { name, dimensions: 8, fingerprint: 'model-a@1:8' };
          await fetch(address, {
            method: 'PUT',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ ...found, description: describeSpec(spec, SCHEMA_VERSION + 1) }),
          });
        },
        cleanup: async () => {
          const store = createWeaviateStore(options);
          for (const collection of COLLECTIONS) await store.drop(collection);
          await store.close();
        },
      };
    },
  });
});
