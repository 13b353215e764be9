import * as z from 'zod';
import type { Filter } from '../core/filter.js';
import { operation } from './operation.js';
import { checked, type ShapeOf } from './requests/check-shape.js';
import { checkedName, flag, milliseconds, signal, text } from './requests/request-fields.js';
import { filter } from './search.js';

/** What to forget. At least one of the first three is stated; a document is meant that all of them name. */
export interface ForgetRequest {
  /**
   * Name of a source. Alone, everything of it: it must not be configured any more, or switched off (`enabled: false`), for the next run
   * would bring all of it back.
   */
  readonly source?: string | undefined;
  /** Ids of documents, ids in their sources, or paths; each names documents of one item. */
  readonly documents?: readonly string[] | undefined;
  /** On the metadata of documents, in whichever generation. */
  readonly filter?: Filter | undefined;
  /** Let the next run index again what its source still holds. @default false: it is left out of every run */
  readonly allowAgain?: boolean | undefined;
  /** Say what would be forgotten, and write nothing. @default false */
  readonly dryRun?: boolean | undefined;
  /** Who asks for it, for the receipt. */
  readonly by?: string | undefined;
  /** Wait this long for another writer, in milliseconds. @default 0 */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What was removed from one place. */
export interface RemovedFrom {
  /** `ledger generation 2`, `store libsql generation 2`, `cache of vectors`, ... */
  readonly place: string;
  /** `documents`, `texts of revisions`, `chunks`, `vectors`, ... */
  readonly what: string;
  readonly count: number;
}

/** What is not Ragstone's to remove, or is removed later. */
export interface LeftElsewhere {
  /** Whose it is: `source`, `server`, `backups`, ... */
  readonly where: string;
  /** In a sentence. */
  readonly detail: string;
}

/**
 * What was forgotten, where, when, and what is left to whom. It names no document, path or value: documents are hashes by a key of
 * the receipt's own.
 */
export interface ForgetReceipt {
  readonly format: 1;
  /** Names the receipt, for `checkReceipt` and `letIn`. */
  readonly id: string;
  /** `begun`: a process died or failed in the middle; the next command that writes finishes it. `dry`: nothing was done. */
  readonly state: 'begun' | 'done' | 'dry';
  readonly tenant: string;
  readonly project?: string | undefined;
  /** ISO-8601 UTC. */
  readonly startedAt: string;
  /** ISO-8601 UTC; absent before the end. */
  readonly finishedAt?: string | undefined;
  readonly by?: string | undefined;
  /** What was asked for, without the values. */
  readonly asked: {
    readonly source: boolean;
    readonly documents: number;
    /** Names of the metadata fields that the filter compares. */
    readonly filterFields: readonly string[];
  };
  readonly documents: number;
  readonly chunks: number;
  /** Names that the next runs leave out, until `letIn`; 0 where the documents may come back. */
  readonly keptOut: number;
  /** The same as hashes by the ledger's key, so that a ledger begun anew keeps them out too; absent where they were let in again. */
  readonly names?: { readonly key: string; readonly hashes: readonly string[] } | undefined;
  /** When they were let in again. */
  readonly undoneAt?: string | undefined;
  /** Of a dry run: names of the first documents. They are never stored. */
  readonly examples?: readonly string[] | undefined;
  readonly removed: readonly RemovedFrom[];
  readonly left: readonly LeftElsewhere[];
  /** Key of the hashes, in hexadecimal. */
  readonly key: string;
  /** Hashes of the ids of documents and chunks and of keys of caches, by which `checkReceipt` knows them. */
  readonly traces: readonly string[];
}

/** What was looked at for a receipt, and what was found of it. */
export interface ReceiptCheck {
  readonly receipt: string;
  /** Nothing of what the receipt names was found, and it was carried out to its end. */
  readonly clean: boolean;
  /** Places that were looked through, with how many entries. */
  readonly looked: readonly { readonly place: string; readonly entries: number }[];
  readonly found: readonly RemovedFrom[];
  /** What the receipt says is left to others. */
  readonly left: readonly LeftElsewhere[];
  /** Why it may be that something was found or could not be looked at. */
  readonly notices: readonly string[];
}

const schema = z.strictObject({
  source: text,
  documents: z.array(z.string(), 'a list of names').min(1, 'at least one name').optional(),
  filter,
  allowAgain: flag,
  dryRun: flag,
  by: text,
  waitMs: milliseconds,
  signal,
} satisfies ShapeOf<ForgetRequest>);

export const forget = operation({
  access: 'write',
  takes: 1,
  check: (request: ForgetRequest) => checked(request, schema, { what: 'What to forget', reason: 'USAGE' }),
});

export const letIn = operation({
  access: 'write',
  takes: 1,
  check: (receipt: string) => checkedName(receipt),
});

export const checkReceipt = operation({
  access: 'read',
  takes: 1,
  check: (receipt: string) => checkedName(receipt),
});
