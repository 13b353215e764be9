import * as z from 'zod';
import { WINDOW_SHARES } from '../../context/window-budget.js';
import { share, wholeNumber } from '../../core/setting-values.js';

const sharesSchema = z
  .strictObject({
    system: share().describe('Instructions.'),
    context: share().describe('Passages.'),
    history: share().describe('Earlier turns of the conversation.'),
    query: share().describe('The question.'),
    response: share().describe('What the model writes.'),
  })
  .refine((shares) => Math.abs(Object.values(shares).reduce((a, b) => a + b) - 1) < 1e-6, 'must add up to 1')
  .prefault(WINDOW_SHARES)
  .describe(
    "Shares of the language model's window, from 0 to 1 and together 1. Where `budget` is not stated, `context` of the window is the budget.",
  );

/** `rag.context`: from passages to what a model reads. */
export const contextSchema = z
  .strictObject({
    budget: wholeNumber(64)
      .optional()
      .describe(
        "Tokens that the context may take. Default: `shares.context` of the language model's window, or of `rag.chat.contextWindow`; 2000 where neither is stated.",
      ),
    shares: sharesSchema,
    order: z
      .enum(['relevance', 'document', 'edges'])
      .default('relevance')
      .describe(
        'Order of passages: `relevance` best first, `document` as one reads, `edges` best first and last.',
      ),
    neighbours: wholeNumber(0)
      .max(10)
      .default(0)
      .describe('Chunks before and after each passage that are added while there is room.'),
    sectionHits: wholeNumber(0)
      .max(20)
      .default(2)
      .describe('The rest of a section is added when so many of its chunks were found; 0 switches it off.'),
    hierarchical: z
      .boolean()
      .default(false)
      .describe('Put the first sentences of each document before its passages.'),
    compress: z
      .boolean()
      .default(true)
      .describe('Drop the sentences that tell least where a passage does not fit whole.'),
    flagged: z
      .enum(['keep', 'omit'])
      .default('keep')
      .describe(
        'Passages that seem to give orders to a language model: `keep` marks them, `omit` leaves them out.',
      ),
  })
  .prefault({})
  .describe('From passages to the context of an answer.');

/** `rag.answering`: from context to an answer. */
export const answeringSchema = z
  .strictObject({
    mode: z
      .enum(['naive', 'enhanced', 'agentic', 'graph'])
      .default('enhanced')
      .describe(
        '`naive` searches once with the question as it is. `enhanced` rewrites follow-ups, tries other wordings where little is found and adds the rest of sections. `agentic` searches in steps. `graph` is `enhanced` with searches that follow links and mentions.',
      ),
    answerer: z
      .enum(['auto', 'chat', 'extractive'])
      .default('auto')
      .describe(
        'Who answers: `chat` the language model of `rag.chat`, `extractive` a passage of a source, quoted, `auto` the model where one is set up.',
      ),
    topK: wholeNumber(1)
      .max(100)
      .optional()
      .describe(
        'Passages that are searched for an answer. Default: as many as a search shows (`retrieval.topK`).',
      ),
    unsupported: z
      .enum(['mark', 'remove'])
      .default('mark')
      .describe(
        'Sentences of a model of which its sources do not show that they say them are marked as unchecked or removed. What they contradict is removed always.',
      ),
    supportCheck: z
      .enum(['lexical', 'model'])
      .default('lexical')
      .describe(
        "How a model's sentences are checked: `lexical` by words, numbers, names, opposites, negation and order; `model` also asks the language model of `rag.chat` about what passes (one more request).",
      ),
    supportCheckTimeoutMs: wholeNumber(100)
      .default(10_000)
      .describe('Longest time for that request, in milliseconds; then the built-in check stands alone.'),
    abstainBelow: share()
      .optional()
      .describe(
        'Confidence below which the answer is withheld and the nearest passages are shown; 0 answers always. Default: calibrated (docs/answering.md).',
      ),
    instructions: z
      .string()
      .min(1)
      .optional()
      .describe(
        "File whose text replaces the instructions of the answer prompt. The passages' delimiters stay.",
      ),
  })
  .prefault({})
  .describe('Answers with citations (`ragstone ask`).');
