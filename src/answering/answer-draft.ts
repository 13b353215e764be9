import type { QuotedRange } from './quotation.js';

/** A sentence, or a part that is quoted whole. */
export interface DraftSentence {
  /** Without citation marks. */
  readonly text: string;
  /** Numbers of the entries it is from. */
  readonly cites: readonly number[];
  /** What it was taken from. */
  readonly evidence: QuotedRange;
}

/** An answer made of sentences of its sources. */
export interface AnswerDraft {
  /** With citation marks. */
  readonly text: string;
  readonly sentences: readonly DraftSentence[];
}
