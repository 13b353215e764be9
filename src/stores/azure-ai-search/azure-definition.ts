import { RAGError } from '../../core/errors.js';
import { serverUrl } from '../server-address.js';
import { defineStore } from '../store-definition.js';

const HTTPS_PORT = 443;

export const azureAiSearchDefinition = defineStore({
  name: 'azure_ai_search',
  reads: 'server',
  packages: ['@azure/search-documents@13.0.0'],
  open: async ({ server }) => {
    const { createAzureSearchStore } = await import('./azure-search-store.js');
    const url = serverUrl(server, HTTPS_PORT);
    if (url === undefined)
      throw new RAGError(
        'CONFIG_INVALID',
        'rag.storage.server.url is missing: the address of Azure AI Search, like https://NAME.search.windows.net.',
        { details: { key: 'rag.storage.server.url' } },
      );
    return createAzureSearchStore({
      url: url.href,
      apiKey: server?.apiKey?.reveal(),
      namespace: server?.namespace,
      timeoutMs: server?.timeoutMs,
    });
  },
});
