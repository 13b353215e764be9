import type { WordRarity } from '../core/analysis/query-profile.js';
import type { SynonymRule } from '../core/analysis/synonyms.js';
import type { Notice } from '../core/notice.js';
import type { GraphPassage } from '../relations/graph/linked-from.js';
import type { RankedDocument } from '../relations/graph/rank.js';
import type { WalkOptions } from '../relations/graph/walk.js';
import type { Reranker } from '../reranking/reranker.js';
import type { StoreCapabilities, VectorCollection } from '../stores/vector-store.js';
import type { RetrievalSettings, StageTrace } from './retriever.js';
import type { EmbedQuery } from './run-lanes.js';
import type { LoadChatModel } from './understanding/chat-expanders.js';

/** The graph of what is searched, as the asker may read it. */
export interface SearchedGraph {
  around(
    beginnings: ReadonlyMap<string, number>,
    options: WalkOptions & { readonly passages?: readonly GraphPassage[] },
  ): Promise<{
    /** What is connected with the beginnings, the closest first, these among them. */
    readonly documents: readonly RankedDocument[];
    /** What the passages refer to themselves; see `linkedFrom`. */
    readonly linked: ReadonlyMap<string, number>;
    readonly notices: readonly Notice[];
  }>;
}

/** What a retriever is made of. */
export interface RetrieverOptions {
  /** Already narrowed to the scope of the asker (`scopeCollection`). */
  readonly collection: VectorCollection;
  readonly capabilities: StoreCapabilities;
  readonly embedQuery: EmbedQuery;
  /** Embeds a passage, for expansions that make one up. @default `embedQuery` */
  readonly embedPassage?: EmbedQuery;
  /** Whether the embedder knows the script of a text: other passages, and other queries, take no part in its lane. @default true of every text */
  readonly reads?: (text: string) => boolean;
  /** `ModelIdentity.model` of the embedder: decides default lane weights and calibration. */
  readonly modelKey: string;
  /** Opens the reranker on first use; absent where none is set up. A failure leaves the order as it is. */
  readonly loadReranker?: () => Promise<Reranker>;
  /** Opens the language model on first use, for expansions that ask one; absent where none can be. */
  readonly loadChatModel?: LoadChatModel;
  /** Opens the graph; absent where there is none to ask. */
  readonly graph?: ((signal: AbortSignal | undefined) => SearchedGraph) | undefined;
  /** How rare words are in general, for scores. @default every word counts alike */
  readonly loadRarity?: () => Promise<WordRarity>;
  readonly settings: RetrievalSettings;
  /** @default none */
  readonly synonyms?: readonly SynonymRule[];
  /** Milliseconds since the epoch. @default the clock of the runtime */
  readonly now?: () => number;
  /** Told what each step left, for explanations of a miss. */
  readonly onStage?: StageTrace | undefined;
}
