import type { StoredChunk } from '../../core/chunk.js';
import { RAGError } from '../../core/errors.js';
import { eq } from '../../core/filter.js';
import { FACT_PREFIX } from '../../core/metadata.js';
import type { Scope } from '../../core/scope.js';
import { withPermit } from '../../core/semaphore.js';
import { type Embedder, fingerprintOf } from '../../embedding/embedder.js';
import type { DocumentText, Engine, EngineView, IndexRequest, IndexResult } from '../../operations/engine.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import { otherModel } from '../../resources/open-collection.js';
import { type FactNames, factsFilter, factsOf, toMetadata } from './facts.js';
import { Document } from './models.js';
import type { Answering, Question, Shelf } from './shelf.js';
import type { ValidDocument } from './validate.js';
import { WHOLE_DOCUMENT } from './whole-documents.js';

const FACTS: FactNames = { prefix: FACT_PREFIX };
/** Longest wait for another process that writes the same documents, in milliseconds. */
const WRITE_WAIT_MS = 60_000;

/** A document as an engine is given it. */
export const toPushed = ({
  docId,
  content,
  metadata,
}: ValidDocument): Parameters<EngineView['push']>[0][number] => ({
  id: docId,
  text: content,
  mediaType: WHOLE_DOCUMENT,
  metadata: toMetadata(metadata, FACTS),
});

/** Throws what went wrong, so that nobody takes a failure for a success. */
export async function pushed(view: EngineView, request: IndexRequest): Promise<IndexResult> {
  const result = await view.index({ documents: [], ...request, options: { waitMs: WRITE_WAIT_MS } });
  const [failure] = result.stats.errors;
  if (failure === undefined) return result;
  throw new RAGError(failure.reason, failure.message);
}

export interface EngineShelfParts {
  readonly engine: Engine;
  /** Of the engine. */
  readonly resources: EngineResources;
  /** The engine's own. */
  readonly embedder: Embedder;
  readonly scope: Scope;
  readonly notices: readonly string[];
}

/** Documents that an engine indexes, and nothing else with them. */
export class EngineShelf implements Shelf {
  readonly notices: readonly string[];
  readonly #resources: EngineResources;
  readonly #embedder: Embedder;
  readonly #view: EngineView;
  readonly #closeAll: () => Promise<void>;

  /** @param closeAll closes the engine, and what was handed to it. */
  constructor(
    { engine, resources, embedder, scope, notices }: EngineShelfParts,
    closeAll: () => Promise<void>,
  ) {
    this.notices = notices;
    this.#resources = resources;
    this.#embedder = embedder;
    this.#view = engine.as(scope);
    this.#closeAll = closeAll;
  }

  async write(documents: readonly ValidDocument[]): Promise<void> {
    const write = { documents: documents.map(toPushed) };
    await (await this.#afterCheck(() => pushed(this.#view, write))).result;
  }

  async find({ text, topK, facts }: Question): Promise<Answering[]> {
    if (!(await this.#isBegun())) return [];
    const { results } = await this.#view.search({
      text,
      topK,
      filter: factsFilter(facts, FACTS),
      // As many documents as are asked for, and a score that falls.
      options: { collapse: 'document', minSimilarity: 0, nearDuplicates: 'keep', mmrLambda: 1 },
    });
    const found = results.map(async ({ metadata, content, score }): Promise<Answering[]> => {
      const held = await this.#view.get(String(metadata.documentId));
      return held === undefined ? [] : [{ document: documentOf(held), passage: content, score }];
    });
    return (await Promise.all(found)).flat();
  }

  async read(docId: string): Promise<Document | undefined> {
    const held = (await this.#isBegun()) ? await this.#view.get(docId) : undefined;
    return held && documentOf(held, (await this.#onlyChunk(held))?.vector);
  }

  async remove(docId: string): Promise<boolean> {
    const removal = await this.#afterCheck((isBegun) =>
      isBegun ? pushed(this.#view, { deleted: [docId] }) : Promise.resolve(undefined),
    );
    return ((await removal.result)?.stats.documentsDeleted ?? 0) > 0;
  }

  async check(): Promise<void> {
    const isBegun = await this.#isBegun();
    const { ok, detail } = await (await this.#resources.stores.configured()).store.health();
    if (!ok) throw new RAGError('STORE_UNAVAILABLE', detail);
    if (isBegun) await (await this.#resources.stores.collection()).collection.count(eq('$chunkId', ''));
  }

  close(): Promise<void> {
    return this.#closeAll();
  }

  /**
   * Hands a write to the engine once the model was checked. Checks over several connections may overtake each other, so they go one by
   * one: the engine keeps the order in which it is asked.
   */
  #afterCheck<Result>(
    write: (isBegun: boolean) => Promise<Result>,
  ): Promise<{ readonly result: Promise<Result> }> {
    return withPermit(
      { owner: this, concurrency: 1 },
      // In an object, so that the next one need not wait for the write itself.
      async () => ({ result: write(await this.#isBegun()) }),
      undefined,
    );
  }

  /** Whether anything was ever indexed. Throws where that was with another model. */
  async #isBegun(): Promise<boolean> {
    const live = await this.#resources.ledger.live();
    if (live !== undefined && live.facts.fingerprint !== fingerprintOf(this.#embedder.identity))
      throw otherModel(live.facts, this.#embedder);
    return live !== undefined;
  }

  /** The chunk of a document that is short enough to be one. */
  async #onlyChunk({ id }: DocumentText): Promise<StoredChunk | undefined> {
    const { reader, collection } = await this.#resources.stores.collection();
    const [first, second] = await reader.chunks(id);
    if (first === undefined || second !== undefined) return undefined;
    return (await collection.get([first.chunkId], { includeVectors: true }))[0];
  }
}

const documentOf = ({ externalId, text, metadata }: DocumentText, vector?: Float32Array): Document =>
  new Document({
    docId: externalId,
    content: text,
    metadata: factsOf(metadata, FACTS),
    embedding: vector === undefined ? null : [...vector],
  });
