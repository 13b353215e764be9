import type { ChatModel, ChatRequest } from '../../core/chat-model.js';
import { RAGError } from '../../core/errors.js';

export interface TestChatModel extends ChatModel {
  readonly requests: readonly ChatRequest[];
}

/** A language model for tests: the same object for every request, checked against the schema as a provider does. */
export function createTestChatModel(answer: unknown): TestChatModel {
  const requests: ChatRequest[] = [];
  return {
    id: 'test:constant',
    contextWindow: 1_000,
    requests,
    async *stream() {
      yield { type: 'finish', reason: 'stop' };
    },
    generateObject: async (request, schema) => {
      requests.push(request);
      const parsed = schema.safeParse(answer);
      if (!parsed.success) throw new RAGError('CHAT_OUTPUT_INVALID', 'The answer does not fit the schema.');
      return { value: parsed.data };
    },
    close: async () => undefined,
  };
}
