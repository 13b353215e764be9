import type { ResolvedConfig } from '../config/resolved-config.js';
import type { Notice } from '../core/notice.js';
import type { Generation, Ledger } from '../ledger/ledger.js';
import type { Breakers } from '../platform/degradation/breakers.js';
import type { MetadataSealing } from '../platform/security/sealed-metadata.js';
import type { RemoteIndex } from '../resources/found-passages.js';
import type { LedgerHandle } from '../resources/handles/ledger-handle.js';
import type { ModelHandle } from '../resources/handles/model-handle.js';
import type { ResultsHandle } from '../resources/handles/results-handle.js';
import type { StoreHandle } from '../resources/handles/store-handle.js';
import type { Planner } from '../retrieval/planning/planner.js';
import type { VectorCollection, VectorStore } from '../stores/vector-store.js';

/** What is searched, and what is asked of its ledger. */
export interface SearchedIndex {
  readonly facts: Generation;
  readonly ledger: Pick<Ledger, 'lastRun' | 'generations' | 'learned' | 'reader'>;
  readonly collection: VectorCollection;
  readonly store: VectorStore;
  /** Decrypts what is encrypted of it. */
  readonly sealing: MetadataSealing;
  /** Present where it is the index as it was at a time. */
  readonly past?: { readonly hasVectors: boolean; readonly notices: readonly Notice[] } | undefined;
}

/** What a search needs of an engine, or of whatever else keeps a collection. */
export interface FindResources {
  readonly config: ResolvedConfig;
  readonly stores: {
    collection(): Promise<SearchedIndex>;
    readonly notice?: StoreHandle['notice'];
  };
  readonly models: Pick<ModelHandle, 'embedderOf'> &
    Partial<Pick<ModelHandle, 'forgetOpening' | 'adaptationNotice'>> & {
      readonly reranker: Openable<ModelHandle['reranker']>;
      readonly chatModel?: Openable<ModelHandle['chatModel']> | undefined;
    };
  /** Absent where nothing that was found is kept. */
  readonly results?: { readonly cache: Openable<ResultsHandle['cache']> } | undefined;
  readonly ledger?: Partial<Pick<LedgerHandle, 'revision'>> | undefined;
  readonly breakers?: Breakers | undefined;
  readonly planner?: Planner | undefined;
  /** Where other processes search. */
  readonly remote?: RemoteIndex | undefined;
}

/** The same of an engine, with what tells of its index. */
export interface SearchResources extends FindResources {
  readonly stores: Pick<StoreHandle, 'collection'> & Partial<Pick<StoreHandle, 'notice'>>;
  readonly ledger: Pick<LedgerHandle, 'live'> & Partial<Pick<LedgerHandle, 'revision'>>;
}

type Openable<Part> = Pick<Part, Extract<'open', keyof Part>>;
