import { RAGError } from '../../core/errors.js';
import { defineStore } from '../store-definition.js';

export const vertexAiSearchDefinition = defineStore({
  name: 'vertex_ai_search',
  reads: 'cloud',
  packages: ['@google-cloud/discoveryengine@2.9.0'],
  open: async ({ cloud }) => {
    if (cloud?.type !== undefined && cloud.type !== 'vertex_ai_search')
      throw invalid('type', `is "${cloud.type}", and rag.provider is vertex_ai_search: keep one of the two`);
    if (cloud?.project === undefined)
      throw invalid('project', 'is needed for Vertex AI Search: the id of the Google Cloud project');
    if (cloud.apiKey !== undefined)
      throw invalid(
        'apiKey',
        'is not read by Vertex AI Search, which takes no keys: set GOOGLE_APPLICATION_CREDENTIALS to the key file of a service account, or run `gcloud auth application-default login`',
      );
    if (cloud.index !== undefined)
      throw invalid(
        'index',
        'is not read by Vertex AI Search, where every collection is a data store of its own: use namespace',
      );
    const { createVertexSearchStore } = await import('./vertex-search-store.js');
    const { project, environment, namespace, controllerHost, timeoutMs } = cloud;
    return createVertexSearchStore({
      project,
      location: environment,
      url: controllerHost,
      namespace,
      timeoutMs,
    });
  },
});

const invalid = (setting: string, problem: string): RAGError =>
  new RAGError('CONFIG_INVALID', `rag.storage.cloud.${setting} ${problem}.`, {
    details: { key: `rag.storage.cloud.${setting}` },
  });
