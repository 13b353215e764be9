import { defineStore } from '../store-definition.js';
import { lanceStorageOptions } from './object-storage.js';

export const lancedbDefinition = defineStore({
  name: 'lancedb',
  packages: ['@lancedb/lancedb@0.37.1', 'apache-arrow@18.1.0'],
  reads: 's3',
  open: async ({ path, s3 }) => {
    // Lance logs its retries as warnings on stderr unless told otherwise; it reads this when it is loaded.
    process.env.RUST_LOG ??= 'error';
    const { createLanceDbStore } = await import('./lancedb-store.js');
    if (s3 === undefined) return createLanceDbStore({ path });
    return createLanceDbStore({ path: s3.url, storageOptions: lanceStorageOptions(s3) });
  },
});
