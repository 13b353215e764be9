import { describe, it } from 'vitest';
import { testVectorStore } from '../../testing/index.js';
import { createMemoryStore } from './memory-store.js';

testVectorStore({
  name: 'memory',
  runner: { describe, it },
  create: () => Promise.resolve({ store: createMemoryStore() }),
  randomFilters: 1_000,
});
