import type { protos } from '@google-cloud/discoveryengine';
import { RAGError } from '../../core/errors.js';
import { batchesOf } from '../batches.js';
import { VECTOR_FIELD } from './data-store-schema.js';
import { chunkOf, type DocumentData, type DocumentedChunk } from './document-codec.js';
import { structOf, textsOf } from './struct.js';
import type { CallOptions, VertexSearchConnection } from './vertex-connection.js';
import { isRetryableStatus, refusalError } from './vertex-errors.js';
import { MARKER_ID } from './vertex-names.js';

type Document = protos.google.cloud.discoveryengine.v1beta.IDocument;
type ImportResponse = protos.google.cloud.discoveryengine.v1beta.IImportDocumentsResponse;

/** Documents and bytes of one import: the service recommends 100 documents at most. */
const IMPORT = { items: 100, size: 4_000_000 };
/** What one document may have at most, so that a request that Google's front takes (10 MB) holds it. */
const MAX_DOCUMENT_BYTES = 9_000_000;
/** Requests under way at once. */
const CONCURRENCY = 8;
/** Documents of one page of a listing, and of a search. */
const LISTED = 1_000;
export const FOUND = 100;
/** How often documents that the service could not take in are sent again. */
const IMPORT_ATTEMPTS = 3;

const INCREMENTAL = 'INCREMENTAL';

export interface Place {
  /** `.../dataStores/D` */
  readonly dataStore: string;
  /** `.../engines/E` */
  readonly engine: string;
  readonly collection: string;
}

export interface SearchPage {
  readonly filter: string;
  /** Nearest first where there is one; else in no order. */
  readonly vector?: readonly number[] | undefined;
  readonly pageToken?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A chunk as a search gives it, and the stamp of its write. */
export interface FoundChunk extends DocumentedChunk {
  readonly key: string;
  readonly stamp: string | undefined;
}

/** The requests that one collection makes of its data store, with their answers checked. */
export class DocumentRequests {
  readonly #connection: VertexSearchConnection;
  readonly #place: Place;

  constructor(connection: VertexSearchConnection, place: Place) {
    this.#connection = connection;
    this.#place = place;
  }

  /** Writes documents, each whole. What was done before a failure stays done, and a repetition does no harm. */
  async write(documents: readonly DocumentData[], signal: AbortSignal | undefined): Promise<void> {
    // All of them first, so that one that does not fit refuses its whole batch.
    const batches = [...batchesOf(documents, IMPORT, sizeOf)];
    await eachAtOnce(batches, (batch) => this.#import(batch, this.#call('write chunks', signal)));
  }

  /** The documents of these names; those that are not there are left out. */
  async read(ids: readonly string[], signal: AbortSignal | undefined): Promise<DocumentedChunk[]> {
    const call = this.#call('read chunks', signal);
    const found: DocumentedChunk[] = [];
    await eachAtOnce(ids, async (id) => {
      const document = await this.#connection.find(call, async ({ documents }, options) => {
        const [answer] = await documents.getDocument({ name: this.#nameOf(id) }, options);
        return answer;
      });
      if (document !== undefined) found.push(chunkOf(textsOf(document.structData)));
    });
    return found;
  }

  /**
   * Deletes by name. `documents:purge` would take lists, but its documentation demands a filter beside the list of which only `*`,
   * everything, is allowed.
   */
  async delete(ids: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const call = this.#call('delete chunks', signal);
    await eachAtOnce(ids, async (id) => {
      await this.#connection.find(call, ({ documents }, options) =>
        documents.deleteDocument({ name: this.#nameOf(id) }, options),
      );
    });
  }

  /** Every chunk of the data store, in no order, a page at a time. */
  async *all(action: string, signal: AbortSignal | undefined): AsyncGenerator<DocumentedChunk[]> {
    const call = this.#call(action, signal);
    let pageToken = '';
    do {
      const { documents, next } = await this.#connection.call(call, async (clients, options) => {
        const request = {
          parent: this.#branch,
          pageSize: LISTED,
          ...(pageToken === '' ? {} : { pageToken }),
        };
        const [page, , answer] = await clients.documents.listDocuments(request, {
          ...options,
          autoPaginate: false,
        });
        return { documents: page, next: answer?.nextPageToken ?? '' };
      });
      yield documents
        .filter(({ id }) => id !== MARKER_ID)
        .map(({ structData }) => chunkOf(textsOf(structData)));
      pageToken = next;
    } while (pageToken !== '');
  }

