import * as z from 'zod';
import { askSchema } from '../../../operations/answers.js';
import {
  boolean,
  int,
  listOf,
  number,
  optionalNumber,
  optionalString,
  range,
  rowsOf,
  string,
  strings,
} from '../../../operations/requests/outcome-fields.js';
import {
  asOf,
  asOfSchema,
  citedPassage,
  correctionSchema,
  degradationSchemas,
  facts,
  filterFields,
  noticesSchemas,
  pagesSchema,
  questionText,
  requestIdSchema,
  searchFields,
  stagesSchema,
  tenantText,
  topKSchema,
} from './common.js';

const MOST_TURNS = 100;

export const turns = z
  .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: string.max(100_000) }))
  .max(MOST_TURNS);

const { mode, answerer } = askSchema.shape;

export const answerRequest = z.strictObject({
  question: questionText,
  history: turns.optional().describe('Earlier turns, oldest first.'),
  topK: topKSchema.optional().describe('Passages that are looked at.'),
  mode,
  limits: z
    .strictObject({
      maxSteps: int.min(1).max(32).optional(),
      maxTokens: int.min(0).max(200_000).optional(),
      maxCost: number.min(0).max(1).optional().describe('US dollars.'),
      deadlineMs: int.min(1).max(120_000).optional(),
    })
    .optional()
    .describe('What the answer may take; `maxSteps` only of the mode `agentic`.'),
  answerer,
  abstainBelow: number.min(0).max(1).optional(),
  collapse: searchFields.collapse,
  exactWords: searchFields.exactWords,
  asOf,
  tenantId: tenantText,
  ...filterFields,
});

const place = {
  n: int,
  documentId: string,
  source: string,
  lines: range,
  pages: pagesSchema.optional(),
  quote: string,
};

/** A source as a chat over bug reports has it. */
const ofBugs = { bug_id: string, source_type: string, chunk_text: string, similarity: number };

const answerSource = z.object({
  n: int.describe('What `[n]` in the answer refers to.'),
  ...ofBugs,
  ...citedPassage,
  flags: strings.describe('Signs that the passage gives orders to a language model.'),
  flagged: strings.optional().describe('The sentences with these signs, shortened.'),
  metadata: facts,
});

const limitsOfRun = z.object({
  maxSteps: int,
  maxTokens: int,
  maxCost: number,
  deadlineMs: int,
});

/** Passages that contradict each other. */
const sourceConflict = z.object({
  differences: rowsOf({ kind: string, first: string, second: string }),
  statements: rowsOf({
    n: int,
    documentId: string,
    source: string,
    title: optionalString,
    date: optionalString,
    quote: string,
  }).describe('Two, the newer one first.'),
});

/** How the passages of an answer were found in steps. */
const agentReport = z.object({
  by: z.enum(['rules', 'model']),
  steps: rowsOf({
    step: int,
    tool: z.enum(['search', 'document', 'related', 'values', 'external']),
    why: string,
    query: string,
    found: int,
    new: int,
    tokens: int,
    ms: number,
    isRepeated: z.literal(true).optional(),
    told: optionalString,
    problem: optionalString,
  }),
  stopped: z.enum(['answered', 'no-new-evidence', 'steps', 'tokens', 'cost', 'deadline']),
  limits: limitsOfRun,
  used: z.object({ steps: int, tokens: int, cost: optionalNumber, ms: number }),
});

/** An answer, with the places that say so. */
export const answerResponse = z
  .object({
    requestId: requestIdSchema,
    question: string,
    asOf: asOfSchema,
    standaloneQuestion: string,
    correction: correctionSchema,
    outcome: z.enum(['answer', 'perhaps', 'not-found']),
    answer: string.describe('Markdown with citations `[n]`.'),
    highlight: optionalString,
    further: rowsOf(place),
    answerer: z.enum(['chat', 'extractive', 'none']),
    mode: mode.unwrap(),
    agent: agentReport.optional().describe('With the mode `agentic`: every step, and what ended the run.'),
    abstained: boolean,
    abstention: z.object({ reason: string, detail: string, missing: strings.optional() }).optional(),
    confidence: number,
    isUnsure: boolean
      .optional()
      .describe('A quoted answer with a low confidence: about as often wrong as right.'),
    sources: listOf(answerSource),
    conflicts: listOf(sourceConflict).optional().describe('Sources that contradict each other.'),
    citations: rowsOf({ ...place, sentence: int }),
    support: rowsOf({
      sentence: string,
      verdict: z.enum(['supported', 'unsupported', 'contradicted', 'not-checked']),
      isRemoved: boolean.describe('It is not in the answer.'),
      score: number,
      cites: listOf(int),
      problems: strings,
    }).describe(
      'Every sentence that was written, in the answer or removed from it; of an answer of which nothing was left too.',
    ),
    isPartial: boolean,
    ...degradationSchemas,
    fallback: z.object({ reason: string, detail: string }).optional(),
    ...noticesSchemas,
    stages: stagesSchema,
    tookMs: number,
  })
  .meta({ id: 'Answer' });

/** What a stream of an answer tells, by the name of its event. */
export const answerEvents = {
  start: z.object({ standaloneQuestion: string, sources: listOf(answerSource) }),
  text: z.object({ text: string }),
  reset: z.object({ reason: string }),
  answer: answerResponse,
};

export const chatRequest = z.strictObject({
  message: questionText,
  conversation_history: turns.optional(),
});

export const chatResponse = z
  .object({
    answer: string,
    sources: rowsOf(ofBugs),
    notices: strings
      .optional()
      .describe(
        'What became of sentences that a language model wrote; absent where each stands as it was written.',
      ),
  })
  .meta({ id: 'ChatResponse' });

export const contextRequest = z.strictObject({
  query: questionText,
  topK: topKSchema.optional(),
  budget: int.min(64).max(1_000_000).optional().describe('Tokens that the context may take.'),
  model: string
    .min(1)
    .max(200)
    .optional()
    .describe('The language model that reads it, such as `openai:gpt-4o-mini`.'),
  asOf,
  tenantId: tenantText,
  ...filterFields,
});

export const contextResponse = z
  .object({
    text: string,
    asOf: asOfSchema,
    entries: rowsOf({
      n: int,
      kind: z.enum(['passage', 'summary']),
      ...citedPassage,
      sourceType: string,
      score: number,
      tokens: int,
      flags: strings,
      isCompressed: boolean,
      isExpanded: boolean,
    }),
    omitted: rowsOf({ source: string, reason: string, detail: string }),
    tokens: z.object({ used: int, budget: int, counter: string, margin: number }),
    conflicts: listOf(sourceConflict).optional().describe('Passages that contradict each other.'),
    isFallback: boolean,
    ...degradationSchemas,
    ...noticesSchemas,
  })
  .meta({ id: 'Context' });
