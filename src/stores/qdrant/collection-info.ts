import type { Schemas } from '@qdrant/js-client-rest';
import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { assertKnownSchema } from '../store-checks.js';
import type { CollectionSpec } from '../vector-store.js';

/** Of the collection and of what is in its payloads. A newer one is refused, an older one would be migrated on opening. */
export const SCHEMA_VERSION = 1;

/** What a collection knows about itself, in its metadata (from Qdrant 1.16 on). */
export const specMetadata = (
  { name, dimensions, fingerprint }: CollectionSpec,
  schemaVersion = SCHEMA_VERSION,
): Record<string, unknown> => ({ ragstone: { schemaVersion, name, dimensions, fingerprint } });

/**
 * The body that makes a collection. Vectors are of unit length, so that their inner product is the cosine and the server gives
 * them back unchanged.
 */
export const collectionBody = (spec: CollectionSpec): Schemas['CreateCollection'] => ({
  vectors: { size: spec.dimensions, distance: 'Dot' },
  hnsw_config: { m: 16, ef_construct: 128, payload_m: 16 },
  on_disk_payload: true,
  metadata: specMetadata(spec),
});

const LIMIT = z.int().positive().nullish();

/** The part of a collection's description that is read. */
export const COLLECTION_ANSWER = z.object({
  result: z.object({
    status: z.string(),
    points_count: z.int().nullish(),
    indexed_vectors_count: z.int().nullish(),
    config: z.object({
      params: z.object({ vectors: z.unknown() }),
      strict_mode_config: z
        .object({
          enabled: z.boolean().nullish(),
          max_query_limit: LIMIT,
          upsert_max_batchsize: LIMIT,
          condition_max_size: LIMIT,
          search_allow_exact: z.boolean().nullish(),
          search_max_hnsw_ef: LIMIT,
        })
        .nullish(),
      metadata: z.record(z.string(), z.unknown()).nullish(),
    }),
    payload_schema: z.record(z.string(), z.unknown()),
  }),
});
export type CollectionInfo = z.output<typeof COLLECTION_ANSWER>['result'];

/** What the server's strict mode allows in one request; a limit that is not set is infinite. */
export interface RequestLimits {
  readonly hits: number;
  readonly records: number;
  readonly values: number;
  readonly efSearch: number;
  readonly allowsExact: boolean;
}

export function limitsOf({ config }: CollectionInfo): RequestLimits {
  const strict = config.strict_mode_config?.enabled === true ? config.strict_mode_config : {};
  return {
    hits: strict.max_query_limit ?? Number.POSITIVE_INFINITY,
    records: strict.upsert_max_batchsize ?? Number.POSITIVE_INFINITY,
    values: strict.condition_max_size ?? Number.POSITIVE_INFINITY,
    efSearch: strict.search_max_hnsw_ef ?? Number.POSITIVE_INFINITY,
    allowsExact: strict.search_allow_exact !== false,
  };
}

const VERSION = z.object({ ragstone: z.object({ schemaVersion: z.int().positive() }) });
const SPEC = z.object({
  ragstone: z.object({
    name: z.string(),
    dimensions: z.int().positive(),
    fingerprint: z.string().min(1),
  }),
});
const VECTORS = z.object({ size: z.int(), distance: z.literal('Dot') });

/**
 * What a collection says of itself. Throws `STORE_SCHEMA_TOO_NEW`, or `STORE_DAMAGED` for a collection that is none of ours or
 * whose vectors are not what it says.
 */
export function specOf(collectionName: string, { config }: CollectionInfo): CollectionSpec {
  const version = VERSION.safeParse(config.metadata);
  if (version.success)
    assertKnownSchema(
      `Collection "${collectionName}" in Qdrant`,
      version.data.ragstone.schemaVersion,
      SCHEMA_VERSION,
    );
  const spec = SPEC.safeParse(config.metadata);
  if (!version.success || !spec.success)
    throw new RAGError(
      'STORE_DAMAGED',
      `Collection "${collectionName}" is there but has no metadata of Ragstone: it is somebody else's, or the server is older than Qdrant 1.17. Update the server, or choose another namespace.`,
    );
  const vectors = VECTORS.safeParse(config.params.vectors);
  if (!vectors.success || vectors.data.size !== spec.data.ragstone.dimensions)
    throw new RAGError(
      'STORE_DAMAGED',
      `Collection "${collectionName}" in Qdrant does not hold the vectors that its metadata say. Drop it, and rebuild with \`ragstone index --force\`.`,
    );
  return Object.freeze(spec.data.ragstone);
}
