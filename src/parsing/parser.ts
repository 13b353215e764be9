import type { ParsedDocument, RawDocument } from '../core/document.js';

/**
 * Bytes to structure. Pure: the same bytes give the same document, and nothing but the bytes is looked at. A parser of
 * a format that needs a library loads it on its first document and answers with a promise. Throws (or rejects with) a
 * `RAGError` (`DOCUMENT_NOT_TEXT`, `DOCUMENT_INVALID_ENCODING`, ...) on what it cannot read.
 */
export interface Parser {
  readonly mediaTypes: readonly string[];
  parse(document: RawDocument): ParsedDocument | Promise<ParsedDocument>;
}

/** A parser that needs nothing loaded. */
export interface SyncParser extends Parser {
  parse(document: RawDocument): ParsedDocument;
}
