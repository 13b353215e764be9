import { serverUrl } from '../server-address.js';
import { defineStore, type StoreContext } from '../store-definition.js';
import type { SearchServerOptions } from './server-options.js';

export const elasticsearchDefinition = defineStore({
  name: 'elasticsearch',
  packages: ['@elastic/elasticsearch@9.4.3'],
  reads: 'server',
  isShared: true,
  open: async (context) => {
    const { createElasticsearchStore } = await import('./elasticsearch-store.js');
    return createElasticsearchStore(optionsOf(context, 'apiKey'));
  },
});

export const opensearchDefinition = defineStore({
  name: 'opensearch',
  packages: ['@opensearch-project/opensearch@3.9.0'],
  reads: 'server',
  isShared: true,
  open: async (context) => {
    const { createOpenSearchStore } = await import('./elasticsearch-store.js');
    return createOpenSearchStore(optionsOf(context, 'bearer'));
  },
});

function optionsOf({ server }: StoreContext, keyKind: 'apiKey' | 'bearer'): SearchServerOptions {
  const { username, password, apiKey, namespace = 'ragstone', timeoutMs } = server ?? {};
  const options: SearchServerOptions = {
    url: serverUrl(server, 9200)?.href ?? 'http://localhost:9200',
    indexPrefix: `${namespace}-`,
    timeoutMs,
  };
  const key = apiKey?.reveal();
  if (key !== undefined)
    return { ...options, auth: keyKind === 'apiKey' ? { apiKey: key } : { bearer: key } };
  if (username === undefined || password === undefined) return options;
  return { ...options, auth: { username, password: password.reveal() } };
}
