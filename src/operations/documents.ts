import * as z from 'zod';
import type { ChunkPages } from '../core/chunk.js';
import type { LineRange, TextRange } from '../core/document.js';
import type { DocumentOrigin } from '../core/document-origin.js';
import type { Metadata } from '../core/metadata.js';
import type { AccessControl } from '../core/scope.js';
import type { DocumentStatus } from '../ledger/ledger.js';
import { FIELDS } from './fields.js';
import { operation } from './operation.js';
import { checked, type ShapeOf } from './requests/check-shape.js';
import { checkedName, countOf, optional, signal, text } from './requests/request-fields.js';
import { filter, filtersSchema, type SearchQuery } from './search.js';

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

/** How many documents there are. */
export interface DocumentCounts {
  readonly documents: number;
  /** By `IndexedDocument.sourceType`. */
  readonly byType: Readonly<Record<string, number>>;
  /** When the youngest was indexed, ISO-8601 UTC; absent where none was. */
  readonly lastIndexedAt?: string | undefined;
}

/** A document, and what is wanted of it beside its text. */
export interface DocumentRequest {
  /** As `IndexedDocument.id`, or the id of a push. */
  readonly id: string;
  /** How it is cut: a page of its passages, from a cursor of the page before; `limit` from 1 to 1,000. @default 200 passages where it is stated */
  readonly passages?:
    | { readonly cursor?: string | undefined; readonly limit?: number | undefined }
    | undefined;
  /** Its versions, where `rag.history` keeps them. @default false */
  readonly versions?: boolean | undefined;
  /** Its bytes as the source has them. @default false */
  readonly original?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A document with the text that its passages are cut from, after redaction. */
export interface DocumentText extends IndexedDocument {
  readonly text: string;
  /** Present where they were asked for, as the others. */
  readonly passages?: DocumentPassages;
  readonly versions?: DocumentVersions;
  readonly original?: DocumentOriginal;
}

/** A page of the passages of a document, in their order. */
export interface DocumentPassages {
  readonly passages: readonly {
    /** Of the chunk, as results have it. */
    readonly id: string;
    /** In UTF-16 code units of the document's text, half-open. */
    readonly offsets: TextRange;
    /** 1-based, inclusive. */
    readonly lines: LineRange;
    /** 1-based, inclusive; absent where the document has no pages. */
    readonly pages?: ChunkPages;
    /** Outermost first. */
    readonly headingPath: readonly string[];
  }[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

/** What history keeps of a document, newest first. */
export interface DocumentVersions {
  /** False where no history is kept, or it has not begun. */
  readonly isKept: boolean;
  readonly versions: readonly {
    /** Content hash of its text. */
    readonly revision: string;
    /** It was found from then on; a search of that moment (`asOf`) finds it. ISO-8601 UTC */
    readonly from: string;
    /** Until then; absent for the present one. */
    readonly to?: string;
    readonly title?: string;
    /** How many it was cut into. */
    readonly passages: number;
  }[];
}

/** A document as its source has it. */
export interface DocumentOriginal {
  /** Name of the file, without folders. */
  readonly name: string;
  /** As the source says it: `application/pdf`. */
  readonly mediaType: string;
  readonly content: Uint8Array;
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

const readingSchema = z.strictObject({
  id: z.string(),
  passages: optional<NonNullable<DocumentRequest['passages']>>({
    cursor: z
      .string()
      .regex(/^\d{1,15}$/, 'that of the page before')
      .optional(),
    limit: countOf(FIELDS.get.passages),
  }),
  versions: z.boolean().optional(),
  original: z.boolean().optional(),
  signal,
} satisfies ShapeOf<DocumentRequest>);

export const get = operation({
  access: 'read',
  takes: 1,
  check: (request: string | DocumentRequest): DocumentRequest =>
    typeof request === 'string'
      ? { id: checkedName(request) }
      : checked(request, readingSchema, { what: 'Which document', reason: 'USAGE', orText: true }),
  gave: (document: DocumentText | undefined) => (document === undefined ? [] : [document.id]),
});

export const listSchema = z.strictObject({
  cursor: text,
  limit: countOf(FIELDS.list.limit),
  filters: filtersSchema,
  filter,
} satisfies ShapeOf<ListRequest>);

/** Throws `QUERY_INVALID`. */
export const checkedListing = (request: ListRequest = {}): ListRequest =>
  checked(request, listSchema, { what: 'What to list', reason: 'QUERY_INVALID' });

export const list = operation({
  access: 'read',
  takes: 1,
  check: checkedListing,
  asked: (request?: ListRequest) => request ?? {},
  gave: ({ documents }: DocumentPage) => documents.map(({ id }) => id),
});

const idsSchema = z.array(z.string());

export const deletion = operation({
  access: 'write',
  takes: 1,
  check: (ids: readonly string[]) => checked(ids, idsSchema, { what: 'What to delete', reason: 'USAGE' }),
  writes: (ids) => ids,
});
