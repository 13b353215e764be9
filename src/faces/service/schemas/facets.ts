import * as z from 'zod';
import { boolean, int, number, rowsOf, string } from '../../../operations/requests/outcome-fields.js';
import { filterFields, tenantText } from './common.js';

export const facetsRequest = z.strictObject({
  limit: int.min(1).max(100).default(20).describe('Values of each field, the most frequent ones.'),
  tenantId: tenantText,
  ...filterFields,
});

const values = rowsOf({ value: z.union([string, number, boolean]), count: int }).describe(
  'Most frequent first.',
);

export const facetsResponse = z
  .object({
    documents: int.describe('Documents that were counted.'),
    isWhole: boolean.describe('False where there are more than are counted.'),
    sources: values,
    documentTypes: values,
    tags: values,
    fields: rowsOf({
      name: string.describe('As `metadata` of a filter takes it.'),
      values,
      more: int.describe('Further values.'),
    }).describe('Metadata, the most used first; without fields that have hardly a value twice.'),
  })
  .meta({ id: 'Facets' });
