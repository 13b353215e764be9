import * as z from 'zod';
import { isTimezone } from '../../core/cron-schedule.js';
import { wholeNumber } from '../../core/setting-values.js';

/** `rag.sync`: how sources are followed, by `ragstone sync` and inside `ragstone serve`. */
export const syncSchema = z
  .strictObject({
    timezone: z
      .string()
      .refine(isTimezone, 'must be the name of a time zone, such as "Europe/Berlin" or "UTC"')
      .optional()
      .describe(
        'Time zone of `indexSchedule` and `updateSchedule`, such as `Europe/Berlin`. Default: that of the machine.',
      ),
    tenants: z
      .array(z.string().min(1))
      .min(1)
      .default(['default'])
      .describe(
        'For which tenants `ragstone serve` follows the sources: each has the documents in its index. `ragstone sync` reads them for the tenant that `--tenant` names.',
      ),
    settleMs: wholeNumber(0)
      .max(600_000)
      .default(500)
      .describe(
        'How long a watched source must be quiet before it is read, in milliseconds, so that many changes are one run. Changes that never end are read after ten times as long.',
      ),
    pollSeconds: wholeNumber(1)
      .max(86_400)
      .default(60)
      .describe('How often a source is read that is to be watched and cannot be, in seconds.'),
  })
  .prefault({})
  .describe('How sources are followed: `ragstone sync --watch`, `ragstone sync --daemon`, `ragstone serve`.');