  /** One page of what the index of the service has. */
  async search({ filter, vector, pageToken, signal }: SearchPage): Promise<{
    readonly found: readonly FoundChunk[];
    readonly pageToken: string | undefined;
  }> {
    const request = {
      servingConfig: `${this.#place.engine}/servingConfigs/default_search`,
      filter,
      pageSize: FOUND,
      ...(pageToken === undefined ? {} : { pageToken }),
      ...(vector === undefined
        ? {}
        : {
            embeddingSpec: { embeddingVectors: [{ fieldPath: VECTOR_FIELD, vector: [...vector] }] },
            rankingExpression: `dotProduct(${VECTOR_FIELD})`,
            relevanceThreshold: 'LOWEST' as const,
          }),
    };
    const call = this.#call('search', signal);
    const { results, next } = await this.#connection.call(call, async (clients, options) => {
      const [page, , answer] = await clients.search.search(request, { ...options, autoPaginate: false });
      return { results: page, next: answer?.nextPageToken ?? '' };
    });
    const found = results.map(({ document }) => foundChunk(document ?? {}));
    return { found, pageToken: next === '' ? undefined : next };
  }

  async #import(batch: readonly DocumentData[], call: CallOptions): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const response = await this.#connection.operate<ImportResponse>(
        call,
        async ({ documents }, options) => {
          const [operation] = await documents.importDocuments(
            {
              parent: this.#branch,
              reconciliationMode: INCREMENTAL,
              inlineSource: { documents: batch.map(({ id, data }) => ({ id, structData: structOf(data) })) },
            },
            options,
          );
          return operation;
        },
      );
      const errors = response?.errorSamples ?? [];
      const [first] = errors;
      if (first === undefined) return;
      // Samples do not name documents, so the whole batch is sent again.
      const isPassing = errors.every(({ code }) => isRetryableStatus(PASSING[code ?? 0] ?? 400));
      if (!isPassing || attempt >= IMPORT_ATTEMPTS)
        throw this.#importError(call, { isPassing, explanation: first.message ?? '' });
    }
  }

  #importError(
    { action }: CallOptions,
    { isPassing, explanation }: { readonly isPassing: boolean; readonly explanation: string },
  ): RAGError {
    const { address } = this.#connection;
    if (isPassing) return refusalError(address, action, { status: 503, explanation });
    return new RAGError(
      'STORE_INVALID_RECORD',
      `Vertex AI Search at ${address} refused a chunk: it does not fit the data store, which someone may have changed. The cause has its explanation.`,
      { cause: new Error(explanation.slice(0, 2_000)) },
    );
  }

  get #branch(): string {
    return `${this.#place.dataStore}/branches/default_branch`;
  }

  #nameOf(id: string): string {
    return `${this.#branch}/documents/${id}`;
  }

  #call(action: string, signal: AbortSignal | undefined): CallOptions {
    return { action: `${action} in collection "${this.#place.collection}"`, signal };
  }
}

/** gRPC's codes of single documents that may succeed later. */
const PASSING: Readonly<Record<number, number>> = { 4: 504, 8: 429, 10: 503, 13: 500, 14: 503 };

function foundChunk({ structData }: Document): FoundChunk {
  const texts = textsOf(structData);
  return { ...chunkOf(texts), key: texts.key ?? '', stamp: texts.writeStamp };
}

function sizeOf({ data }: DocumentData): number {
  const size = Buffer.byteLength(JSON.stringify(data), 'utf8');
  if (size > MAX_DOCUMENT_BYTES)
    throw new RAGError(
      'STORE_INVALID_RECORD',
      'A chunk takes more than 9 MB in Vertex AI Search, which is all that one request may hold.',
    );
  return size;
}

/** Several at once; the first failure ends all. */
async function eachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}
