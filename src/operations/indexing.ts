import * as z from 'zod';
import type { ContextEstimate } from '../chunking/contextual/chunk-contextualiser.js';
import type { ErrorReason } from '../core/errors.js';
import { RAGError } from '../core/errors.js';
import { isList, ownElements, ownFields, plainCopy } from '../core/plain-copy.js';
import type { AccessControl } from '../core/scope.js';
import type { UnreadCounts } from '../core/unread.js';
import type { EmbeddingEstimate } from '../embedding/embedder.js';
import type { PushedDocument } from '../sources/push/push-source.js';
import { operation } from './operation.js';
import { assertShape, checked, type Refusal, refusing, type ShapeOf } from './requests/check-shape.js';
import {
  callback,
  countFromOne,
  countFromZero,
  flag,
  jsonObject,
  milliseconds,
  optional,
  signal,
  text,
  texts,
  withoutUndefined,
} from './requests/request-fields.js';

/** What could not be indexed, and why. */
export interface IndexError {
  readonly source: string;
  /** Path or id relative to the source's root; absent when the source itself failed. */
  readonly item?: string;
  /** Absolute path of its file, where it is one of this machine. */
  readonly path?: string;
  readonly reason: ErrorReason;
  readonly message: string;
}

/** What to bring in step; without any of it, everything that is configured and was indexed before. */
export interface IndexRequest {
  /**
   * Names of configured sources. Absent together with `paths` and `documents`: everything that is configured, and the paths
   * of earlier runs.
   */
  readonly sources?: readonly string[];
  /** Files or folders to index, and of the configured sources only those in `sources` and those that share files with them. Relative to the working folder. */
  readonly paths?: readonly string[];
  /** Documents handed in by the caller; each replaces the one pushed before under its id, and none is deleted. */
  readonly documents?: readonly PushedDocument[];
  /** Ids of pushed documents to delete. */
  readonly deleted?: readonly string[];
  readonly options?: {
    /** Chunks in one embedding and store batch. */
    readonly batchSize?: number;
    /**
     * Chunks in one transaction of the embedded store. The thread does nothing else meanwhile, some 40 ms for 96: more are for a program
     * that answers no calls beside. @default 96; of `ragstone index` 512
     */
    readonly transactionChunks?: number;
    /** Items read at once. */
    readonly parallel?: number;
    /** Do all work again even if up to date; rebuilds the collection where it is damaged or made by another model. */
    readonly force?: boolean;
    /** Say what would be done; write nothing. */
    readonly dryRun?: boolean;
    /**
     * `true`: also delete documents of sources that no configuration of this index states and this run does not name. A list:
     * those of the sources that it names, whichever configuration indexed them.
     */
    readonly prune?: boolean | readonly string[];
    /**
     * Go on with sources whose listing would delete a large share of what is indexed of them (`rag.indexing.maxShrink`), which are
     * stopped with `SOURCE_SHRUNK` otherwise: `true` all of them, or those that are named. @default false
     */
    readonly allowShrink?: boolean | readonly string[];
    /** Leave out sources that failed and whose next attempt is not due yet, as schedules do. @default false */
    readonly heedBackoff?: boolean;
    /**
     * List the sources, and leave what is to be read and deleted to `ragstone worker` (needs `rag.queue`). Not together with `force`
     * and `prune`. @default false
     */
    readonly handOver?: boolean;
    /** Leave out sources that another process has listed since then, ISO-8601 UTC: where hosts share the ledger. */
    readonly unlessListedSince?: string;
    /** Wait this long for another writer. @default 0 */
    readonly waitMs?: number;
  };
  readonly onProgress?: (progress: IndexProgress) => void;
  /**
   * Asked before anything is written where `prune` would delete all documents of sources; `false` keeps them. What it throws ends the
   * call. Other writers wait meanwhile. @default they are deleted
   */
  readonly confirmPrune?: (sources: readonly PrunedSource[]) => boolean | Promise<boolean>;
  readonly signal?: AbortSignal;
}

/** A source that is given up, with what is deleted of it. */
export interface PrunedSource {
  readonly source: string;
  readonly documents: number;
}

/** State of a running `index`, sent a few times a second. */
export interface IndexProgress {
  readonly stage: 'listing' | 'indexing' | 'optimizing' | 'done';
  /** The one that is listed or indexed now. */
  readonly source?: string;
  /** Which of the sources it is, from 1; 0 before the first. */
  readonly sourceNumber: number;
  readonly sourcesTotal: number;
  /** Items to read that are known so far, of all sources; final once the last one is listed. */
  readonly itemsTotal: number;
  readonly itemsDone: number;
  /** Of the present source; 0 while it is listed. */
  readonly sourceItemsTotal: number;
  readonly sourceItemsDone: number;
  /** Items that the present listing has named. */
  readonly itemsListed: number;
  /** Items per second in the present stage of the present source. */
  readonly itemsPerSecond: number;
  readonly chunksWritten: number;
  /** Chunks per second since the start of `indexing`. */
  readonly chunksPerSecond: number;
  /** Milliseconds left of the present source by bytes done, absent until it can be told. */
  readonly etaMs?: number;
}

