import { randomBytes } from 'node:crypto';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { RAGError } from '../../core/errors.js';
import { openBare } from '../../resources/assembly/open-store.js';
import { STORES } from '../../stores/definitions.js';
import type { VectorStore } from '../../stores/vector-store.js';

/** A collection without chunks, whose fingerprint is the key. */
const NAME = 'file-key';
const PREFIX = 'file-key-';
const KEY = /^file-key-([0-9a-f]{64})$/;

/**
 * The key by which files of the operator are encrypted that hold texts of a tenant with a store of its own. The store itself holds it, and nothing
 * else: the files alone are unreadable, and a customer who removes the store, or takes back the right to it, makes them
 * unreadable. Made where there is none.
 *
 * @throws RAGError `ENCRYPTION_FAILED` for a key that is none
 */
export async function fileKeyIn(store: VectorStore, dimensions: number): Promise<string> {
  if ((await store.describe(NAME)) === undefined) {
    const fingerprint = PREFIX + randomBytes(32).toString('hex');
    await store.open({ name: NAME, dimensions, fingerprint }).catch((error: unknown) => {
      // Another process was faster.
      if (!RAGError.isInstance(error) || error.reason !== 'STORE_FINGERPRINT_MISMATCH') throw error;
    });
  }
  const held = KEY.exec((await store.describe(NAME))?.fingerprint ?? '')?.[1];
  if (held !== undefined) return held;
  throw new RAGError(
    'ENCRYPTION_FAILED',
    `The collection "${NAME}" in the store of the customer holds no key for the files of its index. Put it back from a backup, or name another index.`,
  );
}

/** Leaves no key behind: files that it encrypted are unreadable from then on. */
export const removeFileKey = (store: VectorStore): Promise<void> => store.drop(NAME);

/** The same over a store of one of Ragstone's kinds, opened for this alone. */
export async function fileKeyOf(config: ResolvedConfig, dimensions: number): Promise<string> {
  const definition = STORES.find(({ name }) => name === config.rag.provider);
  if (definition === undefined) throw new RAGError('INTERNAL', `There is no store "${config.rag.provider}".`);
  const { store } = await openBare(definition, config);
  try {
    return await fileKeyIn(store, dimensions);
  } finally {
    await store.close();
  }
}

/** Asked once, and again where that failed. */
export function rememberedKey(ask: () => Promise<string>): () => Promise<string> {
  let asked: Promise<string> | undefined;
  return () => {
    asked ??= ask();
    asked.catch(() => {
      asked = undefined;
    });
    return asked;
  };
}
