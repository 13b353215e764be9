import * as z from 'zod';
import { STORES } from '../../stores/definitions.js';
import { cloudFields, objectStorageSettings, serverSettings } from '../../stores/store-settings.js';

/** Providers that this version can run. */
export const BUILT_PROVIDERS: readonly BuiltProvider[] = STORES.map(({ name }) => name);
export type BuiltProvider = (typeof STORES)[number]['name'];

/** Every provider name that the configuration understands. */
export const PROVIDERS = ['auto', ...BUILT_PROVIDERS] as const;

const local = z
  .strictObject({
    type: z
      .enum(PROVIDERS)
      .optional()
      .describe('Kind of the local store. Only informs: `rag.provider` decides.'),
    path: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Folder of the store, relative to the project's folder. Default: `store` in the data folder.",
      ),
    persist: z
      .boolean()
      .default(true)
      .describe(
        'Keep the index on disk. `false` keeps it in memory for the life of the process (`provider: memory`).',
      ),
    collection: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,48}$/, 'must be 1 to 48 letters, digits, `_` or `-`')
      .default('ragstone')
      .describe('Name of the collection in the store.'),
  })
  .prefault({})
  .describe('Store on this machine.');

const cloud = z
  .strictObject({ type: z.enum(PROVIDERS).optional().describe('Kind of the hosted store.'), ...cloudFields })
  .optional()
  .describe('Hosted store. Read only where `rag.provider` names it.');

/** `rag.storage`: where chunks and vectors are kept. */
export const storageSchema = z
  .strictObject({ local, server: serverSettings, s3: objectStorageSettings, cloud })
  .prefault({})
  .describe('Where chunks and vectors are kept.');
