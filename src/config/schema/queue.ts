import * as z from 'zod';
import { secretText } from '../../core/setting-values.js';

/** `rag.queue`: by what work is handed to workers on other hosts. */
export const queueSchema = z
  .strictObject({
    url: secretText()
      .optional()
      .describe(
        'Address of a Redis or Valkey server (`redis://HOST:6379`, best by a reference such as `env:REDIS_URL`) by which `ragstone sync` hands documents to `ragstone worker` on any number of hosts; needs `rag.ledger.type: postgres` and the packages `bullmq` and `ioredis`. What is to be done is kept in the ledger, so the server may lose everything. Default: the process that lists a source indexes it.',
      ),
    prefix: z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, `_`, `.` or `-`')
      .default('ragstone')
      .describe(
        'Before every key on that server. Indexes that share it and have ledgers of the same namespace on different servers must state different ones.',
      ),
  })
  .prefault({})
  .describe('How work is spread over hosts: `ragstone worker`.');
