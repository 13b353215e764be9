import * as z from 'zod';
import { wholeNumber } from '../../core/setting-values.js';
import { BUILT_PROVIDERS, type BuiltProvider, storageSchema } from './storage.js';

// What forgets, and names that stand for another store, are none.
const STORES = BUILT_PROVIDERS.filter((name) => name !== 'memory' && name !== 'faiss');
type KeptStore = Exclude<BuiltProvider, 'memory' | 'faiss'>;
const provider = z.enum(STORES as [KeptStore, ...KeptStore[]]);

const member = (storage: string) =>
  z.strictObject({
    provider: provider.describe('Kind of the store, as `rag.provider` names it.'),
    name: z
      .string()
      .regex(
        /^[a-z][a-z0-9_-]{0,31}$/,
        'must be 1 to 32 lower-case letters, digits, `_` or `-`, a letter first',
      )
      .optional()
      .describe(
        'What it is called in `ragstone stores`. Default: `provider`; two of one kind need different names.',
      ),
    storage: storageSchema.optional().describe(storage),
  });

/** `rag.failover`: a second store that holds the same, and is read while the first does not answer. */
export const failoverSchema = z
  .strictObject({
    primary: z
      .union([provider, member('Its settings, as `rag.storage`. Default: `rag.storage`.')])
      .optional()
      .describe(
        'The store that is asked first: the name of a store, or an object with `provider` and `storage`. Default: `rag.provider` with `rag.storage`.',
      ),
    secondary: z
      .union([
        provider,
        member(
          'Its settings, as `rag.storage`. Default: a server on this machine, a folder in the data folder.',
        ),
      ])
      .describe('The other store: the name of a store, or an object with `provider` and `storage`.'),
    dualWrite: z
      .boolean()
      .default(true)
      .describe(
        'A write is acknowledged when both stores have it, or one of them and the journal. `false`: when the one that is asked first has it; the other follows from the journal, and is read only once it has everything.',
      ),
    maxJournalMb: wholeNumber(1)
      .max(1_048_576)
      .default(1_024)
      .describe(
        'Writes that a store lacks are kept in the data folder, up to so many megabytes; then writes are refused (`STORE_JOURNAL_FULL`) and searches go on.',
      ),
  })
  .optional()
  .describe(
    'A second store that holds the same as the first and answers in its place (docs/failover.md). Needs the ledger in the data folder.',
  );

export type FailoverSettings = NonNullable<z.output<typeof failoverSchema>>;
