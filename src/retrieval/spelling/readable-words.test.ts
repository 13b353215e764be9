import { expect, it } from 'vitest';
import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { createMemoryStore } from '../../stores/memory/memory-store.js';
import type { TextQuery, VectorCollection } from '../../stores/vector-store.js';
import { readableWords } from './readable-words.js';

const TEXTS = ['Continuous integration builds every change.', 'Audit logs are kept by the archive.'];

async function collectionOf(texts: readonly string[]): Promise<VectorCollection> {
  const collection = await createMemoryStore().open({ name: 'words', dimensions: 1, fingerprint: 'f' });
  await collection.upsert(
    texts.map((content, index) => ({
      id: String(index),
      documentId: 'd',
      tenant: 'default',
      source: 's',
      access: OPEN_ACCESS,
      content,
      searchText: analyzeText(content).join(' '),
      identifiers: [],
      vector: Float32Array.of(1),
      metadata: {},
    })),
  );
  return collection;
}

it('words that passages hold together are looked up together, others alone, and each once', async () => {
  const collection = await collectionOf(TEXTS);
  const asked: (readonly string[])[] = [];
  const counting: VectorCollection = Object.assign(Object.create(collection), {
    searchText: (query: TextQuery) => {
      asked.push(query.terms);
      return collection.searchText?.(query);
    },
  });
  const words = readableWords({ collection: counting, held: new Set(), maxTopK: 100 });
  const terms = analyzeText('continuous integration change archive zookeeper');
  const held = await words?.held(terms);
  expect(terms.filter((term) => held?.has(term))).toEqual(terms.slice(0, -1));
  expect(asked).toEqual([terms, terms.slice(-1)]);
  await words?.held(terms.slice(0, -1));
  expect(asked).toHaveLength(2);
});
