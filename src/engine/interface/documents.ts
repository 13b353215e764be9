import type { DocumentOrigin } from '../../core/document-origin.js';
import type { Metadata } from '../../core/metadata.js';
import type { AccessControl } from '../../core/scope.js';
import type { DocumentStatus } from '../../ledger/ledger.js';
import type { SearchQuery } from './search.js';

/** A document as the index holds it. */
export interface IndexedDocument {
  /** The id that `get` and `delete` take, and results call `metadata.documentId`; stable over revisions. */
  readonly id: string;
  /** Its identity in its source: a path relative to the source's root, a page id, the id of a push. */
  readonly externalId: string;
  /** Name of the source. */
  readonly source: string;
  readonly sourceType: string;
  readonly origin: DocumentOrigin;
  readonly project?: string | undefined;
  readonly title?: string | undefined;
  readonly url?: string | undefined;
  readonly metadata: Metadata;
  /** Fields that `metadata` leaves out, because they cannot be decrypted; absent where all can. */
  readonly undecryptable?: readonly string[] | undefined;
  readonly access: AccessControl;
  readonly status: DocumentStatus;
  /** ISO-8601 UTC. */
  readonly indexedAt?: string | undefined;
}

/** A document with the text that its passages are cut from, after redaction. */
export interface DocumentText extends IndexedDocument {
  readonly text: string;
}

/** Which documents to list. */
export interface ListRequest extends Pick<SearchQuery, 'filters' | 'filter'> {
  /** From the previous page. */
  readonly cursor?: string | undefined;
  /** Documents on a page, 1 to 1,000. @default 100 */
  readonly limit?: number | undefined;
}

/** One page of documents. */
export interface DocumentPage {
  readonly documents: readonly IndexedDocument[];
  /** Absent on the last page. */
  readonly cursor?: string | undefined;
}
