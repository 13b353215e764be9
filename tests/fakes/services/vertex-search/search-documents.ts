import type { Branch, StoredDocument } from './branch.js';
import { type DocumentTest, FilterFault, parseFilter } from './filter-grammar.js';
import type { Field, SearchBody } from './request-bodies.js';

/** "Other: Default 50, Maximum 100", "Values above the maximum value are coerced to the maximum value." */
const DEFAULT_PAGE = 50;
const MAX_PAGE = 100;

/** Of a custom ranking by embedding: `double * dotProduct(embedding_field_path)`, one function here. */
const RANKING = /^(?:(\d+(?:\.\d+)?) \* )?dotProduct\(([A-Za-z0-9_]+)\)$/;

export class SearchFault extends Error {}

export interface Found {
  readonly documents: readonly StoredDocument[];
  readonly total: number;
  readonly nextPageToken: string | undefined;
}

/** One page of what a search finds. Throws `SearchFault`. */
export function searchDocuments(branch: Branch, body: SearchBody): Found {
  const { pageToken, pageSize = 0, ...rest } = body;
  const identity = JSON.stringify({ ...rest, pageSize });
  const start = startOf(pageToken, identity);
  const test = filterOf(branch, body.filter);
  // An empty query browses: all documents, no threshold of relevance. Words are not ranked here.
  if (body.query !== undefined && body.query !== '')
    throw new SearchFault('A query of words is not known here.');
  const found = branch.searchable().filter(({ data }) => test((field) => valuesOf(data[field])));
  const ranked = rankedBy(branch, body, found);
  const size = pageSize === 0 ? DEFAULT_PAGE : Math.min(pageSize, MAX_PAGE);
  const end = start + size;
  return {
    documents: ranked.slice(start, end).map((document) => retrievableOf(branch, document)),
    total: ranked.length,
    nextPageToken: end < ranked.length ? tokenOf(end, identity) : undefined,
  };
}

function filterOf(branch: Branch, filter: string | undefined): DocumentTest {
  if (filter === undefined || filter === '') return () => true;
  const isFilterable = (name: string): boolean => {
    const field = branch.schema.properties[name];
    return field !== undefined && isIndexable(field);
  };
  try {
    return parseFilter(filter, isFilterable);
  } catch (error) {
    if (error instanceof FilterFault) throw new SearchFault(error.message);
    throw error;
  }
}

const isIndexable = (field: Field): boolean =>
  'indexable' in field ? field.indexable === true : 'items' in field && isIndexableItem(field.items);
const isIndexableItem = (items: { readonly type: string; readonly indexable?: boolean | undefined }) =>
  items.indexable === true;

const isRetrievable = (field: Field): boolean => {
  if ('retrievable' in field) return field.retrievable === true;
  if ('dimension' in field) return false;
  return 'items' in field && 'retrievable' in field.items && field.items.retrievable === true;
};

/** "Retrievable: indicates whether this field can be returned in a search response." */
const retrievableOf = ({ schema }: Branch, { id, data }: StoredDocument): StoredDocument => ({
  id,
  data: Object.fromEntries(
    Object.entries(data).filter(([name]) => {
      const field = schema.properties[name];
      return field !== undefined && isRetrievable(field);
    }),
  ),
});

function rankedBy(branch: Branch, body: SearchBody, found: readonly StoredDocument[]): StoredDocument[] {
  const [embedding] = body.embeddingSpec?.embeddingVectors ?? [];
  if (body.rankingExpression === undefined) return [...found];
  const match = RANKING.exec(body.rankingExpression);
  if (match === null) throw new SearchFault(`Invalid ranking expression "${body.rankingExpression}".`);
  const field = branch.schema.properties[match[2] ?? ''];
  if (embedding === undefined || embedding.fieldPath !== match[2] || field === undefined)
    throw new SearchFault('The ranking expression names no embedding of the request.');
  if (!('dimension' in field) || field.dimension !== embedding.vector.length)
    throw new SearchFault('The embedding has another dimension than the schema.');
  const { vector, fieldPath } = embedding;
  const scored = found.map((document) => ({ document, score: dotProduct(document.data[fieldPath], vector) }));
  // Equals in no order that was promised.
  return scored.sort((a, b) => b.score - a.score).map(({ document }) => document);
}

/** In single precision; a document without an embedding comes last. */
const dotProduct = (stored: unknown, vector: readonly number[]): number =>
  Array.isArray(stored)
    ? Math.fround(vector.reduce((sum, component, i) => sum + component * Number(stored[i]), 0))
    : Number.NEGATIVE_INFINITY;

const valuesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const tokenOf = (start: number, identity: string): string =>
  Buffer.from(JSON.stringify([start, identity])).toString('base64url');

/** "When paginating, all other parameters must match the call that provided the page token." */
function startOf(token: string | undefined, identity: string): number {
  if (token === undefined || token === '') return 0;
  const [start, told] = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as [number, string];
  if (told !== identity) throw new SearchFault('The request differs from the one that gave the page token.');
  return start;
}
