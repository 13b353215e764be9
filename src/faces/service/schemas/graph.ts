import * as z from 'zod';
import { REFERENCE_KINDS } from '../../../index.js';
import { idText, listOf, noticesSchemas, requestIdSchema, tenantText } from './common.js';

export const relatedRequest = z.strictObject({
  item: idText().describe('Id of a document, its key, number, address, or path in its source.'),
  hops: z.int().min(1).max(3).optional().describe('Steps from the item. Default: 2.'),
  limit: z.int().min(1).max(100).optional().describe('Most documents. Default: 20.'),
  kinds: z
    .array(z.enum(REFERENCE_KINDS))
    .min(1)
    .max(REFERENCE_KINDS.length)
    .optional()
    .describe('Kinds of edges that are followed. Default: all.'),
  tenantId: tenantText(),
});

const place = {
  id: z.string(),
  source: z.string(),
  externalId: z.string().describe('Path or id relative to the source.'),
  title: z.string().optional(),
  url: z.string().optional(),
};

const stepFields = {
  from: z.string().describe('Id of a document.'),
  to: z.string().describe('Id of a document.'),
  kind: z.enum(REFERENCE_KINDS),
  direction: z
    .enum(['out', 'in', 'shared'])
    .describe('`out`: `from` refers to `to`; `in`: the reverse; `shared`: both name what `via` says.'),
  via: z.string().optional(),
  section: z.string().optional().describe('The section of `to` that a link leads to.'),
};

/** By which way the graph led to a passage. */
export const wayOfPassage = listOf(z.object({ ...stepFields, fromName: z.string(), toName: z.string() }))
  .optional()
  .describe(
    'In mode `graph`: by which way a document that was found first led to it; absent where none did.',
  );

export const relatedResponse = z.object({
  requestId: requestIdSchema,
  item: z.object(place),
  related: listOf(
    z.object({
      ...place,
      score: z.number().describe('How strongly, between 0 and 1; for the order alone.'),
      path: listOf(z.object(stepFields)).describe('The shortest way from the item.'),
    }),
  ).describe('The closest first.'),
  documents: z.record(z.string(), z.object(place)).describe('Every document that a path names, by id.'),
  ...noticesSchemas,
});
