import { randomUUID } from 'node:crypto';
import { afterAll, describe, it } from 'vitest';
import { AzureSearchService } from '../../../tests/fakes/services/azure-search/azure-search-service.js';
import { testVectorStore } from '../../testing/index.js';
import { indexNameOf } from './azure-names.js';
import { createAzureSearchStore } from './azure-search-store.js';
import { indexDefinition, SCHEMA_VERSION } from './index-schema.js';

const service = await AzureSearchService.start();
afterAll(() => service.stop());

testVectorStore({
  name: 'Azure AI Search, a service of ours',
  runner: { describe, it },
  server: service.url,
  create: async () => {
    // A namespace for each test, so that the collections of one are empty in the next.
    const namespace = `t${randomUUID().replaceAll('-', '').slice(0, 20)}`;
    const options = { url: service.url, apiKey: 'admin-key', namespace, visibleWithinMs: 500 };
    return {
      store: createAzureSearchStore(options),
      reopen: async (route) =>
        createAzureSearchStore(
          route === undefined
            ? options
            : { ...options, url: `http://${route.host}:${route.port}`, timeoutMs: route.timeoutMs },
        ),
      makeSchemaNewer: async (name) => {
        const { AzureKeyCredential, SearchIndexClient } = await import('@azure/search-documents');
        const client = new SearchIndexClient(service.url, new AzureKeyCredential('admin-key'), {
          allowInsecureConnection: true,
        });
        const spec = { name, dimensions: 8, fingerprint: 'model-a@1:8' };
        await client.createOrUpdateIndex(
          indexDefinition(indexNameOf(namespace, name), spec, SCHEMA_VERSION + 1),
        );
      },
    };
  },
});
