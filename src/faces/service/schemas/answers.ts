import * as z from 'zod';
import {
  asOf,
  asOfSchema,
  correctionSchema,
  degradationSchemas,
  facts,
  filterFields,
  linesSchema,
  listOf,
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
  .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string().max(100_000) }))
  .max(MOST_TURNS);

export const answerRequest = z.strictObject({
  question: questionText(),
  history: turns.optional().describe('Earlier turns, oldest first.'),
  topK: topKSchema().optional().describe('Passages that are looked at.'),
  mode: z.enum(['naive', 'enhanced', 'agentic', 'graph']).optional(),
  limits: z
    .strictObject({
      maxSteps: z.int().min(1).max(32).optional(),
      maxTokens: z.int().min(0).max(200_000).optional(),
      maxCost: z.number().min(0).max(1).optional().describe('US dollars.'),
      deadlineMs: z.int().min(1).max(120_000).optional(),
    })
    .optional()
    .describe('What the answer may take; `maxSteps` only of the mode `agentic`.'),
  answerer: z.enum(['auto', 'chat', 'extractive']).optional(),
  abstainBelow: z.number().min(0).max(1).optional(),
  collapse: searchFields.collapse,
  exactWords: searchFields.exactWords,
  asOf: asOf(),
  tenantId: tenantText(),
  ...filterFields,
});

const place = {
  n: z.int(),
  documentId: z.string(),
  source: z.string(),
  lines: linesSchema,
  pages: pagesSchema.optional(),
  quote: z.string(),
};

const answerSource = z.object({
  n: z.int().describe('What `[n]` in the answer refers to.'),
  bug_id: z.string(),
  source_type: z.string(),
  chunk_text: z.string(),
  similarity: z.number(),
  documentId: z.string(),
  source: z.string(),
  title: z.string().optional(),
  url: z.string().optional(),
  date: z.string().optional(),
  headingPath: listOf(z.string()),
  lines: linesSchema,
  pages: pagesSchema.optional(),
  flags: listOf(z.string()).describe('Signs that the passage gives orders to a language model.'),
  metadata: facts,
});

const limitsOfRun = z.object({
  maxSteps: z.int(),
  maxTokens: z.int(),
  maxCost: z.number(),
  deadlineMs: z.int(),
});

/** Passages that contradict each other. */
const sourceConflict = z.object({
  differences: listOf(z.object({ kind: z.string(), first: z.string(), second: z.string() })),
  statements: listOf(
    z.object({
      n: z.int(),
      documentId: z.string(),
      source: z.string(),
      title: z.string().optional(),
      date: z.string().optional(),
      quote: z.string(),
    }),
  ).describe('Two, the newer one first.'),
});

/** How the passages of an answer were found in steps. */
const agentReport = z.object({
  by: z.enum(['rules', 'model']),
  steps: listOf(
    z.object({
      step: z.int(),
      tool: z.enum(['search', 'document', 'related', 'values', 'external']),
      why: z.string(),
      query: z.string(),
      found: z.int(),
      new: z.int(),
      tokens: z.int(),
      ms: z.number(),
      isRepeated: z.literal(true).optional(),
      told: z.string().optional(),
      problem: z.string().optional(),
    }),
  ),
  stopped: z.enum(['answered', 'no-new-evidence', 'steps', 'tokens', 'cost', 'deadline']),
  limits: limitsOfRun,
  used: z.object({ steps: z.int(), tokens: z.int(), cost: z.number().optional(), ms: z.number() }),
});

