import * as z from 'zod';
import { filterFields, listOf, tenantText } from './common.js';

export const facetsRequest = z.strictObject({
  limit: z.int().min(1).max(100).default(20).describe('Values of each field, the most frequent ones.'),
  tenantId: tenantText(),
  ...filterFields,
});

const values = listOf(
  z.object({ value: z.union([z.string(), z.number(), z.boolean()]), count: z.int() }),
).describe('Most frequent first.');

export const facetsResponse = z
  .object({
    documents: z.int().describe('Documents that were counted.'),
    isWhole: z.boolean().describe('False where there are more than are counted.'),
    sources: values,
    documentTypes: values,
    tags: values,
    fields: listOf(
      z.object({
        name: z.string().describe('As `metadata` of a filter takes it.'),
        values,
        more: z.int().describe('Further values.'),
      }),
    ).describe('Metadata, the most used first; without fields that have hardly a value twice.'),
  })
  .meta({ id: 'Facets' });