/** What a run did. */
export interface IndexResult {
  /** False where anything failed; the rest is indexed all the same. */
  readonly success: boolean;
  readonly stats: {
    /** Documents read, chunked and written in this run (with `dryRun`: that would be). */
    readonly documentsProcessed: number;
    /** Of them, those that an earlier version wrote and that were brought in step (with `dryRun`: would be); absent where there were none. */
    readonly documentsRenewed?: number;
    readonly documentsUnchanged: number;
    readonly documentsFailed: number;
    readonly documentsDeleted: number;
    /** Of them, those whose file another source took over, by which it is indexed; absent where there were none. */
    readonly documentsMoved?: number;
    readonly chunksCreated: number;
    readonly chunksUnchanged: number;
    readonly vectorsIndexed: number;
    /** Texts that went through the model, as against vectors reused or cached. */
    readonly embeddingsComputed: number;
    /** Milliseconds. */
    readonly timeElapsed: number;
    /** Milliseconds spent in each stage; stages overlap, so the sum may exceed `timeElapsed`. */
    readonly stages: Readonly<Record<string, number>>;
    /** Personal data and secrets taken out of the documents of this run, by source and type; absent where there were none. */
    readonly redactions?: Readonly<Record<string, Readonly<Record<string, number>>>>;
    /** What parsers met in the documents of this run and did not read, by source and kind (`pictures`, `formulas`); absent where there was nothing. */
    readonly unread?: Readonly<Record<string, UnreadCounts>>;
    /**
     * What was left out by rule, by source and kind: files of other kinds by their extension (`png`), `hidden`, `in .gitignore`;
     * absent where nothing was.
     */
    readonly skipped?: Readonly<Record<string, Readonly<Record<string, number>>>>;
    /** What was forgotten on purpose (`forget`) and is listed still, by source: it is left out; absent where nothing is. */
    readonly forgotten?: Readonly<Record<string, number>>;
    /** What `rag.sources[].retention` came to, by source (with `dryRun`: would); absent where none is stated. */
    readonly retention?: Readonly<
      Record<
        string,
        {
          /** Documents that have come of age and were deleted; they count as deleted. */
          readonly removed: number;
          /** Documents that were read and are too old to be indexed. */
          readonly leftOut: number;
          /** Documents without a date that can be read: kept. */
          readonly undated: number;
          /** Texts of earlier versions that were deleted. */
          readonly versions: number;
        }
      >
    >;
    /** Items that were left to workers (`options.handOver`), those that are gone among them; absent where there were none. */
    readonly itemsHandedOver?: number;
    readonly errors: readonly IndexError[];
  };
  /** Warnings of parsers, truncated inputs, stores that add a lane. */
  readonly notices: readonly string[];
  readonly dryRun: boolean;
  /** With `dryRun`: what hosted models will be asked for and cost; absent where none is configured. */
  readonly estimate?: IndexEstimate;
}

/** What a run will cost at hosted models: an upper bound where token counts are not exact. Prices in US dollars. */
export interface IndexEstimate {
  /** Contexts of chunks that are not kept yet; contexts also lengthen what is embedded, by at most `outputTokens`. */
  readonly contexts?: ContextEstimate;
  /** Texts that are neither indexed nor cached. */
  readonly embedding?: EmbeddingEstimate;
}

/** An item that could not be indexed, and when it is tried again. */
export interface FailedItem extends Omit<IndexError, 'item'> {
  /** Path or id relative to the source's root. */
  readonly item: string;
  /** Failures in a row of its present version. */
  readonly attempts: number;
  /** ISO-8601 UTC. */
  readonly failedAt: string;
  /**
   * `due`: the next run tries it, or the next push that names it. `waiting`: runs leave it alone until `nextAttemptAt`. `given-up`: a dead letter, left alone until it
   * changes or `retry` names it.
   */
  readonly state: 'due' | 'waiting' | 'given-up';
  /** ISO-8601 UTC; of those that wait. */
  readonly nextAttemptAt?: string;
}

/** Which failures are meant; without any of it, all. */
export interface FailuresRequest {
  /** Names of sources. */
  readonly sources?: readonly string[] | undefined;
  /** Items by their path or id, as `failures` names them. */
  readonly items?: readonly string[] | undefined;
}

