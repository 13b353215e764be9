import * as z from 'zod';
import { BadRequest } from './document-batch.js';
import { fieldAt, type IndexDefinition } from './index-definition.js';
import { compileFilter, type StoredDocument } from './odata-filter.js';
import { ODataError } from './odata-grammar.js';

// https://learn.microsoft.com/rest/api/searchservice/documents/search-post, with its limits of top (1,000) and skip (100,000). Only
// members that are answered here are known: any other is refused.
const SEARCH = z.strictObject({
  count: z.boolean().optional(),
  filter: z.string().optional(),
  orderby: z.string().optional(),
  search: z.string().optional(),
  searchFields: z.string().optional(),
  queryType: z.enum(['simple', 'full', 'semantic']).optional(),
  searchMode: z.enum(['any', 'all']).optional(),
  select: z.string().optional(),
  skip: z.int().min(0).max(100_000).optional(),
  top: z.int().min(0).max(1_000).optional(),
  semanticConfiguration: z.string().optional(),
  semanticQuery: z.string().min(1).optional(),
  semanticErrorHandling: z.enum(['partial', 'fail']).optional(),
  semanticMaxWaitInMilliseconds: z.int().min(700).optional(),
  vectorFilterMode: z.enum(['preFilter', 'postFilter']).optional(),
  vectorQueries: z
    .array(
      z.strictObject({
        kind: z.literal('vector'),
        vector: z.array(z.number()),
        fields: z.string(),
        k: z.int().min(1).max(10_000).optional(),
        exhaustive: z.boolean().optional(),
      }),
    )
    .max(1)
    .optional(),
});

const DEFAULT_TOP = 50;
/** Results that a semantic ranker looks at: https://learn.microsoft.com/azure/search/semantic-search-overview */
const SEMANTIC_WINDOW = 50;

type Search = z.infer<typeof SEARCH>;
interface Scored {
  readonly document: StoredDocument;
  readonly score: number;
  readonly rerankerScore?: number;
}

