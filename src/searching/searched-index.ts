import type { Notice } from '../core/notice.js';
import type { EngineResources } from '../engine/engine-resources.js';
import type { IndexFacts, Ledger } from '../ledger/ledger.js';
import type { MetadataSealing } from '../security/sealed-metadata.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';
import type { RemoteIndex } from './found-passages.js';

/** What is searched, and what is asked of its ledger. */
export interface SearchedIndex {
  readonly facts: IndexFacts;
  readonly ledger: Pick<Ledger, 'lastRun' | 'generations' | 'learned' | 'reader'>;
  readonly collection: VectorCollection;
  readonly store: VectorStore;
  /** Decrypts what is encrypted of it. */
  readonly sealing: MetadataSealing;
  /** Present where it is the index as it was at a time. */
  readonly past?: { readonly hasVectors: boolean; readonly notices: readonly Notice[] } | undefined;
}

type SearchParts = Pick<EngineResources, 'config' | 'embedderOf' | 'reranker'> &
  Partial<
    Pick<
      EngineResources,
      | 'chatModel'
      | 'forgetOpening'
      | 'adaptationNotice'
      | 'storeNotice'
      | 'queryCache'
      | 'revision'
      | 'parts'
      | 'planner'
    >
  >;

/** What a search needs of an engine, or of whatever else keeps a collection. */
export interface FindResources extends SearchParts {
  /** Where other processes search. */
  readonly remote?: RemoteIndex | undefined;
  collection(): Promise<SearchedIndex>;
}

/** The same of an engine, with what tells of its index. */
export type SearchResources = SearchParts &
  Pick<EngineResources, 'live' | 'collection'> &
  Partial<Pick<EngineResources, 'remote'>>;
