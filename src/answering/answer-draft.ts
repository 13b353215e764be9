import type { ContextEntry } from '../context/context-pack.js';
import type { TextRange } from '../core/document.js';

/** The place in a stored revision that a sentence rests on. */
export interface Evidence extends TextRange {
  readonly entry: ContextEntry;
  /** Exact. */
  readonly quote: string;
}

export interface DraftSentence {
  /** Without citation marks. */
  readonly text: string;
  /** Numbers of the entries it is from. */
  readonly cites: readonly number[];
  readonly evidence: Evidence;
}

/** An answer made of sentences of its sources. */
export interface AnswerDraft {
  /** With citation marks. */
  readonly text: string;
  readonly sentences: readonly DraftSentence[];
}
