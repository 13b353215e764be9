import type { ParsedDocument, RawDocument } from '../../core/document.js';
import type { SentError } from '../../core/sent-error.js';
import type { ParserOptions } from '../create-parsers.js';

/** One document for the worker; plain data. */
export interface ParseRequest {
  readonly document: RawDocument;
  readonly options: ParserOptions;
}

/** What became of it. `failure` without a reason is a fault of a parser. */
export type ParseReply = ({ readonly parsed: ParsedDocument } | { readonly failure: SentError }) & {
  /** A library of the thread failed in a way that leaves it in no known state. */
  readonly isSpent: boolean;
};

/** Sent once, when the worker can take requests. */
export const READY = 'ready';
