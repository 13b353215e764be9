import { type ChatEvent, type ChatMessage, type ChatModel, type ChatRequest, RAGError } from 'ragstone';

/** A language model with a small window that says one sentence and keeps what it was told. */
export class RecordingModel implements ChatModel {
  readonly id = 'test:recording';
  readonly contextWindow: number;
  readonly prompts: (readonly ChatMessage[])[] = [];
  readonly #says: string;

  constructor(contextWindow: number, says: string) {
    this.contextWindow = contextWindow;
    this.#says = says;
  }

  async *stream({ messages }: ChatRequest): AsyncGenerator<ChatEvent> {
    this.prompts.push(messages);
    yield { type: 'text', text: this.#says };
    yield { type: 'finish', reason: 'stop' };
  }

  generateObject(): Promise<never> {
    return Promise.reject(new RAGError('CHAT_OUTPUT_INVALID', 'This model writes no objects.'));
  }

  async close(): Promise<void> {}
}
