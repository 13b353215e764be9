import type { Schema } from 'apache-arrow';
import { RAGError } from '../../core/errors.js';
import type { CollectionSpec } from '../vector-store.js';
import type { Arrow } from './lancedb-driver.js';

/** Version of the table layout that this code writes. Raise it when a column changes its meaning. */
export const SCHEMA_VERSION = 1;
const SPEC_KEY = 'ragstone.collection';

interface StoredSpec {
  readonly schemaVersion: number;
  readonly dimensions: number;
  readonly fingerprint: string;
}

/**
 * The layout of a collection. What is given back lies in `record` (JSON) and `content`, so that a hit costs two columns;
 * the others exist to be filtered and searched. Spec and version travel in the schema's metadata, written with the table.
 */
export function tableSchema(
  arrow: Arrow,
  { dimensions, fingerprint }: CollectionSpec,
  schemaVersion: number = SCHEMA_VERSION,
): Schema {
  const { Field, Utf8, Float64, Float32, Bool, List, FixedSizeList } = arrow;
  const text = (name: string, isNullable = false) => new Field(name, new Utf8(), isNullable);
  const texts = (name: string) => new Field(name, new List(new Field('item', new Utf8(), true)), false);
  const spec: StoredSpec = { schemaVersion, dimensions, fingerprint };
  return new arrow.Schema(
    [
      text('id'),
      text('document_id'),
      text('tenant'),
      text('project', true),
      text('source'),
      new Field('level', new Float64(), false),
      texts('groups'),
      texts('identifiers'),
      text('content'),
      text('search_text'),
      text('record'),
      texts('metadata_paths'),
      texts('metadata_values'),
      new Field('metadata_numbers', new List(new Field('item', new Float64(), true)), false),
      texts('metadata_elements'),
      new Field('is_zero', new Bool(), false),
      new Field('vector', new FixedSizeList(dimensions, new Field('item', new Float32(), true)), false),
    ],
    new Map([[SPEC_KEY, JSON.stringify(spec)]]),
  );
}

/**
 * The spec that a table was made for. Throws `STORE_SCHEMA_TOO_NEW` where a newer version wrote it, `STORE_DAMAGED` where the
 * table is not one of ours.
 */
export function specOfTable(name: string, metadata: ReadonlyMap<string, string>): CollectionSpec {
  const stored = parseSpec(metadata.get(SPEC_KEY));
  if (stored === undefined)
    throw new RAGError(
      'STORE_DAMAGED',
      `Table "${name}" has no valid "${SPEC_KEY}" entry in its schema: it was not made by Ragstone, or is damaged. Rebuild it with \`ragstone index --force\`.`,
    );
  if (stored.schemaVersion > SCHEMA_VERSION)
    throw new RAGError(
      'STORE_SCHEMA_TOO_NEW',
      `Collection "${name}" has schema version ${stored.schemaVersion}; this version of Ragstone reads up to ${SCHEMA_VERSION}. Update Ragstone, or rebuild the index.`,
      { details: { expected: SCHEMA_VERSION, actual: stored.schemaVersion } },
    );
  return { name, dimensions: stored.dimensions, fingerprint: stored.fingerprint };
}

function parseSpec(json: string | undefined): StoredSpec | undefined {
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isStoredSpec(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isStoredSpec = (value: unknown): value is StoredSpec =>
  typeof value === 'object' &&
  value !== null &&
  'schemaVersion' in value &&
  typeof value.schemaVersion === 'number' &&
  'dimensions' in value &&
  typeof value.dimensions === 'number' &&
  'fingerprint' in value &&
  typeof value.fingerprint === 'string';
