import type { StoredChunk } from '../core/chunk.js';
import type { LineRange, TextRange } from '../core/document.js';
import type { Metadata } from '../core/metadata.js';
import type { ToldNotices } from '../core/notice.js';
import type { SourceConflict } from '../relations/conflicts/conflict-types.js';
import type { InstructionFlag } from './instruction-flags.js';
import type { TokenCounter } from './token-counter.js';

/** An exact slice of a stored revision. */
export interface ContextPiece extends TextRange {
  readonly text: string;
  /** 1-based line that it starts on. */
  readonly line: number;
}

/** A page, 1-based, or several where it is not known which, and where their text begins in the stored revision. */
export interface PageStart {
  readonly page: number;
  readonly lastPage: number;
  readonly start: number;
}

/** One numbered block of a pack: what `[n]` in an answer refers to. */
export interface ContextEntry {
  /** 1-based, in the order of the pack's text. */
  readonly n: number;
  /** `summary`: the first sentences of a document, put before its details in hierarchical mode. */
  readonly kind: 'passage' | 'summary';
  /** The block as it stands in the pack's text: named, inert, between its marks. */
  readonly block: string;
  /** Chunks the text comes from, in document order; with neighbours there are several. */
  readonly chunkIds: readonly string[];
  readonly documentId: string;
  /** Content hash of the stored text that the offsets of `pieces` refer to. */
  readonly revision: string;
  /** Path or id relative to the source's root. */
  readonly source: string;
  readonly sourceType: string;
  readonly title?: string;
  readonly url?: string;
  /** ISO-8601 UTC: last change, else creation. */
  readonly date?: string;
  readonly headingPath: readonly string[];
  readonly lines: LineRange;
  /** Of a document in pages, 1-based, inclusive. */
  readonly pages?: LineRange;
  /** Where those pages begin, in the order of the text. */
  readonly pageStarts?: readonly PageStart[];
  /** What of the stored text is in the pack, ascending, not overlapping. Several where compression left something out. */
  readonly pieces: readonly ContextPiece[];
  /** Relevance of the best chunk, as retrieval gave it. */
  readonly score: number;
  /** Tokens of the block, delimiters included. */
  readonly tokens: number;
  /** Passages of the text that speak to a language model rather than to a reader. */
  readonly flags: readonly InstructionFlag[];
  /** Sentences were dropped to fit the budget. */
  readonly isCompressed: boolean;
  /** Neighbouring chunks were added. */
  readonly isExpanded: boolean;
  readonly metadata: Metadata;
}

/**
 * `duplicate`: its text is part of another entry. `other-revision`: a chunk of another revision of the same document was
 * kept. `budget`: no room. `flagged`: it speaks to a language model, and the policy is to leave such passages out.
 */
export type OmissionReason = 'duplicate' | 'other-revision' | 'budget' | 'flagged';

export interface OmittedChunk {
  readonly chunkId: string;
  readonly source: string;
  readonly reason: OmissionReason;
  /** In words. */
  readonly detail: string;
}

/** What a context weighs. */
export interface ContextTokens {
  /** Tokens of `text`, the counter's margin included; never above `budget`. */
  readonly used: number;
  readonly budget: number;
  /** Which tokenizer counted. */
  readonly counter: string;
  /** Share that is added to every count because the tokenizer is not the model's own; 0 where it is. */
  readonly margin: number;
}

/** Cited context under a token budget, ready to stand in the user's turn of a prompt. */
export interface ContextPack extends ToldNotices {
  /** Markdown; the fallback text where nothing was relevant. Never empty. */
  readonly text: string;
  readonly entries: readonly ContextEntry[];
  readonly omitted: readonly OmittedChunk[];
  readonly tokens: ContextTokens;
  /** Passages of different documents that contradict each other, the surest first; absent where none do. */
  readonly conflicts?: readonly SourceConflict[];
  /** Nothing was found, so `text` only says so. */
  readonly isFallback: boolean;
}

/**
 * `relevance`: best first. `document`: the order of reading, documents by their best passage. `edges`: best first and last,
 * weakest in the middle, for models that read the middle least (Liu et al., TACL 2024, "Lost in the Middle").
 */
export type ContextOrder = 'relevance' | 'document' | 'edges';

/** All chunks of a document that the asker may see, in document order. */
export type LoadDocumentChunks = (
  documentId: string,
  signal?: AbortSignal,
) => Promise<readonly StoredChunk[]>;

/** How passages become a context. */
export interface ContextOptions {
  /** Tokens that `text` may take, a whole number. */
  readonly budget: number;
  /** Counts tokens as the model does; see `tokenCounterFor`. */
  readonly counter: TokenCounter;
  /** @default 'relevance' */
  readonly order?: ContextOrder;
  /** Chunks before and after each hit that are added while there is room; needs `loadChunks`. @default 0 */
  readonly neighbours?: number;
  /** Adds the rest of a section when this many of its chunks were hit; 0 switches it off; needs `loadChunks`. @default 2 */
  readonly sectionHits?: number;
  /** Puts the first sentences of each document before its details; needs `loadChunks`. @default false */
  readonly hierarchical?: boolean;
  /** Drops sentences so that more passages fit; otherwise what does not fit whole is left out. @default true */
  readonly compress?: boolean;
  /** What happens to passages that speak to a language model: `keep` marks them, `omit` leaves them out. @default 'keep' */
  readonly flagged?: 'keep' | 'omit';
  /** Compares the passages, and names those that contradict each other behind them. @default false */
  readonly conflicts?: boolean;
  /** Said where nothing was found. @default `FALLBACK_TEXT` */
  readonly fallbackText?: string;
  readonly loadChunks?: LoadDocumentChunks;
  readonly signal?: AbortSignal;
}

/** What a prompt says in place of context where nothing relevant was found. */
export const FALLBACK_TEXT = 'No specific information found in knowledge base. Provide a general response.';
