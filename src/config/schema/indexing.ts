import * as z from 'zod';
import { wholeNumber } from '../../core/setting-values.js';

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

/** `rag.indexing`: what is done with chunks before they are indexed. */
export const indexingSchema = z
  .strictObject({ contextual })
  .prefault({})
  .describe('What is done with chunks before they are indexed.');
