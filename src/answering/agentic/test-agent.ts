import type { ZodType } from 'zod';
import { characterCounter, type TestChunk, testChunk } from '../../context/test-chunks.js';
import type { ChatModel, ChatUsage } from '../../core/chat-model.js';
import { DegradationLevel } from '../../core/degradation.js';
import { RAGError } from '../../core/errors.js';
import type { AgentRequest, AgentToolResult, AgentTools, Gathered, StatedLimits } from './agent.js';
import { evidenceGatherer } from './gather-evidence.js';

export const resultOf = (chunks: readonly TestChunk[]): AgentToolResult => ({
  ranked: chunks.map(testChunk),
  degradationLevel: DegradationLevel.FULL_RAG,
  notices: [],
});

/** Tools over searches that are told what to find, and what they were asked. */
export function testTools(
  find: (query: string) => readonly TestChunk[] | Promise<readonly TestChunk[]>,
  others: Partial<AgentTools> = {},
): { readonly tools: AgentTools; readonly queries: string[] } {
  const queries: string[] = [];
  const tools: AgentTools = {
    search: async (query) => {
      queries.push(query);
      return resultOf(await find(query));
    },
    document: async () => [],
    values: async () => [],
    ...others,
  };
  return { tools, queries };
}

/** A run over tools, its first step a search like the others. */
export function gatherWith(
  question: string,
  { tools }: { readonly tools: AgentTools },
  { limits, ...request }: Partial<AgentRequest> & { readonly limits?: StatedLimits } = {},
): Promise<Gathered> {
  return evidenceGatherer(
    tools,
    limits,
  )({
    question,
    topK: 5,
    counter: characterCounter,
    first: ({ topK, signal }) => tools.search(question, { topK, signal }),
    ...request,
  });
}

/** What a model says to each choice: an object, or what is thrown. */
export type Say = (call: number, prompt: string) => unknown;

/** A model that chooses as it is told, counts what it is asked, and has a price. */
export class ChoosingModel implements ChatModel {
  readonly id = 'scripted:agent';
  readonly contextWindow = 32_000;
  readonly prompts: string[] = [];
  readonly #say: Say;
  readonly #price: number | undefined;
  readonly #usage: ((prompt: string) => ChatUsage) | undefined;

  /** @param pricePerToken in US dollars; without it no price is known */
  constructor(
    say: Say,
    { pricePerToken, usage }: { pricePerToken?: number; usage?: (prompt: string) => ChatUsage } = {},
  ) {
    this.#say = say;
    this.#price = pricePerToken;
    this.#usage = usage;
  }

  stream(): AsyncIterable<never> {
    throw new RAGError('CHAT_UNAVAILABLE', 'It only chooses.');
  }

  generateObject = async <T>(
    { messages }: { readonly messages: readonly { readonly content: string }[] },
    schema: ZodType<T>,
  ): Promise<{ value: T; usage?: ChatUsage }> => {
    const prompt = messages.map(({ content }) => content).join('\n');
    this.prompts.push(prompt);
    const said = await this.#say(this.prompts.length, prompt);
    const parsed = schema.safeParse(said);
    if (!parsed.success) throw new RAGError('CHAT_OUTPUT_INVALID', 'It gave no action.');
    return { value: parsed.data, ...(this.#usage === undefined ? {} : { usage: this.#usage(prompt) }) };
  };

  priceOf = ({ inputTokens, outputTokens }: Omit<ChatUsage, 'cost'>): number | undefined =>
    this.#price === undefined ? undefined : this.#price * (inputTokens + outputTokens);

  close(): Promise<void> {
    return Promise.resolve();
  }
}
