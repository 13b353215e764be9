import * as z from 'zod';

/** `rag.rollout`: which items of a pipeline are enriched from the index. */
export const rolloutSchema = z.strictObject({
  rag_enrichment: z
    .boolean()
    .default(true)
    .describe('`false` enriches no item from the index: each gets what it got before there was one.'),
  rolloutPercentage: z
    .number()
    .min(0)
    .max(100)
    .default(0)
    .describe(
      'Percent of the items that are enriched from the index. A hash of tenant and id decides which, so an item is always on the same side, and raising it only adds items.',
    ),
  shadow: z
    .boolean()
    .default(false)
    .describe(
      'Try out: items of the percentage are enriched both ways and answered the old way; `ragstone rollout` shows how the two compare.',
    ),
});
