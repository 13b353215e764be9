import type { ParsedDocument, RawDocument } from '../core/document.js';

/**
 * Bytes to text with its structure. Pure: the same bytes give the same document, and nothing but the bytes is looked at. A
 * parser of a format that needs a library loads it on its first document and answers with a promise. Throws (or rejects with)
 * a `RAGError` (`DOCUMENT_NOT_TEXT`, `DOCUMENT_INVALID_ENCODING`, ...) on what it cannot read.
 *
 * Blocks come in the order of the text, do not overlap, and hold all of it that is not white space.
 */
export interface Parser {
  /** What `RawDocument.mediaType` must be. */
  readonly mediaTypes: readonly string[];
  /** Raise it whenever the same bytes give another document: documents are then indexed anew. @default 0 */
  readonly version?: number | undefined;
  parse(document: RawDocument): ParsedDocument | Promise<ParsedDocument>;
}

/** A parser that needs nothing loaded. */
export interface SyncParser extends Parser {
  parse(document: RawDocument): ParsedDocument;
}
