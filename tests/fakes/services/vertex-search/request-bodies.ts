import * as z from 'zod';

/*
 * Bodies of the REST interface, v1beta. Enums are numbers, as `$alt=json;enum-encoding=int` asks for. Members that this repository does not
 * send are not known here.
 */

/** "Id should conform to RFC-1034 standard": letters, digits and hyphens, a letter first, no hyphen at the end. */
const LABEL = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;
/** 63 characters: https://cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1beta/projects.locations.collections.dataStores/create */
export const RESOURCE_ID = z.string().max(63).regex(LABEL);
/** 128 characters: https://cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1beta/projects.locations.collections.dataStores.branches.documents */
export const DOCUMENT_ID = z.string().max(128).regex(LABEL);

const flag = z.boolean().optional();

// https://cloud.google.com/generative-ai-app-builder/docs/provide-schema
const TEXT_FIELD = z.strictObject({
  type: z.literal('string'),
  retrievable: flag,
  indexable: flag,
  searchable: flag,
  dynamicFacetable: flag,
  completable: flag,
  keyPropertyMapping: z.enum(['title', 'description', 'uri', 'category']).optional(),
});
const NUMBER_FIELD = z.strictObject({
  type: z.enum(['number', 'integer']),
  retrievable: flag,
  indexable: flag,
  dynamicFacetable: flag,
});
// "Embedding dimensionality must be between 1 and 768, inclusive": https://cloud.google.com/generative-ai-app-builder/docs/bring-embeddings
const EMBEDDING_FIELD = z.strictObject({
  type: z.literal('array'),
  keyPropertyMapping: z.literal('embedding_vector'),
  dimension: z.int().min(1).max(768),
  items: z.strictObject({ type: z.literal('number') }),
});
const LIST_FIELD = z.strictObject({ type: z.literal('array'), items: TEXT_FIELD });

export const FIELD = z.union([TEXT_FIELD, NUMBER_FIELD, EMBEDDING_FIELD, LIST_FIELD]);
export type Field = z.infer<typeof FIELD>;

export const SCHEMA = z.strictObject({
  $schema: z.literal('https://json-schema.org/draft/2020-12/schema'),
  type: z.literal('object'),
  properties: z.record(z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/), FIELD),
});
export type DataSchema = z.infer<typeof SCHEMA>;

const GENERIC = 1;
const SOLUTION_TYPE_SEARCH = 2;
const NO_CONTENT = 1;

// https://cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1beta/projects.locations.collections.dataStores
export const DATA_STORE = z.strictObject({
  displayName: z.string().min(1).max(128),
  industryVertical: z.literal(GENERIC),
  solutionTypes: z.array(z.literal(SOLUTION_TYPE_SEARCH)).length(1),
  contentConfig: z.literal(NO_CONTENT),
  startingSchema: z.strictObject({ structSchema: SCHEMA }),
});

// https://cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1beta/projects.locations.collections.engines
export const ENGINE = z.strictObject({
  displayName: z.string().min(1).max(1024),
  solutionType: z.literal(SOLUTION_TYPE_SEARCH),
  industryVertical: z.literal(GENERIC),
  dataStoreIds: z.array(RESOURCE_ID).length(1),
  searchEngineConfig: z.strictObject({ searchTier: z.int().min(1).max(2) }),
});

const STRUCT = z.record(z.string(), z.unknown());

// https://cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1beta/projects.locations.collections.dataStores.branches.documents/import
export const IMPORT = z.strictObject({
  // "Recommended max of 100 items."
  inlineSource: z.strictObject({
    documents: z
      .array(z.strictObject({ id: z.string(), structData: STRUCT }))
      .min(1)
      .max(100),
  }),
  // INCREMENTAL; FULL would delete all others.
  reconciliationMode: z.literal(1),
});

// https://cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1beta/projects.locations.collections.engines.servingConfigs/search
export const SEARCH = z.strictObject({
  query: z.string().optional(),
  // "If this field is negative, an INVALID_ARGUMENT is returned."
  pageSize: z.int().min(0).optional(),
  pageToken: z.string().optional(),
  filter: z.string().optional(),
  // "The embedding vector used for retrieval. Limit to 1."
  embeddingSpec: z
    .strictObject({
      embeddingVectors: z
        .array(z.strictObject({ fieldPath: z.string(), vector: z.array(z.number()) }))
        .max(1),
    })
    .optional(),
  rankingExpression: z.string().optional(),
  relevanceThreshold: z.int().min(0).max(4).optional(),
});
export type SearchBody = z.infer<typeof SEARCH>;
