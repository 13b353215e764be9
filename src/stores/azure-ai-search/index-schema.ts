import type { ComplexField, SearchField, SearchIndex, SimpleField } from '@azure/search-documents';
import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { assertKnownSchema } from '../store-checks.js';
import type { CollectionSpec } from '../vector-store.js';

/** Version of the layout of indexes that this code writes. Raise it when a field changes its meaning. */
export const SCHEMA_VERSION = 1;

/** Pieces of an id by which pages are asked for; see `ordered-pieces.ts`. */
export const ID_PIECES = 5;
/** Pieces of a text that are kept at most, as `record-facts.ts` gives them. */
const TEXT_PIECES = 5;

export const SEMANTIC_CONFIGURATION = 'knowledge-semantic-config';
const VECTOR_PROFILE = 'knowledge-vector-profile';
const VECTOR_ALGORITHM = 'knowledge-hnsw';

const text = (name: string, more: Partial<SimpleField> = {}): SimpleField => ({
  name,
  type: 'Edm.String',
  ...more,
});
const isFilterable = { filterable: true } as const;
const isSearchable = { searchable: true } as const;

/** Whole numbers of 48 bits, because the service compares no texts. */
const pieces = (start: string, count: number): SimpleField[] =>
  Array.from({ length: count }, (_, i) => ({
    name: `${start}${i}`,
    type: 'Edm.Int64',
    filterable: true,
    hidden: false,
  }));

const ORDERED: ComplexField = {
  name: 'ordered',
  type: 'Collection(Edm.ComplexType)',
  fields: [
    text('field', isFilterable),
    { name: 'number', type: 'Edm.Double', filterable: true },
    ...pieces('piece', TEXT_PIECES),
  ],
};

/**
 * The fields of an index. The first group is for people and other programs that read it, by the names of the architecture that it
 * follows; the second is what this store reads and filters by.
 */
const fieldsOf = (dimensions: number): SearchField[] => [
  text('id', { key: true, filterable: true }),
  text('tenantId', isFilterable),
  text('documentId', isFilterable),
  text('documentName', isSearchable),
  text('documentType', { ...isSearchable, ...isFilterable }),
  { name: 'chunkIndex', type: 'Edm.Int32', filterable: true },
  { name: 'chunkCount', type: 'Edm.Int32' },
  text('content', isSearchable),
  {
    name: 'contentVector',
    type: 'Collection(Edm.Single)',
    searchable: true,
    hidden: false,
    vectorSearchDimensions: dimensions,
    vectorSearchProfileName: VECTOR_PROFILE,
  },
  { name: 'tags', type: 'Collection(Edm.String)', searchable: true, filterable: true },
  text('metadata'),
  { name: 'createdAt', type: 'Edm.DateTimeOffset', filterable: true },
  { name: 'updatedAt', type: 'Edm.DateTimeOffset', filterable: true },

  text('projectId', isFilterable),
  text('source', isFilterable),
  { name: 'groups', type: 'Collection(Edm.String)', filterable: true },
  { name: 'level', type: 'Edm.Double', filterable: true },
  { name: 'facts', type: 'Collection(Edm.String)', filterable: true },
  ORDERED,
  text('idOrder', { sortable: true }),
  ...pieces('idPiece', ID_PIECES),
  text('record'),
  text('vectorAsGiven'),
  text('writeStamp'),
];

/** The index of a collection: HNSW by cosine, and what a semantic ranker reads of a chunk. */
export const indexDefinition = (
  name: string,
  spec: CollectionSpec,
  schemaVersion = SCHEMA_VERSION,
): SearchIndex => ({
  name,
  description: descriptionOf(spec, schemaVersion),
  fields: fieldsOf(spec.dimensions),
  vectorSearch: {
    algorithms: [
      {
        name: VECTOR_ALGORITHM,
        kind: 'hnsw',
        parameters: { m: 4, efConstruction: 400, efSearch: 500, metric: 'cosine' },
      },
    ],
    profiles: [{ name: VECTOR_PROFILE, algorithmConfigurationName: VECTOR_ALGORITHM }],
  },
  semanticSearch: {
    defaultConfigurationName: SEMANTIC_CONFIGURATION,
    configurations: [
      {
        name: SEMANTIC_CONFIGURATION,
        prioritizedFields: {
          titleField: { name: 'documentName' },
          contentFields: [{ name: 'content' }],
          keywordsFields: [{ name: 'tags' }],
        },
      },
    ],
  },
});

const OPENING = 'Chunks of a Ragstone collection. ';
const STORED_SPEC = z.object({
  schemaVersion: z.int(),
  dimensions: z.int(),
  fingerprint: z.string(),
});

// In the definition, because a document would be seen some seconds later.
const descriptionOf = ({ dimensions, fingerprint }: CollectionSpec, schemaVersion: number): string =>
  `${OPENING}${JSON.stringify({ schemaVersion, dimensions, fingerprint })}`;

/**
 * The spec that an index was made for. Throws `STORE_SCHEMA_TOO_NEW` where a newer version wrote it, `STORE_DAMAGED` where it is not
 * one of ours.
 */
export function specOfIndex(collection: string, { name, description }: SearchIndex): CollectionSpec {
  const stored = parseDescription(description ?? '');
  if (stored === undefined)
    throw new RAGError(
      'STORE_DAMAGED',
      `Index "${name}" of Azure AI Search was not made by Ragstone, or its description was changed. Choose another namespace, or remove the index.`,
    );
  assertKnownSchema(`Index "${name}"`, stored.schemaVersion, SCHEMA_VERSION);
  return Object.freeze({
    name: collection,
    dimensions: stored.dimensions,
    fingerprint: stored.fingerprint,
  });
}

function parseDescription(description: string): z.infer<typeof STORED_SPEC> | undefined {
  if (!description.startsWith(OPENING)) return undefined;
  try {
    return STORED_SPEC.safeParse(JSON.parse(description.slice(OPENING.length))).data;
  } catch {
    return undefined;
  }
}
