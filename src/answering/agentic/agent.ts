import type { TokenCounter } from '../../context/token-counter.js';
import type { ChatModel } from '../../core/chat-model.js';
import type { ScoredChunk, StoredChunk } from '../../core/chunk.js';
import type { DegradationLevel } from '../../core/degradation.js';
import type { NoticeKind } from '../../core/notice.js';

/** What a run may take. Whichever is reached first ends it; the answer is made of what was found until then. */
export interface AgentLimits {
  /** Calls of tools, the first search included; from 1. @default 8 */
  readonly maxSteps: number;
  /** Tokens that a language model reads and writes, the answer included; from 0. Without a model none are used. @default 40000 */
  readonly maxTokens: number;
  /** US dollars for the language model, the answer included, where its price is known; from 0. @default 0.1 */
  readonly maxCost: number;
  /** Milliseconds for the search of evidence and the answer together; from 1. @default 30000 */
  readonly deadlineMs: number;
}

/** Limits as a question states them: what is left out, or undefined, is that of `DEFAULT_LIMITS`. */
export type StatedLimits = { readonly [Name in keyof AgentLimits]?: AgentLimits[Name] | undefined };

/** Of each limit, where nothing else is asked for. */
export const DEFAULT_LIMITS: AgentLimits = {
  maxSteps: 8,
  maxTokens: 40_000,
  maxCost: 0.1,
  deadlineMs: 30_000,
};

/**
 * `answered`: nothing was missing any more, or the model said so. `no-new-evidence`: further steps added nothing. The others name the
 * limit that ended the run.
 */
export type AgentStopReason = 'answered' | 'no-new-evidence' | 'steps' | 'tokens' | 'cost' | 'deadline';

/** What a step calls. `external`: a search outside of the index, which only a program can hand in. */
export type AgentToolName = 'search' | 'document' | 'related' | 'values' | 'external';

/** One call of a tool. */
export interface AgentStep {
  /** From 1. */
  readonly step: number;
  readonly tool: AgentToolName;
  /** Why it was done, in words. Those of a language model are made inert. */
  readonly why: string;
  /** What was searched for; of other tools, what they were called with. */
  readonly query: string;
  /** Passages that it found. */
  readonly found: number;
  /** Of these, passages that no step before it had found. */
  readonly new: number;
  /** Tokens that the language model read and wrote to choose the step; 0 without one. */
  readonly tokens: number;
  /** Milliseconds, those of the language model included. */
  readonly ms: number;
  /** The same call was made before: it is answered from the trace. */
  readonly isRepeated?: true;
  /** What a tool that finds no passages said. */
  readonly told?: string;
  /** Why it found nothing: a tool failed, or the model called one that does not exist. */
  readonly problem?: string;
}

/** How the passages of an answer were found. */
export interface AgentReport {
  readonly by: 'rules' | 'model';
  readonly steps: readonly AgentStep[];
  readonly stopped: AgentStopReason;
  readonly limits: AgentLimits;
  /** What it took; `cost` is absent where the price of the model is not known. */
  readonly used: {
    readonly steps: number;
    readonly tokens: number;
    readonly cost?: number;
    readonly ms: number;
  };
}

/** What a search of a tool gave, best first. */
export interface AgentToolResult {
  readonly ranked: readonly ScoredChunk[];
  readonly degradationLevel: DegradationLevel;
  readonly notices: readonly string[];
  readonly noticeKinds?: readonly NoticeKind[] | undefined;
  /** What a tool that finds no passages has to say. */
  readonly told?: string;
}

/** What a search is narrowed to, beside what the asker narrowed it to. */
export interface AgentNarrowing {
  /** Only in documents that a link of a passage leads to. */
  readonly linked?: { readonly from: StoredChunk; readonly href: string };
  /** Only in this document. */
  readonly documentId?: string;
  /** Only where a field of the metadata has the value. */
  readonly where?: { readonly field: string; readonly value: string };
}

export interface AgentToolOptions extends AgentNarrowing {
  readonly topK: number;
  readonly signal: AbortSignal;
}

/** A document that another leads to, and how. */
export interface LinkedDocument {
  readonly documentId: string;
  /** From the document that was asked for to this one. */
  readonly path: readonly { readonly from: string; readonly kind: string; readonly to: string }[];
}

/** A passage from outside of the index. */
export interface ExternalPassage {
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

/**
 * Searches outside of the index, for steps that found nothing in it. The words of questions leave the machine by it, and what it
 * returns is shown to the caller: off unless a program hands one in (`createEngine({ externalSearch })`).
 */
export interface ExternalSearch {
  /** Names it in sources of answers: `external:NAME`. */
  readonly name: string;
  search(
    query: string,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly ExternalPassage[]>;
}

/** Everything that a run may call. All of it acts in the scope of the asker, and under the filters of the question. */
export interface AgentTools {
  /** @throws RAGError of the search */
  readonly search: (query: string, options: AgentToolOptions) => Promise<AgentToolResult>;
  /** Passages of a document in its order, from its beginning. */
  readonly document: (
    documentId: string,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ) => Promise<readonly StoredChunk[]>;
  /** Values that a field of the metadata has. */
  readonly values: (field: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Documents that a document leads to; absent where no graph is kept. */
  readonly related?: (
    documentId: string,
    options: { readonly hops: number; readonly limit: number; readonly signal: AbortSignal },
  ) => Promise<readonly LinkedDocument[]>;
  readonly external?: ExternalSearch;
}

/** A question to gather evidence for. */
export interface AgentRequest {
  readonly question: string;
  /** The first step: the search that the mode `enhanced` makes. */
  readonly first: (options: {
    readonly topK: number;
    readonly signal: AbortSignal;
  }) => Promise<AgentToolResult>;
  /** Passages that are wanted in all. */
  readonly topK: number;
  /** Chooses the steps where there is one; else rules do. */
  readonly model?: ChatModel | undefined;
  readonly counter: TokenCounter;
  /** Tokens that are left for the answer. @default 0 */
  readonly reserved?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a run found, best first, and how. */
export interface Gathered extends AgentToolResult {
  readonly report: AgentReport;
  /** What of the limits is left for the answer. */
  readonly left: LimitsLeft;
}

/** What of the limits of an answer is left: tokens, US dollars, and milliseconds now. */
export interface LimitsLeft {
  readonly tokens: number;
  readonly cost: number;
  readonly ms: () => number;
}

/** What a call of a language model may take, before it is made. */
export interface PlannedCall {
  readonly tokens: number;
  /** US dollars; undefined where the price is not known. */
  readonly cost: number | undefined;
}

/** Counts what an answer takes of its limits. */
export interface LimitCounter {
  readonly msLeft: number;
  readonly tokensLeft: number;
  readonly costLeft: number;
  /** The limit that a call of the model would pass. */
  callForbidden(call: PlannedCall): AgentStopReason | undefined;
  countCall(call: PlannedCall): void;
}

/** Gathers evidence in steps. @throws RAGError of the first search, `ABORTED` */
export type GatherEvidence = (request: AgentRequest) => Promise<Gathered>;
