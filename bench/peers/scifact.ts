import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { indexedTextOf } from '../../src/core/analysis/indexed-text.js';
import { openEmbeddingCache } from '../../src/embedding/disk-embedding-cache.js';
import { embedAll } from '../../src/embedding/embed-all.js';
import { createTransformersEmbedder } from '../../src/embedding/transformers/transformers-embedder.js';
import { readRetrievalDataset } from '../../src/evaluation/retrieval-dataset.js';
import { LOCAL_RESULTS, MINILM, SHARED } from '../shared/places.js';

export interface VectorDocument {
  readonly id: string;
  readonly title: string;
  /** Title and abstract, as embedded. */
  readonly text: string;
  readonly vector: Float32Array;
}

export interface VectorQuery {
  readonly id: string;
  readonly text: string;
  readonly vector: Float32Array;
}

/** SciFact's test split with MiniLM vectors. */
export interface SciFact {
  readonly documents: readonly VectorDocument[];
  readonly queries: readonly VectorQuery[];
  /** Relevance by document id, by query id. */
  readonly judgments: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Reads the set and its vectors; the first time they are computed, which takes 5 to 10 minutes, and kept for every later run. */
export async function readSciFact(): Promise<SciFact> {
  const { documents, queries, judgments } = await readRetrievalDataset(`${SHARED}data/retrieval/scifact`, {
    split: 'test',
  });
  const folder = join(LOCAL_RESULTS, 'quality', 'data', 'cache', 'embeddings');
  mkdirSync(folder, { recursive: true });
  const cache = openEmbeddingCache({ folder, maxMegabytes: 1000, onProblem: (text) => console.error(text) });
  const embedder = await createTransformersEmbedder({ model: MINILM });
  const texts = documents.map(({ title, text }) => indexedTextOf({ title, headingPath: [], content: text }));
  const ofDocuments = await embedAll(embedder, texts, 'document', { cache });
  const ofQueries = await embedAll(
    embedder,
    queries.map(({ text }) => text),
    'query',
    { cache },
  );
  cache.close();
  await embedder.close();
  const none = new Float32Array(embedder.dimensions);
  return {
    documents: documents.map(({ id, title }, i) => ({
      id,
      title,
      text: texts[i] ?? '',
      vector: ofDocuments.vectors[i] ?? none,
    })),
    queries: queries.map(({ id, text }, i) => ({ id, text, vector: ofQueries.vectors[i] ?? none })),
    judgments,
  };
}
