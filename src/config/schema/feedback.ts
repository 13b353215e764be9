import * as z from 'zod';
import { wholeNumber } from '../../core/setting-values.js';

/** `rag.feedback`: what people opened of what they were shown, and say of it. */
export const feedbackSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Keep feedback. The questions of people are personal data: inform them before it is switched on; `ragstone forget` removes what is of a forgotten document.',
      ),
    maxBytes: wholeNumber(4_096)
      .default(67_108_864)
      .describe(
        'Most that is kept of a tenant, in bytes (64 MiB, some 60,000 searches). More is refused (`FEEDBACK_FULL`); what is there is never dropped for it.',
      ),
  })
  .prefault({})
  .describe(
    'Clicks and verdicts on results and answers, kept in the data folder, readable by its owner alone.',
  );
