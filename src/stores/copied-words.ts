import type { CollectionSpec, VectorStore } from './vector-store.js';

/** A lexical index holds no vectors; its records carry this one. */
export const NO_VECTOR = new Float32Array(1);
const NO_MODEL = 'none: lexical index only';

/** The collection that is copied now, or was when a process died. Its fingerprint is that collection's name. */
export const UNFINISHED = 'words-being-copied';

/** Runs work while no other process does such work. */
export type Exclusively = <T>(work: () => Promise<T>) => Promise<T>;

/** The lexical index of a store, and how its collections come to be. */
export interface WordsBeside {
  readonly store: VectorStore;
  readonly lexical: VectorStore;
  readonly exclusively: Exclusively;
}

/** What a lexical index calls the same collection. */
export const lexicalSpec = ({ name }: Pick<CollectionSpec, 'name'>): CollectionSpec => ({
  name,
  dimensions: 1,
  fingerprint: NO_MODEL,
});

/** Whether the lexical index has the whole collection. */
export async function hasWords({ lexical }: Pick<WordsBeside, 'lexical'>, name: string): Promise<boolean> {
  const unfinished = await lexical.describe(UNFINISHED);
  return unfinished?.fingerprint !== name && (await lexical.describe(name)) !== undefined;
}

/**
 * Copies the words of a collection into the lexical index where that lacks them: of a store that an earlier version searched
 * itself, or where the index was lost. Opening the collection waits for it, so nothing is written meanwhile; a death leaves it
 * to be begun again.
 */
export async function copyWords(parts: WordsBeside, name: string): Promise<void> {
  const { store, lexical, exclusively } = parts;
  if (store.writtenWords === undefined || (await hasWords(parts, name))) return;
  if ((await store.describe(name)) === undefined) return;
  await exclusively(async () => {
    // Another process may have been faster.
    if (await hasWords(parts, name)) return;
    const unfinished = await lexical.describe(UNFINISHED);
    if (unfinished !== undefined) {
      await lexical.drop(unfinished.fingerprint);
      await lexical.drop(UNFINISHED);
    }
    await lexical.open({ name: UNFINISHED, dimensions: 1, fingerprint: name });
    const collection = await lexical.open(lexicalSpec({ name }));
    for await (const part of store.writtenWords?.(name) ?? [])
      await collection.upsert(
        part.map(({ chunk, searchText }) => ({ ...chunk, searchText, vector: NO_VECTOR })),
      );
    await collection.optimize();
    await lexical.drop(UNFINISHED);
  });
}
