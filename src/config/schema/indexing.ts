import * as z from 'zod';
import { duration, durationOrNever, share, wholeNumber } from '../../core/setting-values.js';

const contextual = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Let a language model say of each chunk what it is about within its document, and index that with the chunk. Documents are sent to the model; `ragstone index --dry-run` says what it costs. Contexts are kept, so that they are paid for once.',
      ),
    model: z
      .string()
      .min(1)
      .optional()
      .describe('Language model as `provider:model`. Default: `rag.chat.model`.'),
    maxDocumentTokens: wholeNumber(500)
      .default(8000)
      .describe(
        'Tokens of a document that the model sees with each chunk: of a longer one its beginning, and what surrounds the chunk.',
      ),
  })
  .prefault({})
  .describe('Contextual retrieval: contexts of chunks, written by a language model.');

const retry = z
  .strictObject({
    attempts: wholeNumber(1)
      .max(1_000)
      .default(5)
      .describe(
        'Attempts at one version of a document. Then it is left alone until it changes; `ragstone failures` lists it and tries it again.',
      ),
    initialDelay: duration()
      .default('1m')
      .describe('Longest wait after the first failure. It doubles from failure to failure.'),
    maxDelay: duration().default('6h').describe('No wait is longer.'),
  })
  .prefault({})
  .describe(
    'When a document that failed is tried again, and a source by its schedule: after any part of the wait, so that what failed together is not tried again together.',
  );

/** `rag.indexing`: how runs work, and what is done with chunks before they are indexed. */
export const indexingSchema = z
  .strictObject({
    contextual,
    retry,
    maxShrink: share()
      .default(0.5)
      .describe(
        'A listing that would delete more than this share of what is indexed of a source, and 20 documents or more, stops that source until `ragstone index --allow-shrink` says that they are gone. `1` never stops.',
      ),
    reconcileInterval: durationOrNever()
      .default('7d')
      .describe(
        'Time after which a source that tells what changed is listed whole again, for deletions and permissions that it does not tell. Or `never`.',
      ),
  })
  .prefault({})
  .describe('How runs work, and what is done with chunks before they are indexed.');
