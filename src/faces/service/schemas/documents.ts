import * as z from 'zod';
import {
  boolean,
  int,
  listOf,
  nextCursor,
  optionalString,
  range,
  rowsOf,
  string,
  strings,
} from '../../../operations/requests/outcome-fields.js';
import { pageFields, pagesSchema } from './common.js';

export const passagesQuery = z.strictObject(pageFields(200));

export const passagesPage = z.object({
  passages: rowsOf({
    id: string,
    offsets: range.describe('In UTF-16 code units of the text of the document, half-open.'),
    lines: range,
    pages: pagesSchema
      .extend({
        breaks: listOf(int)
          .optional()
          .describe('Of several pages: where each behind the first begins, in the text of the document.'),
      })
      .optional(),
    headingPath: strings,
  }).describe('In their order.'),
  cursor: nextCursor,
});

export const versionsResponse = z.object({
  isKept: boolean.describe('False where no history is kept, or it has not begun.'),
  versions: rowsOf({
    revision: string.describe('Content hash of its text.'),
    from: string.describe('A search `asOf` this moment finds it.'),
    to: optionalString.describe('Absent for the present one.'),
    title: optionalString,
    passages: int,
  }).describe('Newest first, 200 at most.'),
});
