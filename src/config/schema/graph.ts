import * as z from 'zod';
import { wholeNumber } from '../../core/setting-values.js';

const extraction = z
  .strictObject({
    model: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Language model as `provider:model` that `ragstone graph extract` and `ragstone graph summarize` ask. Default: `rag.chat.model`.',
      ),
    concurrency: wholeNumber(1).max(64).default(4).describe('Calls of the model at a time.'),
    maxOutputTokens: wholeNumber(200)
      .max(16_000)
      .default(2_000)
      .describe('Most tokens that the model writes for one chunk or summary.'),
  })
  .prefault({})
  .describe(
    'Facts of the graph that a language model reads out of chunks. Nothing is read before `ragstone graph extract` is called.',
  );

/** `rag.graph`: the graph of documents. */
export const graphSchema = z.strictObject({ extraction }).prefault({}).describe('The graph of documents.');
