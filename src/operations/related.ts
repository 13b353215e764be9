import type { ToldNotices } from '../core/notice.js';
import type { ReferenceKind } from '../relations/graph/graph.js';
import type { GraphStep } from '../relations/graph/walk.js';

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
