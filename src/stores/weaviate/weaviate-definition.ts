import { serverUrl } from '../server-address.js';
import { defineStore } from '../store-definition.js';

export const weaviateDefinition = defineStore({
  name: 'weaviate',
  reads: 'server',
  open: async ({ server }) => {
    const { createWeaviateStore } = await import('./weaviate-store.js');
    return createWeaviateStore({
      url: serverUrl(server, 8080)?.href,
      apiKey: server?.apiKey?.reveal(),
      namespace: server?.namespace,
      timeoutMs: server?.timeoutMs,
    });
  },
});
