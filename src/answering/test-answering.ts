import { characterCounter, type TestChunk, testChunk } from '../context/test-chunks.js';
import type { ChatEvent, ChatMessage, ChatModel, ChatRequest } from '../core/chat-model.js';
import { DegradationLevel } from '../core/degradation.js';
import { RAGError } from '../core/errors.js';
import { loadTextMeaning } from '../embedding/static/text-meaning.js';
import type { AnswerDependencies, Retrieve } from './answer-request.js';

/** A model that says what it is told to, and remembers what it was asked. */
export class ScriptedChatModel implements ChatModel {
  readonly id = 'scripted:test';
  readonly contextWindow: number;
  readonly asked: (readonly ChatMessage[])[] = [];
  readonly #script: (request: ChatRequest) => AsyncIterable<ChatEvent>;
  readonly #object: unknown;

  constructor(
    script: string | ((request: ChatRequest) => AsyncIterable<ChatEvent>),
    { contextWindow = 32_000, object }: { contextWindow?: number; object?: unknown } = {},
  ) {
    this.#script = typeof script === 'string' ? () => saying(script) : script;
    this.#object = object;
    this.contextWindow = contextWindow;
  }

  stream(request: ChatRequest): AsyncIterable<ChatEvent> {
    this.asked.push(request.messages);
    return this.#script(request);
  }

  generateObject: ChatModel['generateObject'] = async (request, schema) => {
    this.asked.push(request.messages);
    const parsed = schema.safeParse(this.#object);
    if (!parsed.success) throw new RAGError('CHAT_OUTPUT_INVALID', 'The model gave no object.');
    return { value: parsed.data };
  };

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Text word by word, then a regular end. */
export async function* saying(text: string): AsyncGenerator<ChatEvent> {
  for (const piece of text.match(/\S+\s*/g) ?? []) yield { type: 'text', text: piece };
  yield { type: 'finish', reason: 'stop', usage: { inputTokens: 10, outputTokens: 5 } };
}

/** Finds the same chunks for every query, and remembers the queries. */
export function fixedRetrieve(chunks: readonly TestChunk[], queries: string[] = []): Retrieve {
  return async (query, { topK }) => {
    queries.push(query);
    return {
      ranked: chunks.map(testChunk).slice(0, topK),
      degradationLevel: DegradationLevel.FULL_RAG,
      notices: [],
    };
  };
}

export function testDependencies(
  retrieve: Retrieve,
  model?: ChatModel,
  settings: Partial<AnswerDependencies['settings']> = {},
): AnswerDependencies {
  return {
    retrieve,
    ...(model === undefined ? {} : { chatModel: async () => model }),
    meaning: loadTextMeaning,
    counter: async () => characterCounter,
    context: {},
    settings: {
      topK: 5,
      abstainBelow: 0,
      unsupported: 'mark',
      maxOutputTokens: 1024,
      chatTimeoutMs: 5_000,
      ...settings,
    },
  };
}
