import type { ParsedDocument, RawDocument } from '../core/document.js';

/** Bytes to structure. Pure; throws a `RAGError` (`DOCUMENT_NOT_TEXT`, `DOCUMENT_INVALID_ENCODING`, ...) on what it cannot read. */
export interface Parser {
  readonly mediaTypes: readonly string[];
  parse(document: RawDocument): ParsedDocument;
}
