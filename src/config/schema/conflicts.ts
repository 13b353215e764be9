import * as z from 'zod';

/** `rag.conflicts`: duplicates and contradictions between documents. */
export const conflictsSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Keep what documents say when they are indexed, so that `ragstone conflicts` finds the same and contradicting passages of different documents, and let answers name sources that contradict each other. No language model is used.',
      ),
  })
  .prefault({})
  .describe('Duplicates and conflicts between documents.');
