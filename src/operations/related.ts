import * as z from 'zod';
import type { ToldNotices } from '../core/notice.js';
import type { ReferenceKind } from '../relations/graph/graph.js';
import { REFERENCE_KINDS } from '../relations/graph/graph.js';
import type { GraphStep } from '../relations/graph/walk.js';
import { operation } from './operation.js';
import { checked, type ShapeOf } from './requests/check-shape.js';
import { hops, signal, upTo } from './requests/request-fields.js';

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

const schema = z.strictObject({
  item: z.string('a text').min(1, 'a text that is not empty'),
  hops,
  limit: upTo(100),
  kinds: z.array(z.enum(REFERENCE_KINDS, `one of ${REFERENCE_KINDS.join(', ')}`)).optional(),
  signal,
} satisfies ShapeOf<RelatedRequest>);

export const related = operation({
  access: 'read',
  takes: 1,
  check: (request: string | RelatedRequest): RelatedRequest =>
    typeof request === 'string'
      ? { item: request }
      : checked(request, schema, { what: 'What is related', reason: 'USAGE', orText: true }),
  asked: (request) => ({ text: typeof request === 'string' ? request : request.item }),
  gave: (found: RelatedResponse) => found.related.map(({ id }) => id),
});
