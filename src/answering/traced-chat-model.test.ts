import { expect, onTestFinished, test } from 'vitest';
import type { ChatEvent, ChatModel } from '../core/chat-model.js';
import { RAGError } from '../core/errors.js';
import { countOperations } from '../fleet/monitoring/metrics/count-operations.js';
import { streamChat } from './chat-answer.js';
import { tracedChatModel } from './traced-chat-model.js';

const text: ChatEvent = { type: 'text', text: 'The gate opens' };
const finish = (reason: 'stop' | 'length' | 'content-filter' | 'interrupted'): ChatEvent => ({
  type: 'finish',
  reason,
});

type Stream = (signal: AbortSignal | undefined) => AsyncGenerator<ChatEvent>;

/** Asks a model whose stream is stated, and counts what it says of itself. */
async function failuresOf(stream: Stream, { timeoutMs = 60_000, stopAtText = false } = {}) {
  const model: ChatModel = {
    id: 'test:model',
    contextWindow: 1_000,
    stream: ({ signal }) => stream(signal),
    generateObject: () => Promise.reject(new RAGError('CHAT_OUTPUT_INVALID', 'Not asked for.')),
    close: async () => undefined,
  };
  let failures = 0;
  let calls = 0;
  const stopCounting = countOperations({
    add: (name, by) => {
      if (name === 'rag_chat_failure_count_total') failures += by;
    },
    set: () => undefined,
    observe: (name) => {
      if (name === 'rag_chat_call_duration_seconds') calls += 1;
    },
  });
  onTestFinished(stopCounting);
  const controller = new AbortController();
  const call = {
    model: tracedChatModel(model),
    messages: [],
    maxOutputTokens: 100,
    prompt: 'test',
    timeoutMs,
  };
  const answer = streamChat({ ...call, signal: controller.signal });
  try {
    for (;;) {
      const next = await answer.next();
      if (next.done === true) break;
      if (stopAtText) setImmediate(() => controller.abort());
    }
  } catch {
    // What is counted is looked at.
  }
  await new Promise((resolve) => setImmediate(resolve));
  return { failures, calls };
}

const never = (signal?: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('Stopped.'))));

test.each<[string, Stream]>([
  [
    'ends in the middle',
    async function* () {
      yield text;
    },
  ],
  [
    'ends without a word',
    async function* () {
      // Nothing comes.
    },
  ],
  [
    'says that it was interrupted',
    async function* () {
      yield text;
      yield finish('interrupted');
    },
  ],
  [
    'throws after the first text',
    async function* () {
      yield text;
      throw new Error('reset');
    },
  ],
  [
    'throws before the first text',
    // biome-ignore lint/correctness/useYield: it throws before.
    async function* () {
      throw new RAGError('CHAT_UNAVAILABLE', 'No.');
    },
  ],
])('a stream that %s is counted as a failed call', async (_, stream) => {
  expect(await failuresOf(stream)).toEqual({ failures: 1, calls: 1 });
});

test.each<[string, Stream]>([
  [
    'and hears signals',
    async function* (signal) {
      yield text;
      await never(signal);
    },
  ],
  [
    'and ends by an event of its own',
    async function* (signal) {
      yield text;
      await never(signal).catch(() => undefined);
      yield finish('interrupted');
    },
  ],
  [
    'and is deaf to signals',
    async function* () {
      yield text;
      await never();
    },
  ],
])('a stream that is late %s is counted as a failed call', async (_, stream) => {
  expect(await failuresOf(stream, { timeoutMs: 20 })).toEqual({ failures: 1, calls: 1 });
});

test.each(['stop', 'length', 'content-filter'] as const)(
  'a stream that ends with %s has not failed',
  async (reason) => {
    const stream: Stream = async function* () {
      yield text;
      yield finish(reason);
    };
    expect(await failuresOf(stream)).toEqual({ failures: 0, calls: 1 });
  },
);

test.each<[string, Stream]>([
  [
    'throws then',
    async function* (signal) {
      yield text;
      await never(signal);
    },
  ],
  [
    'says that it was interrupted then',
    async function* (signal) {
      yield text;
      await never(signal).catch(() => undefined);
      yield finish('interrupted');
    },
  ],
])('a stream that its reader stops and that %s has not failed', async (_, stream) => {
  expect(await failuresOf(stream, { stopAtText: true })).toEqual({ failures: 0, calls: 1 });
});
