import { extractIdentifiers } from '../../src/core/analysis/identifiers.js';
import { analyzeText } from '../../src/core/analysis/lexical-analyzer.js';
import { EVERYTHING } from '../../src/core/filter.js';
import { LOCAL_SCOPE, OPEN_ACCESS } from '../../src/core/scope.js';
import { createRetriever } from '../../src/retrieval/create-retriever.js';
import { DEFAULT_RETRIEVAL_SETTINGS } from '../../src/retrieval/default-settings.js';
import { scopeCollection } from '../../src/stores/scoped-collection.js';
import type { VectorStore } from '../../src/stores/vector-store.js';
import type { Contender } from './contender.js';

const BATCH = 2_000;
const SPEC = { name: 'chunks-1', dimensions: 384, fingerprint: 'scifact-minilm' };

/** The read path of the engine over one of its stores, through the scope of the asker; no step is left out. */
export function ragstone(store: 'lancedb' | 'libsql'): Contender {
  return {
    name: `Ragstone (${store})`,
    how: 'BM25 and vectors, convex combination, defaults for MiniLM',
    isPersistent: true,
    build: async (documents, folder) => {
      const opened = await openStore(store, folder);
      const collection = await opened.open(SPEC);
      for (let start = 0; start < documents.length; start += BATCH)
        await collection.upsert(
          documents.slice(start, start + BATCH).map(({ id, title, text, vector }) => ({
            id,
            documentId: id,
            tenant: LOCAL_SCOPE.tenant,
            source: 'scifact',
            access: OPEN_ACCESS,
            content: text,
            searchText: analyzeText(text).join(' '),
            identifiers: extractIdentifiers(text),
            vector,
            metadata: { source: id, title },
          })),
        );
      await collection.optimize();
      await opened.close();
    },
    open: async (_documents, folder) => {
      const opened = await openStore(store, folder);
      const collection = await opened.open(SPEC);
      let vector: Float32Array = new Float32Array(SPEC.dimensions);
      const retriever = createRetriever({
        collection: scopeCollection(collection, LOCAL_SCOPE),
        capabilities: opened.capabilities,
        embedQuery: () => Promise.resolve(vector),
        modelKey: 'transformers:all-MiniLM-L6-v2',
        settings: DEFAULT_RETRIEVAL_SETTINGS,
      });
      const ask = async (mode: 'lexical' | 'hybrid', text: string, topK: number): Promise<string[]> => {
        const { candidates } = await retriever.retrieve({
          text,
          mode,
          topK,
          filter: EVERYTHING,
          minSimilarity: 0,
          rerank: false,
        });
        return candidates.map(({ chunk }) => chunk.id);
      };
      return {
        lexical: (query, topK) => ask('lexical', query.text, topK),
        hybrid: (query, topK) => {
          vector = query.vector;
          return ask('hybrid', query.text, topK);
        },
        close: () => opened.close(),
      };
    },
  };
}

async function openStore(store: 'lancedb' | 'libsql', folder: string): Promise<VectorStore> {
  const { createLibsqlStore } = await import('../../src/stores/libsql/libsql-store.js');
  const local = createLibsqlStore({ path: `${folder}/store.db` });
  if (store === 'libsql') return local;
  const { createLanceDbStore } = await import('../../src/stores/lancedb/lancedb-store.js');
  const { withLexicalIndex } = await import('../../src/stores/with-lexical-index.js');
  return withLexicalIndex(createLanceDbStore({ path: folder }), local);
}
