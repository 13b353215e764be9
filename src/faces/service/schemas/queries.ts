import * as z from 'zod';
import {
  boolean,
  int,
  listOf,
  nextCursor,
  optionalString,
  string,
} from '../../../operations/requests/outcome-fields.js';
import { pageFields } from './common.js';

export const queriesQuery = z.strictObject({
  ...pageFields(100, string.regex(/^[\w-]{1,100}\.\d{1,15}\.\d{1,15}$/, 'that of the page before')),
  only: z
    .enum(['without-results', 'withheld'])
    .optional()
    .describe('Searches that found nothing, or answers that were withheld.'),
});

export const queriesPage = z.object({
  queries: listOf(
    z
      .object({
        at: string,
        kind: z.enum(['search', 'answer', 'context']),
        requestId: optionalString,
        caller: optionalString.describe('Id of the key, subject of the token.'),
        text: optionalString.describe(
          'Absent unless `rag.audit.text` is set, and for who lacks a right that the caller had.',
        ),
        results: int.describe('Passages that were found, or sources of the answer.'),
        isWithheld: boolean.describe('The answer was withheld, for too little tells of it.'),
        reason: optionalString.describe('Why it failed, as `docs/errors.md` lists it.'),
      })
      .meta({ id: 'LoggedQuery' }),
  ).describe('Youngest first.'),
  isWhole: boolean.describe(
    'False where the log goes further back than was looked at for this page, 8 MiB; `cursor` goes on there.',
  ),
  cursor: nextCursor,
});
