import * as z from 'zod';
import { wholeNumber } from '../../core/setting-values.js';

const staticResponse = z.strictObject({
  text: z
    .string()
    .min(1)
    .max(10_000)
    .describe('What is said. Every caller of every tenant can read it: put nothing secret in it.'),
  words: z
    .array(z.string().min(1))
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
