import { randomUUID } from 'node:crypto';
import { afterAll, describe, it } from 'vitest';
import { TEST_ACCOUNT } from '../../../tests/fakes/services/vertex-search/test-account.js';
import { VertexSearchService } from '../../../tests/fakes/services/vertex-search/vertex-search-service.js';
import { testVectorStore } from '../../testing/index.js';
import { displayNameOf, SCHEMA_VERSION } from './data-store-schema.js';
import { dataStoreIdOf } from './vertex-names.js';
import { createVertexSearchStore } from './vertex-search-store.js';

const service = await VertexSearchService.start();
afterAll(() => service.stop());

testVectorStore({
  name: 'Vertex AI Search, a service of ours',
  runner: { describe, it },
  server: service.url,
  // A batch of 10,000 is 100 imports and many pages, all in this process: minutes on a machine with much to do.
  timeoutMs: 600_000,
  create: async () => {
    // A namespace for each test, so that the collections of one are empty in the next.
    const namespace = `t${randomUUID().replaceAll('-', '').slice(0, 20)}`;
    const options = {
      project: 'test-project',
      url: service.url,
      account: TEST_ACCOUNT,
      namespace,
      visibleWithinMs: 2_000,
    };
    return {
      store: createVertexSearchStore(options),
      reopen: async (route) =>
        createVertexSearchStore(
          route === undefined
            ? options
            : { ...options, url: `http://${route.host}:${route.port}`, timeoutMs: route.timeoutMs },
        ),
      makeSchemaNewer: async (name) => {
        const spec = { name, dimensions: 8, fingerprint: 'model-a@1:8' };
        service.rename(dataStoreIdOf(namespace, name), displayNameOf(spec, SCHEMA_VERSION + 1));
      },
    };
  },
});
