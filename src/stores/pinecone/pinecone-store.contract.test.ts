import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { withTestServer } from '../../../tests/with-test-server.js';
import { testVectorStore } from '../../testing/index.js';
import { SCHEMA_VERSION, specMetadata } from './collection-registry.js';
import { createPineconeStore } from './pinecone-store.js';

/** The one that the test server asks for. */
const KEY = 'ragstone-test-key';
/** The test server shows writes after a tenth of this. */
const EVENTUAL_MS = 1_200;

withTestServer({ describe, it }, { store: 'pinecone', variable: 'RAGSTONE_TEST_PINECONE_URL' }, (url) => {
  const request = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(new URL(path, url), {
      method,
      headers: { 'api-key': KEY, 'x-pinecone-api-version': '2026-04', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  testVectorStore({
    name: 'pinecone',
    runner: { describe, it },
    server: url,
    create: async () => {
      // An index of its own for each test, so that the collections of one are empty in the next.
      const index = `t-${randomUUID().slice(0, 18)}`;
      const options = {
        apiKey: KEY,
        controllerHost: url,
        index,
        namespace: 'contract',
        createIfNotExists: true,
        eventualMs: EVENTUAL_MS,
      };
      return {
        store: createPineconeStore(options),
        reopen: async (route) =>
          createPineconeStore(
            route === undefined
              ? options
              : {
                  ...options,
                  controllerHost: `http://${route.host}:${route.port}`,
                  timeoutMs: route.timeoutMs,
                },
          ),
        makeSchemaNewer: async (name) => {
          const spec = { dimensions: 8, fingerprint: 'model-a@1:8' };
          await request('POST', `/index/${index}/vectors/upsert`, {
            vectors: [
              {
                id: name,
                values: [1, 0, 0, 0, 0, 0, 0, 0],
                metadata: specMetadata(spec, SCHEMA_VERSION + 1),
              },
            ],
            namespace: 'contract/',
          });
          await new Promise((resolve) => setTimeout(resolve, EVENTUAL_MS / 2));
        },
        cleanup: async () => {
          for (const name of [index, `${index}-3`]) await request('DELETE', `/indexes/${name}`);
        },
      };
    },
  });
});
