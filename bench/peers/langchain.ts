import { EnsembleRetriever } from '@langchain/classic/retrievers/ensemble';
import { MemoryVectorStore } from '@langchain/classic/vectorstores/memory';
import { BM25Retriever } from '@langchain/community/retrievers/bm25';
import { Document } from '@langchain/core/documents';
import { Embeddings } from '@langchain/core/embeddings';
import type { Contender } from './contender.js';
import type { VectorDocument } from './scifact.js';

/** Depth of each retriever below the ensemble. */
const CANDIDATES = 100;

/** Gives the vector that the next query is known to have. */
class GivenEmbeddings extends Embeddings {
  next: number[] = [];

  constructor() {
    super({});
  }

  embedDocuments(): Promise<number[][]> {
    return Promise.reject(new Error('The vectors of documents are given.'));
  }

  embedQuery(): Promise<number[]> {
    return Promise.resolve(this.next);
  }
}

/** LangChain.js in memory, which is where its BM25 retriever and its default vector store live. */
export const langchain: Contender = {
  name: 'LangChain.js (memory)',
  how: 'BM25Retriever and MemoryVectorStore, EnsembleRetriever (RRF, equal weights)',
  isPersistent: false,
  build: async (documents) => {
    await indexDocuments(documents);
  },
  open: async (documents) => {
    const { store, embeddings, pages } = await indexDocuments(documents);
    const lexical = BM25Retriever.fromDocuments(pages, { k: CANDIDATES });
    const ensemble = new EnsembleRetriever({
      retrievers: [lexical, store.asRetriever({ k: CANDIDATES })],
      weights: [0.5, 0.5],
    });
    const ids = (found: readonly Document[], topK: number): string[] =>
      found.slice(0, topK).map(({ metadata }) => String(metadata.id));
    return {
      lexical: async ({ text }, topK) => ids(await lexical.invoke(text), topK),
      hybrid: async ({ text, vector }, topK) => {
        embeddings.next = [...vector];
        return ids(await ensemble.invoke(text), topK);
      },
      close: () => Promise.resolve(),
    };
  },
};

async function indexDocuments(documents: readonly VectorDocument[]) {
  const embeddings = new GivenEmbeddings();
  const store = new MemoryVectorStore(embeddings);
  const pages = documents.map(({ id, text }) => new Document({ pageContent: text, metadata: { id }, id }));
  await store.addVectors(
    documents.map(({ vector }) => [...vector]),
    pages,
  );
  return { store, embeddings, pages };
}
