/** A fact about a document; the seed's `str | int | float | bool`. */
export type Scalar = string | number | boolean;

/** Facts about a document, flat. Keys that begin with `$` or `_ragstone` are refused. */
export type ScalarMetadata = Readonly<Record<string, Scalar>>;

/** A document id under either of its names. */
export type DocumentId = { readonly docId: string } | { readonly doc_id: string };

/** What `indexDocument` takes as one object. */
export type DocumentInput = DocumentId & {
  readonly content: string;
  readonly metadata?: ScalarMetadata | null;
};

/** The id, whichever name it was given under. */
export const docIdOf = (id: DocumentId): string => ('docId' in id ? id.docId : id.doc_id);

/** A document as it was indexed. `doc_id` reads the same as `docId`; only `docId` is an own property (and in JSON). */
export class Document {
  readonly docId: string;
  readonly content: string;
  readonly metadata: ScalarMetadata;
  /** Unit-length vector of a document short enough to be one chunk; null for a longer one, which has several. */
  readonly embedding: readonly number[] | null;

  constructor(fields: DocumentInput & { readonly embedding?: readonly number[] | null }) {
    this.docId = docIdOf(fields);
    this.content = fields.content;
    this.metadata = fields.metadata ?? {};
    this.embedding = fields.embedding ?? null;
  }

  get doc_id(): string {
    return this.docId;
  }
}

/** What `SearchResult` is made of. */
export type SearchResultFields = DocumentInput & {
  readonly passage: string;
  readonly score: number;
  readonly source: string;
};

/** One document that answers a query. `doc_id` reads the same as `docId`. */
export class SearchResult {
  readonly docId: string;
  /** The whole document. */
  readonly content: string;
  /** The part of it that answers best. */
  readonly passage: string;
  readonly metadata: ScalarMetadata;
  /** Relevance in [0, 1]; never rises along the results. */
  readonly score: number;
  /** Where the document comes from: its `source` fact, else its id. */
  readonly source: string;

  constructor(fields: SearchResultFields) {
    this.docId = docIdOf(fields);
    this.content = fields.content;
    this.passage = fields.passage;
    this.metadata = fields.metadata ?? {};
    this.score = fields.score;
    this.source = fields.source;
  }

  get doc_id(): string {
    return this.docId;
  }
}
