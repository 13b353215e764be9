import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { runtime, sleep } from '../../core/runtime.js';
import type { PineconeConnection } from './pinecone-connection.js';
import { transportError } from './pinecone-errors.js';
import type { ResolvedPineconeOptions } from './pinecone-options.js';

/** An index that is ready. */
export interface PineconeIndex {
  readonly name: string;
  readonly host: string;
  readonly dimensions: number;
}

const MODEL = z.object({
  name: z.string(),
  host: z.string().min(1),
  dimension: z.int().positive().optional(),
  metric: z.string(),
  vectorType: z.string(),
  status: z.object({ ready: z.boolean(), state: z.string() }),
});

/** How long a new index may take to be ready, usually some seconds. */
const READY_TIMEOUT_MS = 5 * 60_000;
const POLL_MS = 500;

/**
 * The indexes of one configuration. An index has vectors of one length: the one that is named, and, for models of other dimensions, others named after
 * it, which are made where `createIfNotExists` allows it.
 */
export class IndexDirectory {
  readonly #connection: PineconeConnection;
  readonly #options: ResolvedPineconeOptions;
  readonly #known = new Map<string, PineconeIndex>();

  constructor(connection: PineconeConnection, options: ResolvedPineconeOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** The index of the configuration, whatever its vectors; undefined where there is none. */
  main(): Promise<PineconeIndex | undefined> {
    return this.#find(this.#options.index);
  }

  /** The index for vectors of this length; made where that is allowed. Throws `CONFIG_INVALID` or `STORE_DIMENSION_MISMATCH`. */
  async for(dimensions: number): Promise<PineconeIndex> {
    const { index, createIfNotExists } = this.#options;
    const main = await this.main();
    if (main?.dimensions === dimensions) return main;
    const name = main === undefined ? index : `${index}-${dimensions}`;
    const other = main === undefined ? undefined : await this.#find(name);
    if (other?.dimensions === dimensions) return other;
    if (createIfNotExists && other === undefined) return this.#make(name, dimensions);
    if (main === undefined)
      throw new RAGError(
        'CONFIG_INVALID',
        `There is no Pinecone index "${index}". Make it with ${dimensions} dimensions and the metric cosine, or set rag.storage.cloud.createIfNotExists: true.`,
        { details: { key: 'rag.storage.cloud.index' } },
      );
    throw new RAGError(
      'STORE_DIMENSION_MISMATCH',
      `The Pinecone index "${index}" holds vectors of ${main.dimensions} dimensions, the embedding model makes ${dimensions}. Name another index, or set rag.storage.cloud.createIfNotExists: true, which makes "${index}-${dimensions}".`,
      { details: { expected: main.dimensions, actual: dimensions } },
    );
  }

  /** Nothing is kept of what is not there: it may be made by another. */
  async #find(name: string): Promise<PineconeIndex | undefined> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const end = runtime().elapsed() + READY_TIMEOUT_MS;
    for (;;) {
      const { value } = await this.#connection.control({ action: `describe index "${name}"` }, (client) =>
        client.describeIndex(name),
      );
      if (value === undefined) return undefined;
      const model = this.#read(name, value);
      if (model.status.ready) return this.#keep(model);
      if (runtime().elapsed() > end)
        throw new RAGError(
          'STORE_TIMEOUT',
          `The Pinecone index "${name}" is not ready after ${READY_TIMEOUT_MS / 1_000} s (state ${model.status.state}). Try again later.`,
        );
      await sleep(POLL_MS);
    }
  }

  #keep({ name, host, dimension, metric, vectorType }: z.output<typeof MODEL>): PineconeIndex {
    if (vectorType !== 'dense' || dimension === undefined || !['cosine', 'dotproduct'].includes(metric))
      throw new RAGError(
        'CONFIG_INVALID',
        `The Pinecone index "${name}" is ${vectorType} with the metric ${metric}; this store needs a dense one with cosine or dotproduct. Name another index.`,
        { details: { key: 'rag.storage.cloud.index' } },
      );
    const index = { name, host, dimensions: dimension };
    this.#known.set(name, index);
    return index;
  }

  async #make(name: string, dimensions: number): Promise<PineconeIndex> {
    const { cloud, region } = this.#options;
    await this.#connection.control({ action: `make index "${name}"` }, (client) =>
      client.createIndex({
        name,
        dimension: dimensions,
        metric: 'cosine',
        spec: { serverless: { cloud, region } },
        // Another process may have been faster, or a first answer was lost.
        suppressConflicts: true,
        tags: { made_by: 'ragstone' },
      }),
    );
    const made = await this.#find(name);
    if (made?.dimensions === dimensions) return made;
    throw new RAGError(
      'STORE_UNAVAILABLE',
      `Pinecone at ${this.#connection.address} made index "${name}" and does not show it. Try again later.`,
    );
  }

  #read(name: string, value: unknown): z.output<typeof MODEL> {
    const parsed = MODEL.safeParse(value);
    if (parsed.success) return parsed.data;
    throw transportError(this.#connection.address, `describe index "${name}"`, parsed.error);
  }
}
