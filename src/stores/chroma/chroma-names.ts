import { RAGError } from '../../core/errors.js';
import { assertKnownSchema } from '../store-checks.js';
import type { CollectionSpec } from '../vector-store.js';

/** Version of the layout of collections that this code writes. Raise it when a key changes its meaning. */
export const SCHEMA_VERSION = 1;

/** Key of a collection's metadata that says it is one of ours. */
export const VERSION_KEY = 'ragstone_schema_version';
const DIMENSIONS_KEY = 'ragstone_dimensions';
const FINGERPRINT_KEY = 'ragstone_fingerprint';

const CHROMA_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]+[A-Za-z0-9]$/;

/**
 * The name of a collection in Chroma: its own where Chroma takes it (3 to 512 characters, first and last a letter or digit),
 * else between dots, which no name of ours has.
 */
export const chromaName = (name: string): string => (CHROMA_NAME.test(name) ? name : `ragstone.${name}.x`);

/** The id of a record in Chroma, which takes any text but the empty one. */
export const chromaId = (id: string): string => (id === '' || id.startsWith('~') ? `~${id}` : id);

/** The id of the record whose id in Chroma this is. */
export const ownId = (id: string): string => (id.startsWith('~') ? id.slice(1) : id);

/** The metadata of a collection that keep its spec. */
export const specMetadata = (
  { dimensions, fingerprint }: CollectionSpec,
  schemaVersion: number = SCHEMA_VERSION,
): Record<string, string | number> => ({
  [VERSION_KEY]: schemaVersion,
  [DIMENSIONS_KEY]: dimensions,
  [FINGERPRINT_KEY]: fingerprint,
});

/**
 * The spec that a collection was made for. Throws `STORE_SCHEMA_TOO_NEW` where a newer version wrote it, `STORE_DAMAGED` where
 * the collection is not one of ours.
 */
export function specOfCollection(
  name: string,
  metadata: Readonly<Record<string, unknown>> | undefined,
): CollectionSpec {
  const version = metadata?.[VERSION_KEY];
  const dimensions = metadata?.[DIMENSIONS_KEY];
  const fingerprint = metadata?.[FINGERPRINT_KEY];
  if (typeof version !== 'number' || typeof dimensions !== 'number' || typeof fingerprint !== 'string')
    throw new RAGError(
      'STORE_DAMAGED',
      `Collection "${chromaName(name)}" in Chroma has no "${VERSION_KEY}" in its metadata: it was not made by Ragstone. Choose another collection name, and take its documents in by \`ragstone import\`; or remove it there.`,
    );
  assertKnownSchema(`Collection "${name}"`, version, SCHEMA_VERSION);
  return { name, dimensions, fingerprint };
}
