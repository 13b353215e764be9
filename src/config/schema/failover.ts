import * as z from 'zod';
import { nonEmptyText, wholeNumber } from '../../core/setting-values.js';
import { BUILT_PROVIDERS, type BuiltProvider, storageSchema } from './storage.js';

const staticResponse = z.strictObject({
  text: nonEmptyText()
    .max(10_000)
    .describe('What is said. Every caller of every tenant can read it: put nothing secret in it.'),
  words: z
    .array(nonEmptyText())
    .min(1)
    .optional()
    .describe(
      'It is said to questions that hold one of these words. Default: to every question for which no other text is.',
    ),
});

/** `rag.degradation`: what searches do while a part does not answer. */
export const degradationSchema = z
  .strictObject({
    failures: wholeNumber(1)
      .max(100)
      .default(3)
      .describe(
        'Failures in a row after which the embedding service, the reranker, the store or the ledger is left alone, so that searches do without it at once.',
      ),
    retryAfterMs: wholeNumber(1)
      .max(3_600_000)
      .default(5000)
      .describe('How long it is left alone before one search tries it again, in milliseconds.'),
    slowStoreMs: wholeNumber(1)
      .max(3_600_000)
      .default(2000)
      .describe(
        'A store on a server that takes longer for a request has failed once, in milliseconds; its answer is taken all the same, up to `retrieval.laneDeadlineMs`.',
      ),
    localWords: z
      .boolean()
      .optional()
      .describe(
        'Keep a copy of all chunks in the data folder, without vectors, and search its words while the store does not answer (degradation level 3). Default: true for PostgreSQL, Elasticsearch and OpenSearch with a ledger in the data folder; other stores on servers keep their words there anyway. Hosts that share a ledger keep none.',
      ),
    static: z
      .array(staticResponse)
      .default([])
      .describe(
        'What is said, and marked as such, where nothing can be searched (degradation level 4). Without it such a search fails with its error.',
      ),
  })
  .prefault({})
  .describe('What searches do while a part does not answer (docs/degradation.md).');

// What forgets, and names that stand for another store, are none.
const STORES = BUILT_PROVIDERS.filter((name) => name !== 'memory' && name !== 'faiss');
type StoreOnDisk = Exclude<BuiltProvider, 'memory' | 'faiss'>;
const provider = z.enum(STORES as [StoreOnDisk, ...StoreOnDisk[]]);

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
