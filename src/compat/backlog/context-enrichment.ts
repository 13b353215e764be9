import type { DegradationLevel, RolloutOutcome } from '../../index.js';

/** A backlog item as a pipeline hands it over; fields that are not named here are left as they are. */
export interface BacklogItem {
  readonly id?: string;
  readonly title: string;
  readonly description?: string | null;
}

/** An item with what an earlier step said of it: `{ pbi, scores }`. */
export interface ScoredPBI<Item extends BacklogItem = BacklogItem, Scores = unknown> {
  readonly pbi: Item;
  readonly scores?: Scores;
}

/** What was done before that is like an item. */
export interface SimilarWork {
  /** Id of the item that was found; of its document where it states none. */
  readonly ref: string;
  readonly title: string;
  /** How well it matches, 0 to 100: above 70 well, above 50 somewhat, below 30 hardly. */
  readonly similarity: number;
  /** Sentences of it that say what came out of it or what was in the way; often none. */
  readonly learnings: readonly string[];
  /** `#` where it has no address. */
  readonly link: string;
}

/** Something that was decided, in the words of the text that says so. */
export interface PastDecision {
  readonly ref: string;
  readonly title: string;
  readonly decision: string;
  /** When its document was last changed, ISO-8601; absent where nobody knows. */
  readonly date?: string;
  readonly link: string;
}

/** A page that concerns an item. */
export interface TechnicalDoc {
  readonly ref: string;
  readonly title: string;
  /** Passages of it, each cut at 200 characters. */
  readonly relevant_sections: readonly string[];
  readonly link: string;
}

/** What an index knows of an item, in the shape of section 8 of the document. */
export interface ContextEnrichment {
  readonly similar_work: readonly SimilarWork[];
  readonly past_decisions: readonly PastDecision[];
  readonly technical_docs: readonly TechnicalDoc[];
  /** Empty: the step after this one fills it. */
  readonly risk_flags: readonly string[];
  readonly suggestions: readonly string[];
  /** How much of the full answer the index could give; 5 (`DISABLED`) where the item was enriched without it. */
  readonly degradation_level?: DegradationLevel;
  /** On which side of a rollout the item was. Absent where none is configured and the index answered. */
  readonly rollout?: RolloutOutcome;
  /** What a person should know: a part that was down, a text that was cut, an enrichment that is missing. Absent where nothing is. */
  readonly notices?: readonly string[];
}

/** Another name of `ContextEnrichment`. */
export type EnrichedContext = ContextEnrichment;

/** An item with its scores and its context. */
export interface EnrichedPBI<Item extends BacklogItem = BacklogItem, Scores = unknown>
  extends ScoredPBI<Item, Scores> {
  readonly context: ContextEnrichment;
}

/** The part of a pipeline's context that the step reads and writes. */
export interface PipelineContext {
  scoredPBIs?: { readonly scored_pbis: readonly ScoredPBI[] };
  enrichedPBIs?: { readonly enriched_pbis: readonly EnrichedPBI[] };
}
