import * as z from 'zod';

/** A field of an index. */
export interface FieldDefinition {
  readonly name: string;
  readonly type: string;
  readonly key?: boolean | undefined;
  readonly searchable?: boolean | undefined;
  readonly filterable?: boolean | undefined;
  readonly sortable?: boolean | undefined;
  readonly retrievable?: boolean | undefined;
  readonly dimensions?: number | undefined;
  readonly fields?: readonly FieldDefinition[] | undefined;
}

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,127}$/;
const TYPES = [
  'Edm.String',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.Double',
  'Edm.Boolean',
  'Edm.DateTimeOffset',
] as const;
/** https://learn.microsoft.com/rest/api/searchservice/supported-data-types */
const ALL_TYPES = [...TYPES.flatMap((type) => [type, `Collection(${type})`]), 'Collection(Edm.Single)'];
const COMPLEX = ['Edm.ComplexType', 'Collection(Edm.ComplexType)'];

const flag = z.boolean().optional();
const absent = z.null().optional();

// https://learn.microsoft.com/rest/api/searchservice/indexes/create (SearchField), https://learn.microsoft.com/rest/api/searchservice/naming-rules
const SIMPLE_FIELD = z.strictObject({
  name: z.string().regex(NAME),
  type: z.enum(ALL_TYPES),
  key: flag,
  searchable: flag,
  filterable: flag,
  sortable: flag,
  facetable: flag,
  retrievable: flag,
  stored: flag,
  analyzer: z.string().optional(),
  dimensions: z.int().min(2).max(4_096).optional(),
  vectorSearchProfile: z.string().optional(),
  synonymMaps: z.array(z.string()).optional(),
});
const COMPLEX_FIELD = z.strictObject({
  name: z.string().regex(NAME),
  type: z.enum(COMPLEX),
  fields: z.array(SIMPLE_FIELD.omit({ key: true })).min(1),
});

const NAMED = z.strictObject({ fieldName: z.string() });

/** The members that are known here; any other is refused, as is one of a wrong type. */
export const INDEX = z.strictObject({
  '@odata.etag': z.string().optional(),
  // Small letters, digits, dashes and underscores, a letter or digit first, no two dashes in a row: .../naming-rules
  name: z.string().regex(/^(?!.*(--|__))[a-z0-9][a-z0-9_-]{1,127}$/),
  description: z.string().max(4_000).optional(),
  fields: z
    .array(z.union([SIMPLE_FIELD, COMPLEX_FIELD]))
    .min(1)
    .max(1_000),
  vectorSearch: z
    .strictObject({
      // https://learn.microsoft.com/azure/search/vector-search-how-to-create-index
      algorithms: z.array(
        z.strictObject({
          name: z.string(),
          kind: z.enum(['hnsw', 'exhaustiveKnn']),
          hnswParameters: z
            .strictObject({
              m: z.int().min(4).max(10).optional(),
              efConstruction: z.int().min(100).max(1_000).optional(),
              efSearch: z.int().min(100).max(1_000).optional(),
              metric: z.enum(['cosine', 'euclidean', 'dotProduct', 'hamming']).optional(),
            })
            .optional(),
        }),
      ),
      profiles: z.array(z.strictObject({ name: z.string(), algorithm: z.string() })),
    })
    .optional(),
  // https://learn.microsoft.com/azure/search/semantic-how-to-configure
  semantic: z
    .strictObject({
      defaultConfiguration: z.string().optional(),
      configurations: z.array(
        z.strictObject({
          name: z.string(),
          prioritizedFields: z.strictObject({
            titleField: NAMED.optional(),
            prioritizedContentFields: z.array(NAMED).optional(),
            prioritizedKeywordsFields: z.array(NAMED).optional(),
          }),
        }),
      ),
    })
    .optional(),
  similarity: absent,
  encryptionKey: absent,
});

export type IndexDefinition = Omit<z.infer<typeof INDEX>, 'fields'> & {
  readonly fields: readonly FieldDefinition[];
};

/** The field that a path leads to. */
export function fieldAt(
  fields: readonly FieldDefinition[],
  path: readonly string[],
): FieldDefinition | undefined {
  const [first, ...rest] = path;
  const field = fields.find(({ name }) => name === first);
  return rest.length === 0 || field === undefined ? field : fieldAt(field.fields ?? [], rest);
}

/** What a definition gets wrong beyond the form of its parts. */
export function* definitionFaults({ fields, vectorSearch, semantic }: IndexDefinition): Generator<string> {
  const keys = fields.filter(({ key }) => key === true);
  if (keys.length !== 1 || keys[0]?.type !== 'Edm.String')
    yield 'An index has exactly one key field, of type Edm.String.';
  const names = new Set(fields.map(({ name }) => name));
  if (names.size < fields.length) yield 'Field names must be unique.';
  for (const field of fields) {
    const isText = field.type === 'Edm.String' || field.type === 'Collection(Edm.String)';
    const isVector = field.type === 'Collection(Edm.Single)';
    if (field.searchable === true && !isText && !isVector)
      yield `Field "${field.name}" of type ${field.type} cannot be searchable.`;
    if (field.sortable === true && field.type.startsWith('Collection('))
      yield `Collection "${field.name}" cannot be sortable.`;
    if (isVector !== (field.dimensions !== undefined))
      yield `Field "${field.name}": vectors, and only these, have dimensions.`;
    if (isVector && (field.filterable === true || field.sortable === true))
      yield `Vector "${field.name}" cannot be filterable or sortable.`;
  }
  const algorithms = new Set(vectorSearch?.algorithms.map(({ name }) => name));
  for (const { name, algorithm } of vectorSearch?.profiles ?? [])
    if (!algorithms.has(algorithm)) yield `Profile "${name}" names an algorithm that is not there.`;
  for (const { prioritizedFields } of semantic?.configurations ?? []) {
    const { titleField, prioritizedContentFields = [], prioritizedKeywordsFields = [] } = prioritizedFields;
    for (const named of [titleField, ...prioritizedContentFields, ...prioritizedKeywordsFields]) {
      const field = named && fields.find(({ name }) => name === named.fieldName);
      if (named !== undefined && field?.searchable !== true)
        yield `Field "${named.fieldName}" of the semantic configuration must be a searchable text.`;
    }
  }
}
