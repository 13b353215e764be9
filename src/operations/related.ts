import * as z from 'zod';
import type { ToldNotices } from '../core/notice.js';
import type { ReferenceKind } from '../relations/graph/graph.js';
import type { GraphStep } from '../relations/graph/walk.js';
import { FIELDS } from './fields.js';
import { operation } from './operation.js';
import { checked, type ShapeOf } from './requests/check-shape.js';
import { listOf, number, optionalString, rowsOf, sourcePlace, string } from './requests/outcome-fields.js';
import { countOf, idText, kindsOf, signal } from './requests/request-fields.js';

/** What is connected with an item. */
export interface RelatedRequest {
  /** Id of a document, the id it was pushed under, its key (`PAY-142`), number, address, or path in its source. */
  readonly item: string;
  /** Steps from the item, 1 to 3. @default 2 */
  readonly hops?: number | undefined;
  /** Most documents, 1 to 100. @default 20 */
  readonly limit?: number | undefined;
  /** Kinds of edges that are followed. @default all */
  readonly kinds?: readonly ReferenceKind[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A document of the graph, as people know it. */
export interface GraphDocumentInfo {
  readonly id: string;
  readonly source: string;
  /** Path or id relative to the source. */
  readonly externalId: string;
  readonly title?: string | undefined;
  readonly url?: string | undefined;
}

/** A document that is connected with another one. */
export interface RelatedDocument extends GraphDocumentInfo {
  /** How strongly, in (0, 1): its share in random walks from the item. For the order alone. */
  readonly score: number;
  /** The shortest way from the item, step by step, by ids of documents. */
  readonly path: readonly GraphStep[];
}

export interface RelatedResponse extends ToldNotices {
  readonly item: GraphDocumentInfo;
  /** The closest first. */
  readonly related: readonly RelatedDocument[];
  /** Every document that a path names, by id. */
  readonly documents: Readonly<Record<string, GraphDocumentInfo>>;
}

const { hops, limit, kinds } = FIELDS.related;

const schema = z.strictObject({
  item: string.min(1),
  hops: countOf(hops, 'Steps from the item.'),
  limit: countOf(limit, 'Most documents.'),
  kinds: kindsOf(kinds).describe('Kinds of edges that are followed. Default: all.'),
  signal,
} satisfies ShapeOf<RelatedRequest>);

/** A step of the graph, as answers tell of it. */
export const graphStep = () => ({
  from: string.describe('Id of a document.'),
  to: string.describe('Id of a document.'),
  kind: z.enum(kinds),
  direction: z
    .enum(['out', 'in', 'shared'])
    .describe('`out`: `from` refers to `to`; `in`: the reverse; `shared`: both name what `via` says.'),
  via: optionalString,
  section: optionalString.describe('The section of `to` that a link leads to.'),
});

const outcome = () => {
  const place = {
    id: string,
    ...sourcePlace,
  } satisfies ShapeOf<GraphDocumentInfo>;
  const found = z.object({
    ...place,
    score: number.describe('How strongly, between 0 and 1; for the order alone.'),
    path: rowsOf(graphStep()).describe('The shortest way from the item.'),
  } satisfies ShapeOf<RelatedDocument>);
  return z.object({
    item: z.object(place),
    related: listOf(found).describe('The closest first.'),
    documents: z.record(string, z.object(place)).describe('Every document that a path names, by id.'),
  } satisfies ShapeOf<Omit<RelatedResponse, keyof ToldNotices>>);
};

export const related = operation({
  access: 'read',
  takes: 1,
  check: (request: string | RelatedRequest): RelatedRequest =>
    typeof request === 'string'
      ? { item: request }
      : checked(request, schema, { what: 'What is related', reason: 'USAGE', orText: true }),
  asked: (request) => ({ text: typeof request === 'string' ? request : request.item }),
  gave: (found: RelatedResponse) => found.related.map(({ id }) => id),
  route: () => ({
    limit: 'ai-search',
    tag: 'Documents',
    summary: 'Documents that are connected with one, and how',
    request: schema.extend({
      item: idText.describe('Id of a document, its key, number, address, or path in its source.'),
    }),
    gives: 'Connected documents, each with the way that leads to it.',
    outcome: outcome(),
  }),
});
