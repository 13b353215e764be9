import { describe, it } from 'vitest';
import { testVectorStore } from '../testing/index.js';
import { createMemoryStore } from './memory/memory-store.js';
import { withoutText } from './test-without-text.js';
import { withCollectionPrefix } from './with-collection-prefix.js';
import { withLexicalIndex } from './with-lexical-index.js';

testVectorStore({
  name: 'memory with a prefix',
  runner: { describe, it },
  create: async () => ({ store: withCollectionPrefix(createMemoryStore(), 'p') }),
});

testVectorStore({
  name: 'a store with a lexical index beside it',
  runner: { describe, it },
  create: () =>
    Promise.resolve({ store: withLexicalIndex(withoutText(createMemoryStore()), createMemoryStore()) }),
});
