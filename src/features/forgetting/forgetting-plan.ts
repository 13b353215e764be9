import type { ForgetReceipt } from '../../operations/forget-types.js';

/** A document that is to be forgotten. */
export interface ForgottenDocument {
  readonly documentId: string;
  readonly source: string;
  readonly itemId: string;
  readonly externalId: string;
}

/** An item of which nothing is to stay known. */
export interface ForgottenItem {
  readonly source: string;
  readonly itemId: string;
}

/** What is to be done, on the disk before it is begun, so that a later process can finish it after a crash. */
export interface ForgettingPlan {
  /** As it is known before anything is done. */
  readonly receipt: ForgetReceipt;
  readonly documents: readonly ForgottenDocument[];
  readonly items: readonly ForgottenItem[];
  /** Everything of this source goes, its name too. */
  readonly source?: string | undefined;
  /** Names that are kept out from now on; absent where they may come back. */
  readonly keptOut?: { readonly key: string; readonly hashes: readonly string[] } | undefined;
}
