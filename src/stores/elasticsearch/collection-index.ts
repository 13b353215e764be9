import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { assertKnownSchema } from '../store-checks.js';
import type { CollectionSpec } from '../vector-store.js';
import { type Dialect, EMBEDDING } from './dialect.js';
import { FACETS } from './filter-query.js';
import type { SearchServerOptions, VectorIndexKind } from './server-options.js';
import { WORD_FIELDS } from './word-fields.js';

/** Of the mapping and of what is in its fields. A newer one is refused, an older one is brought up to date on opening. */
export const SCHEMA_VERSION = 2;

/** The chunk's id in code point order, for sorting. */
export const ID = 'id';
/** The chunk as JSON text, never parsed by the server, so that nothing of it can change. */
export const CHUNK = 'chunk';
/** The vector as base64 of its little-endian floats, as it was given. */
export const VECTOR = 'vector';

/** What a collection knows about itself; kept in its index. */
export interface CollectionDescription {
  readonly spec: CollectionSpec;
  readonly vectorIndex: VectorIndexKind;
  readonly schemaVersion: number;
}

/** The names by which a server knows a collection. */
export interface CollectionNames {
  /** Every request goes to it; writing requires it, so that a write after a drop cannot make an index by itself. */
  readonly alias: string;
  readonly index: string;
}

/** Index names have no capital letters, so these become a dot and the small letter; a collection name has no dots. */
export function namesOf(prefix: string, collection: string): CollectionNames {
  const alias = prefix + collection.replace(/[A-Z]/g, (letter) => `.${letter.toLowerCase()}`);
  return { alias, index: `${alias}@1` };
}

/** The body that creates an index and its alias at once. */
export function indexDefinition(
  dialect: Dialect,
  description: CollectionDescription,
  {
    alias,
    shards = 1,
    replicas,
  }: { readonly alias: string } & Pick<SearchServerOptions, 'shards' | 'replicas'>,
): Readonly<Record<string, unknown>> {
  const { spec, vectorIndex } = description;
  const keptOnly = { type: 'object', enabled: false };
  return {
    settings: {
      index: {
        number_of_shards: shards,
        ...(replicas === undefined ? { auto_expand_replicas: '0-1' } : { number_of_replicas: replicas }),
        ...dialect.settings(vectorIndex),
      },
    },
    aliases: { [alias]: {} },
    mappings: {
      dynamic: 'strict',
      _meta: metaOf(description),
      // Only what is given back is kept as text; the rest is index and would double the disk.
      _source: { excludes: [ID, FACETS, ...Object.keys(WORD_FIELDS), EMBEDDING] },
      properties: {
        [ID]: { type: 'keyword', index: false, doc_values: true },
        [FACETS]: { type: 'keyword', doc_values: false },
        ...WORD_FIELDS,
        [EMBEDDING]: dialect.vectorField(spec.dimensions, vectorIndex),
        [CHUNK]: keptOnly,
        [VECTOR]: keptOnly,
      },
    },
  };
}

/** What an index says of itself. */
export const metaOf = ({ spec, vectorIndex, schemaVersion }: CollectionDescription) => ({
  ragstone: { schemaVersion, ...spec, vectorIndex },
});

/** The answer of `GET alias/_mapping`. */
export const MAPPING_ANSWER = z.record(
  z.string(),
  z.object({ mappings: z.object({ _meta: z.unknown().optional() }) }),
);

const VERSION = z.object({ ragstone: z.object({ schemaVersion: z.int().positive() }) });
const DESCRIPTION = z.object({
  ragstone: z.object({
    name: z.string(),
    dimensions: z.int().positive(),
    fingerprint: z.string().min(1),
    vectorIndex: z.enum(['hnsw', 'flat']),
  }),
});

/**
 * Reads what the index says of itself. Throws `STORE_SCHEMA_TOO_NEW` for a newer version, `STORE_DAMAGED` for an index that is
 * none of ours.
 */
export function describeIndex(
  answer: z.infer<typeof MAPPING_ANSWER>,
  names: CollectionNames,
): CollectionDescription {
  const metas = Object.values(answer).map(({ mappings }) => mappings._meta);
  const version = VERSION.safeParse(metas[0]);
  if (version.success)
    assertKnownSchema(`Index "${names.alias}"`, version.data.ragstone.schemaVersion, SCHEMA_VERSION);
  const described = DESCRIPTION.safeParse(metas[0]);
  if (!version.success || !described.success || metas.length !== 1)
    throw new RAGError(
      'STORE_DAMAGED',
      `"${names.alias}" is there but is no index of Ragstone, or its description was removed. Choose another index prefix, or rebuild it with \`ragstone index --force\`.`,
    );
  const { vectorIndex, ...spec } = described.data.ragstone;
  return { spec: Object.freeze(spec), vectorIndex, schemaVersion: version.data.ragstone.schemaVersion };
}
