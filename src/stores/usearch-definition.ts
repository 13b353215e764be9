import { defineStore, type StoreContext } from './store-definition.js';
import type { VectorStore } from './vector-store.js';

async function open({ path }: StoreContext): Promise<VectorStore> {
  const { createUsearchStore } = await import('./usearch-store.js');
  return createUsearchStore({ path });
}

export const usearchDefinition = defineStore({ name: 'usearch', open });

/** FAISS has no maintained binding for Node; usearch has its role. */
export const faissDefinition = defineStore({ name: 'faiss', standsFor: 'usearch', open });
