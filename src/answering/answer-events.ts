import type { Answer, AnswerSource } from './answer.js';

/** What happens while an answer comes about. The last event is always `answer`. */
export type AnswerEvent =
  /** The passages are chosen. */
  | {
      readonly type: 'start';
      readonly standaloneQuestion: string;
      readonly sources: readonly AnswerSource[];
    }
  /** Text as the model writes it: unchecked, links and images made inert only in the answer at the end. */
  | { readonly type: 'text'; readonly text: string }
  /** What was shown so far is taken back, because the model failed. */
  | { readonly type: 'reset'; readonly reason: string }
  | { readonly type: 'answer'; readonly answer: Answer };
