import * as z from 'zod';
import { secretText, wholeNumber } from '../../core/setting-values.js';

/** `rag.ledger`: where is kept what is indexed. */
export const ledgerSchema = z
  .strictObject({
    type: z
      .enum(['sqlite', 'postgres'])
      .default('sqlite')
      .describe(
        '`sqlite`: a file in the data folder, for one machine. `postgres`: a server (13 or later), so that several hosts with data folders of their own serve and write one index; their store must be a server too.',
      ),
    url: secretText()
      .optional()
      .describe(
        'Address of `postgres`: `postgres://user:password@host:5432/database`. Always masked in output, for it may hold a password.',
      ),
    namespace: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,31}$/, 'must be 1 to 32 lower-case letters, digits or `_`, a letter first')
      .default('ragstone')
      .describe(
        'Schema of `postgres` that holds the tables, made where it is missing. Projects that share a server must state different ones.',
      ),
    timeoutMs: wholeNumber(1)
      .max(3_600_000)
      .default(30_000)
      .describe('Longest wait for one call to the server, in milliseconds.'),
    owner: z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, `_`, `.` or `-`')
      .optional()
      .describe(
        'Name of this configuration among those that share the ledger; hosts with the same sources state the same one. `index --prune` gives up a source only when no other configuration indexes it. Default: the place of the configuration file, with `postgres` that of this host.',
      ),
    leaseMs: wholeNumber(1_000)
      .max(3_600_000)
      .default(60_000)
      .describe(
        'Beside other writers a run claims the documents that it writes. How long a writer that has died, or does not reach the server, keeps others from those, in milliseconds.',
      ),
  })
  .prefault({})
  .describe('Where the engine keeps what is indexed: items, revisions, texts, and what was under way.');
