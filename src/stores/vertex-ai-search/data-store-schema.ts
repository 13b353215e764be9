import { RAGError } from '../../core/errors.js';
import { assertKnownSchema } from '../store-checks.js';
import type { CollectionSpec } from '../vector-store.js';
import type { JsonObject } from './struct.js';
import { sha256 } from './vertex-names.js';

/** Version of the layout of data stores that this code writes. Raise it when a field changes its meaning. */
export const SCHEMA_VERSION = 1;

/** "Embedding dimensionality must be between 1 and 768, inclusive": the service's limit for custom embeddings. */
export const MAX_DIMENSIONS = 768;

export const VECTOR_FIELD = 'vector';

const shown = { type: 'string', retrievable: true } as const;
const filterable = { ...shown, indexable: true } as const;
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });

/**
 * The fields of a document. The first group is for people and other programs that search the data store; the second is what this store
 * reads and filters by. `facts` holds a short word for everything that a filter may ask (`record-facts.ts`).
 */
export const schemaOf = (dimensions: number): JsonObject => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    title: { type: 'string', retrievable: true, searchable: true, keyPropertyMapping: 'title' },
    content: { type: 'string', retrievable: true, searchable: true },
    tenantId: filterable,
    projectId: filterable,
    documentId: filterable,
    source: filterable,

    [VECTOR_FIELD]: {
      type: 'array',
      keyPropertyMapping: 'embedding_vector',
      dimension: dimensions,
      items: { type: 'number' },
    },
    facts: listOf({ type: 'string', indexable: true }),
    key: filterable,
    record: shown,
    vectorAsGiven: shown,
    writeStamp: shown,
    fingerprint: shown,
  },
});

const OPENING = 'Ragstone collection, layout';
const NAME = new RegExp(`^${OPENING} (\\d+), (\\d+) dimensions, model ([0-9a-f]{40})$`);

/** The name that a data store shows, which is made with it in one call, so that no two models ever share one. */
export const displayNameOf = (
  { dimensions, fingerprint }: CollectionSpec,
  version = SCHEMA_VERSION,
): string => `${OPENING} ${version}, ${dimensions} dimensions, model ${digestOf(fingerprint)}`;

/** The spec of the data store behind such a name; `fingerprint` is what its marker has, which may not be written yet. */
export function specOfDataStore(
  collection: string,
  { displayName, fingerprint }: { readonly displayName: string; readonly fingerprint: string | undefined },
): CollectionSpec {
  const match = NAME.exec(displayName);
  if (match === null)
    throw new RAGError(
      'STORE_DAMAGED',
      `The data store of collection "${collection}" in Vertex AI Search was not made by Ragstone, or its name was changed. Choose another namespace, or remove it.`,
    );
  const [, version = '', dimensions = '', digest = ''] = match;
  assertKnownSchema(`Collection "${collection}"`, Number(version), SCHEMA_VERSION);
  const isItsOwn = fingerprint !== undefined && digestOf(fingerprint) === digest;
  return Object.freeze({
    name: collection,
    dimensions: Number(dimensions),
    fingerprint: isItsOwn ? fingerprint : `sha256:${digest}`,
  });
}

export const isMadeFor = (stored: CollectionSpec, { fingerprint }: CollectionSpec): boolean =>
  stored.fingerprint === `sha256:${digestOf(fingerprint)}`;

const digestOf = (fingerprint: string): string => sha256(fingerprint).slice(0, 40);
