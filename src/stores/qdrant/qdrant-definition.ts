import { serverUrl } from '../server-address.js';
import { defineStore } from '../store-definition.js';

const DEFAULT_PORT = 6333;

export const qdrantDefinition = defineStore({
  name: 'qdrant',
  reads: 'server',
  packages: ['@qdrant/js-client-rest@1.18.0'],
  open: async ({ server }) => {
    const { createQdrantStore } = await import('./qdrant-store.js');
    const url = serverUrl(server, DEFAULT_PORT);
    // As text, because `URL` drops a port that is usual for its scheme, and without one the port is Qdrant's.
    const ofHost = url && `${url.protocol}//${url.hostname}:${server?.port ?? DEFAULT_PORT}`;
    return createQdrantStore({
      url: server?.url?.reveal() ?? ofHost,
      apiKey: server?.apiKey?.reveal(),
      namespace: server?.namespace,
      timeoutMs: server?.timeoutMs,
    });
  },
});
