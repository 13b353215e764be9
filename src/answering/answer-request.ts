import type { ContextOptions } from '../context/context-pack.js';
import type { TokenCounter } from '../context/token-counter.js';
import type { WindowShares } from '../context/window-budget.js';
import type { SynonymRule } from '../core/analysis/synonyms.js';
import type { ChatModel } from '../core/chat-model.js';
import type { ScoredChunk } from '../core/chunk.js';
import type { DegradationLevel } from '../core/degradation.js';
import type { NoticeKind } from '../core/notice.js';
import type { GatherEvidence, LimitCounter } from './agentic/agent.js';
import type { AnswerMode, ConversationTurn } from './answer.js';
import type { SearchSignals } from './confidence-features.js';
import type { IsKnownIdentifier } from './exact-names.js';
import type { IsKnownWord } from './missing-names.js';
import type { Reading, Similarity } from './quotation-features.js';
import type { TextMeaning } from './support-features.js';
import type { UnsupportedPolicy } from './verify-answer.js';

/** What a search gave, best first. */
export interface Retrieved {
  readonly ranked: readonly ScoredChunk[];
  /** What the lanes said of the two best, where they ran. */
  readonly signals?: SearchSignals;
  readonly degradationLevel: DegradationLevel;
  readonly notices: readonly string[];
  /** The kind of each. @default 'of-a-part' */
  readonly noticeKinds?: readonly NoticeKind[] | undefined;
}

/** How many passages a search of your own is asked for. */
export interface RetrieveOptions {
  readonly topK: number;
  readonly mode: AnswerMode;
  /** Leave nothing out for its low score. */
  readonly isWidened: boolean;
  readonly signal?: AbortSignal;
}

/** Finds passages in what the asker may see. */
export type Retrieve = (query: string, options: RetrieveOptions) => Promise<Retrieved>;

/** A question to answer over a search of your own. */
export interface AnswerRequest {
  readonly question: string;
  /** Earlier turns, oldest first. */
  readonly history?: readonly ConversationTurn[];
  /** @default 'enhanced' */
  readonly mode?: AnswerMode;
  /** `chat` where there is a model, else `extractive`. */
  readonly answerer?: 'chat' | 'extractive';
  readonly signal?: AbortSignal;
}

/** How it is answered. */
export interface AnswerSettings {
  /** Passages retrieved. */
  readonly topK: number;
  /** Confidence below which the answer is withheld, in [0, 1]; 0 answers always. By default each answerer has its own. */
  readonly abstainBelow?: number | undefined;
  readonly unsupported: UnsupportedPolicy;
  /** A language model looks at the answer too, for at most so many milliseconds; absent: it is not asked. */
  readonly modelCheckTimeoutMs?: number;
  /** Most tokens of a model's answer. */
  readonly maxOutputTokens: number;
  /** Longest time for a model's answer, in milliseconds. */
  readonly chatTimeoutMs: number;
  /** Instructions in place of those of the answer prompt. */
  readonly instructions?: string;
}

/** What answering over a search of your own needs. */
export interface AnswerDependencies {
  readonly retrieve: Retrieve;
  /** Searches in steps, for the mode `agentic`; without it that mode is refused. */
  readonly gather?: GatherEvidence;
  /** What an answer of another mode than `agentic` may take, which counts for itself. Absent: nothing is limited. */
  readonly limits?: LimitCounter;
  /** How near texts are to a question in meaning; without it words alone choose what is quoted. */
  readonly similarity?: Similarity;
  /** Cosines by the reader; absent where none is there. */
  readonly reading?: Reading;
  /** Vectors for the check of what a language model writes; without it words alone tell. */
  readonly meaning?: () => Promise<TextMeaning>;
  /** What is searched for in place of words of a question: a passage that has it says what was asked for. */
  readonly synonyms?: readonly SynonymRule[];
  /** Tells names that the index lacks; without it all count as known. */
  readonly isKnownWord?: IsKnownWord;
  /** The same for exact identifiers (`MESOS-5754`, `v1.2.3`); without it they are looked up as words. */
  readonly isKnownIdentifier?: IsKnownIdentifier;
  /** Opens the language model; undefined where none is set up. */
  readonly chatModel?: () => Promise<ChatModel | undefined>;
  /** The tokenizer to count with, for the model that answers or for none. */
  readonly counter: (model: string | undefined) => Promise<TokenCounter>;
  /** Budget and shape of the context; without a budget, its share of the model's window (a quarter, where `shares` is not stated). */
  readonly context: Omit<ContextOptions, 'counter' | 'budget' | 'signal'> & {
    readonly budget?: number;
    readonly shares?: WindowShares;
  };
  readonly settings: AnswerSettings;
}
