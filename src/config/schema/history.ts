import * as z from 'zod';

/** `rag.history`: what the index held before. */
export const historySchema = z
  .strictObject({
    keep: z
      .string()
      .regex(/^[1-9]\d{0,4}[dwy]$/, 'must be a number of days, weeks or years, such as `90d`, `13w`, `1y`')
      .optional()
      .describe(
        'How long texts that were replaced or deleted are kept, so that `search` and `ask` can be asked what the index held at a time (`asOf`): days (`90d`), weeks (`13w`) or years of 365 days (`1y`). Default: nothing old is kept, and what was kept is deleted by the next run. What `ragstone forget` or a retention removes goes from it at once. All processes that write one index must state the same.',
      ),
  })
  .prefault({})
  .describe('History of the index.');
