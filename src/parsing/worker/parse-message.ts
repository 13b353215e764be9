import type { ParsedDocument, RawDocument } from '../../core/document.js';
import type { ErrorReason, RAGErrorOptions } from '../../core/errors.js';
import type { ParserOptions } from '../create-parsers.js';

/** One document for the worker; plain data. */
export interface ParseRequest {
  readonly document: RawDocument;
  readonly options: ParserOptions;
}

/** What became of it. `failure` without a reason is a fault of a parser. */
export type ParseReply =
  | { readonly parsed: ParsedDocument }
  | {
      readonly failure: {
        readonly reason?: ErrorReason;
        readonly message: string;
        readonly details?: RAGErrorOptions['details'];
      };
    };

/** Sent once, when the worker can take requests. */
export const READY = 'ready';
