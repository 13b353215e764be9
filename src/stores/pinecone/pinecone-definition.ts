import { RAGError } from '../../core/errors.js';
import { defineStore } from '../store-definition.js';

export const pineconeDefinition = defineStore({
  name: 'pinecone',
  reads: 'cloud',
  packages: ['@pinecone-database/pinecone@8.2.0'],
  open: async ({ cloud }) => {
    if (cloud?.type !== undefined && cloud.type !== 'pinecone')
      throw invalid('type', `is "${cloud.type}", and rag.provider is pinecone: keep one of the two`);
    if (cloud?.apiKey === undefined)
      throw invalid(
        'apiKey',
        "is needed for Pinecone: apiKey: 'env:PINECONE_API_KEY' reads it from the environment",
      );
    const { createPineconeStore } = await import('./pinecone-store.js');
    const { apiKey, index, namespace, environment, createIfNotExists, controllerHost, timeoutMs } = cloud;
    return createPineconeStore({
      apiKey: apiKey.reveal(),
      index,
      namespace,
      environment,
      createIfNotExists,
      controllerHost,
      timeoutMs,
    });
  },
});

const invalid = (setting: string, problem: string): RAGError =>
  new RAGError('CONFIG_INVALID', `rag.storage.cloud.${setting} ${problem}.`, {
    details: { key: `rag.storage.cloud.${setting}` },
  });