/** The answer to a search over the documents that are visible. Throws `BadRequest`. */
export function searchDocuments(
  body: unknown,
  index: IndexDefinition,
  documents: readonly StoredDocument[],
): unknown {
  const parsed = SEARCH.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new BadRequest(`The request is invalid: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
  }
  const search = parsed.data;
  try {
    const admitted =
      search.filter === undefined ? documents : documents.filter(compileFilter(search.filter, index));
    const ranked = reranked(ordered(scoredBy(admitted, search, index), search, index), search, index);
    const { skip = 0, top = DEFAULT_TOP } = search;
    const fields = selected(search, index);
    return {
      ...(search.count === true ? { '@odata.count': ranked.length } : {}),
      value: ranked.slice(skip, skip + top).map(({ document, score, rerankerScore }) => ({
        '@search.score': score,
        ...(rerankerScore === undefined ? {} : { '@search.rerankerScore': rerankerScore }),
        ...Object.fromEntries(fields.map((name) => [name, document[name]])),
      })),
    };
  } catch (error) {
    if (error instanceof ODataError) throw new BadRequest(`Invalid expression: ${error.message}`);
    throw error;
  }
}

function scoredBy(
  documents: readonly StoredDocument[],
  { vectorQueries, search }: Search,
  index: IndexDefinition,
): Scored[] {
  const [query] = vectorQueries ?? [];
  if (query === undefined) {
    const words = search === undefined || search === '*' ? [] : wordsOf(search);
    const scored = documents.map((document) => ({
      document,
      score: words.length === 0 ? 1 : overlap(words, document, index),
    }));
    return words.length === 0
      ? scored
      : scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  }
  const field = fieldAt(index.fields, [query.fields]);
  if (field?.dimensions === undefined || field.searchable !== true)
    throw new BadRequest(`'${query.fields}' is no vector field.`);
  if (query.vector.length !== field.dimensions)
    throw new BadRequest(`The vector has ${query.vector.length} dimensions, the field ${field.dimensions}.`);
  const found = documents.flatMap((document) => {
    const vector = document[query.fields];
    // "@search.score" of a vector is 1 / (1 + distance): https://learn.microsoft.com/azure/search/vector-search-ranking
    return Array.isArray(vector) ? [{ document, score: 1 / (2 - cosine(query.vector, vector)) }] : [];
  });
  // Equals in an order that nobody relies on: the last written first.
  return found
    .reverse()
    .sort((a, b) => b.score - a.score)
    .slice(0, query.k ?? DEFAULT_TOP);
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, component, i) => sum + component * (b[i] ?? 0), 0);
  return Math.fround(dot / (Math.hypot(...a) * Math.hypot(...b)));
}

/** https://learn.microsoft.com/azure/search/search-query-odata-orderby */
function ordered(
  scored: readonly Scored[],
  { orderby, semanticConfiguration }: Search,
  index: IndexDefinition,
): readonly Scored[] {
  if (orderby === undefined) return scored;
  if (semanticConfiguration !== undefined)
    throw new BadRequest('orderby cannot be used with a semantic configuration.');
  const clauses = orderby.split(',').map((clause) => clause.trim().split(/\s+/));
  for (const [name = '', direction = 'asc'] of clauses)
    if (fieldAt(index.fields, name.split('/'))?.sortable !== true || !['asc', 'desc'].includes(direction))
      throw new BadRequest(`'${name}' is not a sortable field.`);
  return scored.toSorted((a, b) => {
    for (const [name = '', direction = 'asc'] of clauses) {
      const order = compare(a.document[name], b.document[name]);
      if (order !== 0) return direction === 'asc' ? order : -order;
    }
    return 0;
  });
}

/** By a collation in which case counts last, as one of the service might. */
const COLLATOR = new Intl.Collator('en', { caseFirst: 'upper' });

const compare = (a: unknown, b: unknown): number =>
  typeof a === 'string' && typeof b === 'string' ? COLLATOR.compare(a, b) : Number(a) - Number(b);

/** In place of the service's model: how many words of the query a document has, from 0 to 4. */
function reranked(scored: readonly Scored[], search: Search, index: IndexDefinition): readonly Scored[] {
  const { semanticConfiguration, semanticQuery, queryType } = search;
  if (queryType !== 'semantic' && semanticQuery === undefined) return scored;
  const configured = index.semantic?.configurations.some(({ name }) => name === semanticConfiguration);
  if (configured !== true) throw new BadRequest('Unknown semantic configuration.');
  const words = wordsOf(semanticQuery ?? search.search ?? '');
  if (words.length === 0) throw new BadRequest('A semantic query must not be empty.');
  const window = scored
    .slice(0, SEMANTIC_WINDOW)
    .map((hit) => ({ ...hit, rerankerScore: 4 * overlap(words, hit.document, index) }));
  return [...window.sort((a, b) => b.rerankerScore - a.rerankerScore), ...scored.slice(SEMANTIC_WINDOW)];
}

const wordsOf = (text: string): string[] => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];

function overlap(words: readonly string[], document: StoredDocument, { fields }: IndexDefinition): number {
  const texts = fields.filter(
    ({ searchable, dimensions }) => searchable === true && dimensions === undefined,
  );
  const found = new Set(wordsOf(texts.map(({ name }) => JSON.stringify(document[name] ?? '')).join(' ')));
  return words.filter((word) => found.has(word)).length / words.length;
}

function selected({ select = '*' }: Search, { fields }: IndexDefinition): string[] {
  const retrievable = fields
    .filter(({ retrievable: isRetrievable }) => isRetrievable !== false)
    .map(({ name }) => name);
  if (select === '*') return retrievable;
  const names = select.split(',').map((name) => name.trim());
  for (const name of names)
    if (!retrievable.includes(name)) throw new BadRequest(`'${name}' is not a retrievable field.`);
  return names;
}
