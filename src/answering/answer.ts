import type { OmittedChunk } from '../context/context-pack.js';
import type { ChatFinishReason, ChatUsage } from '../core/chat-model.js';
import type { LineRange, TextRange } from '../core/document.js';
import type { DocumentOrigin } from '../core/document-origin.js';
import type { Metadata } from '../core/metadata.js';
import type { ToldNotices } from '../core/notice.js';
import type { StageTimes } from '../core/telemetry.js';
import type { AsOfReport } from '../ledger/history/as-of-report.js';
import type { ToldDegradation } from '../platform/degradation/degradation-report.js';
import type { SourceConflict } from '../relations/conflicts/conflict-types.js';
import type { QueryCorrection } from '../retrieval/retriever.js';
import type { AgentReport } from './agentic/agent.js';

/** One earlier message of a conversation (`conversation_history` of a request). */
export interface ConversationTurn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/**
 * `naive`: the question as it is, once, context as found. `enhanced`: follow-ups are rewritten, a weak search is widened with
 * other wordings, context is expanded with the sections it comes from. `agentic`: searched for in steps, within limits, until nothing is
 * missing. `graph`: as `enhanced`, by searches that follow links and mentions.
 */
export type AnswerMode = 'naive' | 'enhanced' | 'agentic' | 'graph';

/** A passage that an answer rests on. The names with an underscore are for programs that know them. */
export interface AnswerSource {
  /** What `[n]` in the answer refers to. */
  readonly n: number;
  /** `bug_id` of the document's metadata where it has one, else its path or id in its source. */
  readonly bug_id: string;
  readonly source_type: string;
  /** The text that the answerer saw of it, exact. */
  readonly chunk_text: string;
  /** Calibrated probability that the passage is relevant, in [0, 1]. */
  readonly similarity: number;
  readonly chunkIds: readonly string[];
  readonly documentId: string;
  readonly revision: string;
  /** Path or id relative to the root of its source. */
  readonly source: string;
  /** Absent where the passages are not those of an engine's index. */
  readonly origin?: DocumentOrigin;
  readonly title?: string;
  readonly url?: string;
  /** ISO-8601 UTC. */
  readonly date?: string;
  readonly headingPath: readonly string[];
  readonly lines: LineRange;
  /** Of a document in pages, 1-based, inclusive. */
  readonly pages?: LineRange;
  /** Signals by which the passage seems to give orders to a language model; empty for nearly all. */
  readonly flags: readonly string[];
  /** The sentences with these signals, the surest first, neutralised, at most 160 characters of each; absent where there are none. */
  readonly flagged?: readonly string[];
  readonly metadata: Metadata;
}

/** A sentence of an answer, bound to the place that supports it. */
export interface Citation extends TextRange {
  /** Number of the source. */
  readonly n: number;
  /** Index in `support` of the sentence that cites. */
  readonly sentence: number;
  readonly documentId: string;
  /** The stored revision that `start` and `end` are offsets of. */
  readonly revision: string;
  readonly source: string;
  readonly lines: LineRange;
  /** Pages of the quotation, of a document in pages; 1-based, inclusive. */
  readonly pages?: LineRange;
  /** Exactly the stored text from `start` to `end`. */
  readonly quote: string;
}

/**
 * `supported`: the cited place says it. `unsupported`: the sources do not show that they say it; it may be right in other words, and is marked
 * as unchecked. `contradicted`: the sources say otherwise (a number, name, negation, opposite, order or cause); it is not in the answer.
 * `not-checked`: no claim to check.
 */
export type SupportVerdict = 'supported' | 'unsupported' | 'contradicted' | 'not-checked';

/** One sentence that was written, in the answer or removed from it, and whether its sources say so. A block of code is one. */
export interface SentenceSupport {
  /** The sentence without its citation marks, on one line. */
  readonly sentence: string;
  readonly verdict: SupportVerdict;
  /**
   * It is not in the answer: its source contradicts it, it repeats what a passage orders language models to say, or it is `unsupported` and
   * `rag.answering.unsupported` is `remove`.
   */
  readonly isRemoved: boolean;
  /** Estimated probability that the context says it, in [0, 1]. */
  readonly score: number;
  /** Sources that it cites and that exist. */
  readonly cites: readonly number[];
  /** What speaks against it: `number 42 is not in the source`. */
  readonly problems: readonly string[];
}

