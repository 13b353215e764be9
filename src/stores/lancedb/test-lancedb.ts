import { join } from 'node:path';
import { createLibsqlStore } from '../libsql/libsql-store.js';
import type { VectorStore } from '../vector-store.js';
import { withLexicalIndex } from '../with-lexical-index.js';
import { createLanceDbStore } from './lancedb-store.js';

/** The store as an engine has it: with an index of words beside it. */
export const openLanceDbWithWords = (folder: string): VectorStore =>
  withLexicalIndex(
    createLanceDbStore({ path: join(folder, 'vectors') }),
    createLibsqlStore({ path: join(folder, 'words.db') }),
  );
