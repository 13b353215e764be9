import * as z from 'zod';
import { wholeNumber } from '../../core/setting-values.js';

/** `rag.audit`: who did what. */
export const auditSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        'Write a line for each call of `ragstone serve` and `ragstone mcp`, denied ones too, and for each key that is made or revoked.',
      ),
    library: z
      .boolean()
      .default(false)
      .describe(
        "Log every call of an engine, too: those of programs and of commands. A call of the service then has the engine's line beside its own.",
      ),
    required: z
      .boolean()
      .default(false)
      .describe(
        'Refuse what cannot be logged (`AUDIT_UNAVAILABLE`), and have each line on the disk before the call is answered. Otherwise such a call is answered and the failure stands in the log of the service.',
      ),
    text: z
      .boolean()
      .default(false)
      .describe('Log the text of questions. They may hold what nobody else should read.'),
    maxFileBytes: wholeNumber(4_096)
      .default(16_777_216)
      .describe('Size at which a file of the log is put aside, in bytes (16 MiB).'),
    keepFiles: wholeNumber(0)
      .default(64)
      .describe(
        'Files put aside that are kept; the oldest are deleted, and a line of the log says so. 64 of 16 MiB are 1 GiB. 0 keeps all.',
      ),
  })
  .prefault({})
  .describe('The audit log: who did what. It is kept in the data folder, readable by its owner alone.');
