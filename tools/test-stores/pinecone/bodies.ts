import * as z from 'zod';

/**
 * Bodies of the requests that the test server takes, as the API reference has them (version 2026-04); anything else in them is refused.
 * https://docs.pinecone.io/reference/api/2026-04/data-plane and https://docs.pinecone.io/reference/api/2026-04/control-plane
 */
export const MAX_METADATA_BYTES = 40 * 1024;

const namespace = z.string().max(512).optional();
/** https://docs.pinecone.io/reference/api/database-limits/operation-limits ("Identifier limits"): ASCII, at most 512 characters. */
const recordId = z.string().regex(/^[\x20-\x7e]{1,512}$/, 'must be 1 to 512 ASCII characters');
/** https://docs.pinecone.io/guides/index-data/indexing-overview ("Metadata format"): no null, no nesting, lists of strings alone. */
const metadata = z
  .record(
    z.string().regex(/^[^$]/, 'keys may not start with $'),
    z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
  )
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_METADATA_BYTES, {
    message: `metadata size exceeds the limit of ${MAX_METADATA_BYTES} bytes per vector`,
  });
/** Each call says what it wants, and not a whole vector of zeros ("Dense vectors must contain at least one non-zero value"). */
const values = z
  .array(z.number())
  .min(1)
  .refine((vector) => vector.some((component) => component !== 0), {
    message: 'Dense vectors must contain at least one non-zero value.',
  });

export const UPSERT = z.strictObject({
  vectors: z
    .array(z.strictObject({ id: recordId, values, metadata: metadata.optional() }))
    .min(1)
    .max(1_000),
  namespace,
});
export const QUERY = z.strictObject({
  namespace,
  topK: z.int().min(1).max(10_000),
  filter: z.unknown().optional(),
  includeValues: z.boolean().optional(),
  includeMetadata: z.boolean().optional(),
  vector: values,
});
export const DELETE = z
  .strictObject({
    ids: z.array(recordId).min(1).max(1_000).optional(),
    deleteAll: z.boolean().optional(),
    namespace,
    filter: z.unknown().optional(),
  })
  .refine(
    (body) => [body.ids, body.deleteAll, body.filter].filter((part) => part !== undefined).length === 1,
    {
      message: 'exactly one of ids, deleteAll and filter must be given',
    },
  );
export const FETCH_BY_METADATA = z.strictObject({
  namespace,
  filter: z.unknown(),
  limit: z.int().min(1).max(10_000).default(100),
  paginationToken: z.string().optional(),
});
export const STATS = z.strictObject({});
export const CREATE_INDEX = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,45}$/),
  dimension: z.int().min(1).max(20_000),
  metric: z.enum(['cosine', 'euclidean', 'dotproduct']).default('cosine'),
  deletion_protection: z.enum(['enabled', 'disabled']).optional(),
  tags: z.record(z.string().max(80), z.string().max(120)).optional(),
  vector_type: z.literal('dense').default('dense'),
  spec: z.strictObject({
    serverless: z.strictObject({
      cloud: z.enum(['aws', 'gcp', 'azure']),
      region: z.string().min(1),
    }),
  }),
});
/** Query parameters of `GET /vectors/fetch` and `GET /vectors/list`. */
export const FETCH = z.strictObject({ ids: z.array(recordId).min(1).max(1_000), namespace });
export const LIST = z.strictObject({
  prefix: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(100),
  paginationToken: z.string().optional(),
  namespace,
});
