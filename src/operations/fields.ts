import { DEFAULT_LIMITS } from '../answering/agentic/agent.js';
import { formatCount } from '../core/format-count.js';
import { FINDING_KINDS } from '../relations/conflicts/conflict-types.js';
import { REFERENCE_KINDS } from '../relations/graph/graph.js';
import { DEFAULT_HOPS } from '../retrieval/retriever.js';

/** What can have been shown. */
export const FEEDBACK_KINDS = ['search', 'answer', 'context'] as const;
/** What can be said of an answer as a whole. */
export const ANSWER_VERDICTS = ['good', 'bad', 'regenerated'] as const;

/** A whole number, its bounds included. */
export interface Count {
  /** @default 1 */
  readonly least?: number;
  readonly most?: number;
  /** What holds where the number is left out. */
  readonly preset?: number;
}

/**
 * Bounds, choices and defaults of requests, by operation and field. Schemas, handlers, options of commands and inputs of tools are made of them.
 * Plain data: every command line loads it, and no package for it.
 */
export const FIELDS = {
  search: {
    mode: ['hybrid', 'dense', 'lexical', 'graph'],
    hops: { most: 3, preset: DEFAULT_HOPS },
    collapse: ['document', 'items', 'none'],
  },
  ask: {
    mode: ['naive', 'enhanced', 'agentic', 'graph'],
    maxSteps: { preset: DEFAULT_LIMITS.maxSteps },
    deadlineMs: { preset: DEFAULT_LIMITS.deadlineMs },
    answerer: ['auto', 'chat', 'extractive'],
  },
  related: { hops: { most: 3, preset: 2 }, limit: { most: 100, preset: 20 }, kinds: REFERENCE_KINDS },
  conflicts: { limit: { most: 10_000, preset: 100 }, kinds: FINDING_KINDS },
  get: { passages: { most: 1_000, preset: 200 } },
  list: { limit: { most: 1_000, preset: 100 } },
  feedback: {
    kind: FEEDBACK_KINDS,
    answer: ANSWER_VERDICTS,
  },
  listFeedback: { limit: { most: 1_000, preset: 100 } },
  feedbackJudgments: { minClicks: { most: 1_000, preset: 3 } },
  reembed: {
    switch: ['if-not-worse', 'if-better', 'always', 'never'],
  },
  extract: { concurrency: { most: 64 } },
  summaries: { limit: { most: 100, preset: 20 } },
} as const;

/** `1 to 10,000`, `1 up` */
export const rangeOf = ({ least = 1, most }: Count): string =>
  most === undefined ? `${least} up` : `${least} to ${formatCount(most)}`;