/**
 * `answer`: the passages say it. `perhaps`: there are near passages, and nothing is claimed. `not-found`: nothing that the asker
 * may see tells of it.
 */
export type AnswerOutcome = 'answer' | 'perhaps' | 'not-found';

/** Why there is no answer. */
export interface Abstention {
  /** `unknown-names`: the question names something that no passage names. */
  readonly reason: 'nothing-found' | 'unknown-names' | 'thin-evidence' | 'unsupported-answer';
  /** In words. */
  readonly detail: string;
  /** Names of the question that no passage holds. */
  readonly missing?: readonly string[];
}

/** A place beside the answer: where else to look, or, without an answer, the nearest that there is. */
export interface FurtherPlace extends TextRange {
  /** Number of the source. */
  readonly n: number;
  readonly documentId: string;
  /** The stored revision that `start` and `end` are offsets of. */
  readonly revision: string;
  readonly source: string;
  readonly lines: LineRange;
  /** Pages of the quotation, of a document in pages; 1-based, inclusive. */
  readonly pages?: LineRange;
  /** Exactly the stored text from `start` to `end`. */
  readonly quote: string;
}

/** Which language model wrote, and what it cost. */
export interface AnswerModelReport {
  /** `provider:model`. */
  readonly id: string;
  readonly finishReason: ChatFinishReason;
  readonly usage?: ChatUsage;
  /** Name and version of the prompt, `answer@1`, or `custom`. */
  readonly prompt: string;
}

/** Why the extractive answer stands where a model's was asked for. */
export interface AnswerFallback {
  /** A `RAGError` reason, or `UNSUPPORTED_ANSWER`: the model answered, and nothing of it was left after the check. */
  readonly reason: string;
  readonly detail: string;
}

/** An answer with the places that say so, or why there is none. */
export interface Answer extends ToldNotices, ToldDegradation {
  readonly question: string;
  /** Which earlier state of the index was asked; absent for the present one. */
  readonly asOf?: AsOfReport;
  /** What was searched for: the question, or the follow-up made to stand on its own. */
  readonly standaloneQuestion: string;
  /** What was read in place of mistyped words; absent where the question was taken as it is. */
  readonly correction?: QueryCorrection;
  readonly outcome: AnswerOutcome;
  /** Markdown with citations `[n]`; says so where nothing was found. */
  readonly answer: string;
  /** The words of a quoted `answer` that decide, exactly as they stand in it. */
  readonly highlight?: string;
  /** Up to two other places of a quoted answer; without an answer the nearest places, up to three. */
  readonly further: readonly FurtherPlace[];
  /** `chat`: a language model wrote it. `extractive`: a passage of a source, quoted. `none`: abstained. */
  readonly answerer: 'chat' | 'extractive' | 'none';
  readonly mode: AnswerMode;
  /** How its passages were found, with the mode `agentic`: every step, and what ended the run. */
  readonly agent?: AgentReport;
  /** Whether `outcome` is not `answer`. */
  readonly abstained: boolean;
  readonly abstention?: Abstention;
  /** Sources that contradict each other, the surest first; absent where none do, and without `rag.conflicts.enabled`. */
  readonly conflicts?: readonly SourceConflict[];
  /**
   * Estimated probability that the best quotation of the passages found answers the question, in [0, 1]. It says the same where
   * nothing is claimed, so it is never how sure it is that there is no answer: with `unknown-names` it may be high.
   */
  readonly confidence: number;
  /**
   * There is an answer, quoted with a low `confidence`: of such answers one in three was right where that was measured, of the
   * others seven in ten (docs/answering.md). Absent where it is not so.
   */
  readonly isUnsure?: boolean;
  readonly sources: readonly AnswerSource[];
  readonly citations: readonly Citation[];
  /** Every sentence of the answer, then those of a language model's answer of which nothing is left. */
  readonly support: readonly SentenceSupport[];
  /** Part of the model's answer is missing: cut at its limit, withheld, or the stream broke. */
  readonly isPartial: boolean;
  readonly fallback?: AnswerFallback;
  readonly model?: AnswerModelReport;
  /** Sentences of history that were dropped to fit. */
  readonly context: {
    readonly tokens: { readonly used: number; readonly budget: number; readonly counter: string };
    readonly omitted: readonly OmittedChunk[];
  };
  /** Milliseconds of each stage that ran: `rewrite`, those of its searches added up, `pack`, `write`. */
  readonly stages: StageTimes;
  /** Milliseconds in all. */
  readonly tookMs: number;
}