/** An answer, with the places that say so. */
export const answerResponse = z
  .object({
    requestId: requestIdSchema,
    question: z.string(),
    asOf: asOfSchema.optional(),
    standaloneQuestion: z.string(),
    correction: correctionSchema.optional(),
    outcome: z.enum(['answer', 'perhaps', 'not-found']),
    answer: z.string().describe('Markdown with citations `[n]`.'),
    highlight: z.string().optional(),
    further: listOf(z.object(place)),
    answerer: z.enum(['chat', 'extractive', 'none']),
    mode: z.enum(['naive', 'enhanced', 'agentic', 'graph']),
    agent: agentReport.optional().describe('With the mode `agentic`: every step, and what ended the run.'),
    abstained: z.boolean(),
    abstention: z
      .object({ reason: z.string(), detail: z.string(), missing: listOf(z.string()).optional() })
      .optional(),
    confidence: z.number(),
    isUnsure: z
      .boolean()
      .optional()
      .describe('A quoted answer with a low confidence: about as often wrong as right.'),
    sources: listOf(answerSource),
    conflicts: listOf(sourceConflict).optional().describe('Sources that contradict each other.'),
    citations: listOf(z.object({ ...place, sentence: z.int() })),
    support: listOf(
      z.object({
        sentence: z.string(),
        verdict: z.enum(['supported', 'unsupported', 'contradicted', 'not-checked']),
        isRemoved: z.boolean().describe('It is not in the answer.'),
        score: z.number(),
        cites: listOf(z.int()),
        problems: listOf(z.string()),
      }),
    ).describe(
      'Every sentence that was written, in the answer or removed from it; of an answer of which nothing was left too.',
    ),
    isPartial: z.boolean(),
    ...degradationSchemas,
    fallback: z.object({ reason: z.string(), detail: z.string() }).optional(),
    ...noticesSchemas,
    stages: stagesSchema,
    tookMs: z.number(),
  })
  .meta({ id: 'Answer' });

/** What a stream of an answer tells, by the name of its event. */
export const answerEvents = {
  start: z.object({ standaloneQuestion: z.string(), sources: listOf(answerSource) }),
  text: z.object({ text: z.string() }),
  reset: z.object({ reason: z.string() }),
  answer: answerResponse,
};

export const chatRequest = z.strictObject({
  message: questionText(),
  conversation_history: turns.optional(),
});

export const chatResponse = z
  .object({
    answer: z.string(),
    sources: listOf(
      z.object({
        bug_id: z.string(),
        source_type: z.string(),
        chunk_text: z.string(),
        similarity: z.number(),
      }),
    ),
    notices: listOf(z.string())
      .optional()
      .describe(
        'What became of sentences that a language model wrote; absent where each stands as it was written.',
      ),
  })
  .meta({ id: 'ChatResponse' });

export const contextRequest = z.strictObject({
  query: questionText(),
  topK: topKSchema().optional(),
  budget: z.int().min(64).max(1_000_000).optional().describe('Tokens that the context may take.'),
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The language model that reads it, such as `openai:gpt-4o-mini`.'),
  asOf: asOf(),
  tenantId: tenantText(),
  ...filterFields,
});

export const contextResponse = z
  .object({
    text: z.string(),
    asOf: asOfSchema.optional(),
    entries: listOf(
      z.object({
        n: z.int(),
        kind: z.enum(['passage', 'summary']),
        documentId: z.string(),
        source: z.string(),
        sourceType: z.string(),
        title: z.string().optional(),
        url: z.string().optional(),
        date: z.string().optional(),
        headingPath: listOf(z.string()),
        lines: linesSchema,
        pages: pagesSchema.optional(),
        score: z.number(),
        tokens: z.int(),
        flags: listOf(z.string()),
        isCompressed: z.boolean(),
        isExpanded: z.boolean(),
      }),
    ),
    omitted: listOf(z.object({ source: z.string(), reason: z.string(), detail: z.string() })),
    tokens: z.object({ used: z.int(), budget: z.int(), counter: z.string(), margin: z.number() }),
    conflicts: listOf(sourceConflict).optional().describe('Passages that contradict each other.'),
    isFallback: z.boolean(),
    ...degradationSchemas,
    ...noticesSchemas,
  })
  .meta({ id: 'Context' });
