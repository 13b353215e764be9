import { defineStore } from '../store-definition.js';

export const memoryDefinition = defineStore({
  name: 'memory',
  open: async () => {
    const { createMemoryStore } = await import('./memory-store.js');
    return createMemoryStore();
  },
});