/** What to try again now. */
export interface RetryRequest extends FailuresRequest {
  /** Wait this long for another writer, in milliseconds. @default 0 */
  readonly waitMs?: number | undefined;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const names = z.union([z.boolean(), z.array(z.string())], 'true, false, or a list of names').optional();

export const documentSchema = z.strictObject({
  id: z.string().refine((id) => id.isWellFormed(), 'a text without half a surrogate pair'),
  text,
  bytes: z.instanceof(Uint8Array, { message: 'a Uint8Array' }).optional(),
  title: text,
  url: text,
  metadata: jsonObject.optional(),
  surroundings: texts,
  mediaType: text,
  fileName: text,
  access: optional<Partial<AccessControl>>({
    groups: texts,
    level: countFromZero,
  }),
} satisfies ShapeOf<PushedDocument>);

export const indexSchema = z.strictObject({
  sources: texts,
  paths: texts,
  documents: z.custom<IndexRequest['documents']>(Array.isArray, 'a list of documents').optional(),
  deleted: texts,
  options: optional<NonNullable<IndexRequest['options']>>({
    batchSize: countFromOne,
    transactionChunks: countFromOne,
    parallel: countFromOne,
    force: flag,
    dryRun: flag,
    prune: names,
    allowShrink: names,
    heedBackoff: flag,
    handOver: flag,
    unlessListedSince: text,
    waitMs: milliseconds,
  }),
  onProgress: callback<NonNullable<IndexRequest['onProgress']>>(),
  confirmPrune: callback<NonNullable<IndexRequest['confirmPrune']>>(),
  signal,
} satisfies ShapeOf<IndexRequest>);

const INDEXING: Refusal = { what: 'What to index', reason: 'USAGE' };

/** A list of documents, and deletions alone, are pushes too. Throws `USAGE`; `DOCUMENT_INVALID` and `DOCUMENT_TOO_LARGE` for a document. */
export function checkedIndexing(given: IndexRequest | readonly PushedDocument[] = {}): IndexRequest {
  const { documents, ...rest } = isDocuments(given)
    ? { documents: given }
    : ownFields(given, refusing(INDEXING));
  const request = checked(rest, indexSchema, INDEXING);
  if (documents === undefined) return request.deleted === undefined ? request : { ...request, documents: [] };
  assertShape(indexSchema, { documents }, INDEXING);
  return { ...request, documents: ownElements(documents, refusing(INDEXING)).map(checkedDocument) };
}

const isDocuments = (given: unknown): given is readonly PushedDocument[] => isList(given);

/** Errors name the document by its id, where that can be read. */
function checkedDocument(given: PushedDocument, at: number): PushedDocument {
  const unnamed: Refusal = { what: `Document ${at + 1}`, reason: 'DOCUMENT_INVALID' };
  const fields = ownFields(given, refusing(unnamed));
  const id: unknown = fields.id;
  const name = typeof id === 'string' ? ` (${JSON.stringify(id.slice(0, LONGEST_NAME))})` : '';
  const refusal: Refusal = { ...unnamed, what: `Document ${at + 1}${name}` };
  const copy = plainCopy(fields, refusing(refusal));
  const document: PushedDocument =
    copy.metadata === undefined ? copy : { ...copy, metadata: withoutUndefined(copy.metadata) };
  assertShape(documentSchema, document, refusal);
  if ((document.text === undefined) === (document.bytes === undefined))
    throw new RAGError('DOCUMENT_INVALID', `${refusal.what} needs text or bytes, one of the two.`);
  const metadataBytes = Buffer.byteLength(JSON.stringify(document.metadata ?? {}));
  if (metadataBytes > MOST_METADATA)
    throw new RAGError(
      'DOCUMENT_TOO_LARGE',
      `${refusal.what} has ${metadataBytes} bytes of metadata, as JSON; ${MOST_METADATA} are the most. Put long texts into the document's text, or keep them elsewhere and name their place.`,
    );
  return document;
}

/** Bytes of the metadata of a document, as JSON: every chunk has a copy of it. */
const MOST_METADATA = 64 * 1024;

const LONGEST_NAME = 200;

export const index = operation({
  access: 'write',
  takes: 1,
  check: checkedIndexing,
  writes: (given = {}) => {
    const { documents = [], deleted = [], options } = isDocuments(given) ? { documents: given } : given;
    // What is only tried is not written.
    return options?.dryRun === true ? [] : [...documents.map(({ id }) => id), ...deleted];
  },
});

export const push = operation({
  access: 'write',
  takes: 1,
  check: (documents: readonly PushedDocument[]) => checkedIndexing({ documents }),
  writes: (documents) => documents.map(({ id }) => id),
});

const chosen = { sources: texts, items: texts } satisfies ShapeOf<FailuresRequest>;

const failuresSchema = z.strictObject(chosen);

const retrySchema = z.strictObject({
  ...chosen,
  waitMs: milliseconds,
  onProgress: callback<NonNullable<RetryRequest['onProgress']>>(),
  signal,
} satisfies ShapeOf<RetryRequest>);

export const failures = operation({
  access: 'read',
  takes: 1,
  check: (request: FailuresRequest = {}) =>
    checked(request, failuresSchema, { what: 'Which failures', reason: 'USAGE' }),
});

export const retry = operation({
  access: 'write',
  takes: 1,
  check: (request: RetryRequest = {}) =>
    checked(request, retrySchema, { what: 'What to try again', reason: 'USAGE' }),
});
