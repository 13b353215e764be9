import * as z from 'zod';
import { operation } from './operation.js';
import { checked, type ShapeOf } from './requests/check-shape.js';
import { flag, signal } from './requests/request-fields.js';
/** `kind` of a difference between sources, ledger and store. */
export type DriftKind =
  | 'source-changed'
  | 'source-new'
  | 'source-deleted'
  | 'source-unreadable'
  | 'source-abandoned'
  | 'document-pending'
  | 'document-outdated'
  | 'chunk-missing'
  | 'chunk-orphaned'
  | 'chunk-different'
  | 'field-readable'
  | 'store-damaged'
  | 'history-damaged'
  | 'ledger-damaged';

/** One difference between sources, ledger and store. */
export interface Drift {
  readonly kind: DriftKind;
  /** Path or id of the document, or the name of the source or store. */
  readonly source: string;
  /** Absolute path of the document's file, where it is one of this machine. */
  readonly path?: string;
  readonly detail: string;
}

/** Whether sources, ledger and store agree. */
export interface VerifyResult {
  readonly ok: boolean;
  readonly drift: readonly Drift[];
  /** How many differences were repaired. */
  readonly repaired: number;
}

/** What `verify` looks at and whether it mends. */
export interface VerifyRequest {
  /** Mend what differs. @default false */
  readonly repair?: boolean | undefined;
  /** Compare with the sources too; false where they are out of reach. @default true */
  readonly sources?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const verifySchema = z.strictObject({
  repair: flag,
  sources: flag,
  signal,
} satisfies ShapeOf<VerifyRequest>);

export const verify = operation({
  // Where it repairs it writes.
  access: 'read',
  takes: 1,
  check: (request: VerifyRequest = {}) =>
    checked(request, verifySchema, { what: 'What to verify', reason: 'USAGE' }),
});
