import type { GraphPage, NameHit } from './graph.js';

/*
 * What a language model read out of chunks: names, what they are, and how they hang together. Facts belong to one chunk and are kept under
 * its id, which is a hash of its document and text: they are of use in every generation that has the chunk, go when the last one has lost it,
 * and are never merged over documents, so that nobody is told by one document what stands in another.
 */

/** Something with a name that stands in the chunk. */
export interface ExtractedEntity {
  /** As it stands there. */
  readonly name: string;
  /** What all its spellings have in common (`features/extraction/entity-key.ts`). */
  readonly key: string;
  readonly type: string;
  /** In the model's words. */
  readonly description: string;
  /** Where the name stands in the content of the chunk. */
  readonly start: number;
  readonly end: number;
}

export interface ExtractedRelation {
  /** Key of an entity of the same chunk. */
  readonly from: string;
  readonly to: string;
  /** In the model's words: `depends on`. */
  readonly label: string;
  /** Stands in the chunk, word for word. */
  readonly evidence: string;
}

/** What was read of one chunk, or that it could not be. */
export interface FactRecord {
  readonly chunkId: string;
  readonly documentId: string;
  /** Hash of tenant, model, version of the prompt, and text: the same question has the same answer. */
  readonly inputKey: string;
  /** `provider:model`. */
  readonly model: string;
  readonly promptVersion: number;
  /** `failed`: the model was asked, and what it said is of no use. */
  readonly outcome: 'read' | 'failed';
  /** Runs that asked in vain. */
  readonly attempts: number;
  /** Why it failed; never a text of the model. */
  readonly problem?: string | undefined;
  readonly entities: readonly ExtractedEntity[];
  readonly relations: readonly ExtractedRelation[];
  /** What the model named and the text does not hold. */
  readonly refused: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How long the model took. */
  readonly ms: number;
  /** ISO-8601 UTC. */
  readonly at: string;
}

/** One sentence of a summary, and the documents that it stands on. */
export interface SummarySentence {
  readonly text: string;
  readonly documentIds: readonly string[];
}

/** What a model wrote of entities that hang together, out of documents that have the same readers. */
export interface CommunitySummary {
  /** Hash of all that the model was given. */
  readonly id: string;
  readonly model: string;
  /** That of its documents; absent where they are of none. */
  readonly project?: string | undefined;
  readonly title: string;
  readonly sentences: readonly SummarySentence[];
  /** What its sources name of it. */
  readonly entities: readonly Pick<ExtractedEntity, 'key' | 'name'>[];
  /** Every chunk whose facts the model was given: without one of them the summary is none any more. */
  readonly sources: readonly { readonly documentId: string; readonly chunkId: string }[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly ms: number;
  /** ISO-8601 UTC. */
  readonly at: string;
}

/** Facts of the chunks that one generation holds now. It knows tenants and not who may read what, as the graph. */
export interface FactReader {
  /** By document, each in no order; one without is left out. */
  facts(documentIds: readonly string[]): Promise<ReadonlyMap<string, readonly FactRecord[]>>;
  /** Documents of a tenant that name an entity, for each of the keys a page in the order of ids. */
  naming(tenant: string, keys: readonly string[], page: GraphPage): Promise<readonly NameHit[]>;
  /** What was read of the same text before, of whichever document. */
  sameInput(inputKey: string): Promise<FactRecord | undefined>;
  /** Summaries of a tenant that are made of nothing but what the generation holds, in the order of their ids. */
  summaries(
    tenant: string,
    page: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<readonly CommunitySummary[]>;
}

export interface FactWriter extends FactReader {
  /** Keeps what was read of chunks, in place of what was kept. What the generation does not hold any more is left out; says how many were kept. */
  saveFacts(tenant: string, records: readonly FactRecord[]): Promise<number>;
  /** Keeps a summary; false where a source of it is gone. */
  saveSummary(tenant: string, summary: CommunitySummary): Promise<boolean>;
  /** Removes summaries. */
  forgetSummaries(tenant: string, ids: readonly string[]): Promise<void>;
}
