import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { CHAT_PROVIDERS, type ChatProvider } from '../../../tests/fakes/wire/chat-providers.js';
import { type ChatBehaviour, chatReply } from '../../../tests/fakes/wire/chat-wire.js';
import { azureWire } from '../../../tests/fakes/wire/openai-wire.js';
import { startWireServer, type WireServer } from '../../../tests/fakes/wire/wire-server.js';
import { waitFor } from '../../../tests/wait-for.js';
import type { ChatEvent, ChatModel, ChatRequest } from '../../core/chat-model.js';
import { type OpenChatModelOptions, openChatModel } from './open-chat-model.js';

const REQUEST: ChatRequest = {
  messages: [
    { role: 'system', content: 'Answer from the passages.' },
    { role: 'user', content: 'What is the SECRETWORD of the passage?' },
  ],
};

const open: (WireServer | ChatModel)[] = [];

afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});

/** A model against a server that behaves as listed, the last behaviour again and again. */
async function modelWith(
  { wire, provider, model, basePath, isKeyed }: ChatProvider,
  behaviours: readonly ChatBehaviour[],
  options: Partial<OpenChatModelOptions> = {},
) {
  const waits: number[] = [];
  const server = await startWireServer(wire, (request, index) =>
    chatReply(wire, request, behaviours[Math.min(index, behaviours.length - 1)] ?? { kind: 'silence' }),
  );
  const chatModel = await openChatModel({
    connection: {
      provider,
      baseUrl: `${server.url}${basePath}`,
      ...(isKeyed ? { apiKey: 'test-key' } : {}),
    },
    model,
    timeoutMs: 8000,
    delay: async (milliseconds) => {
      waits.push(milliseconds);
    },
    ...options,
  });
  open.push(chatModel, server);
  return { chatModel, server, waits };
}

async function collect(
  events: AsyncIterable<ChatEvent>,
): Promise<{ text: string; finish: Extract<ChatEvent, { type: 'finish' }> | undefined; finishes: number }> {
  let text = '';
  let finish: Extract<ChatEvent, { type: 'finish' }> | undefined;
  let finishes = 0;
  for await (const event of events) {
    if (event.type === 'text') text += event.text;
    else {
      finish = event;
      finishes++;
    }
  }
  return { text, finish, finishes };
}

const HALF = 'The first half of';

describe.each(CHAT_PROVIDERS)('%s', (_name, facts) => {
  // The first import of a provider's package takes longer than a deadline of these tests.
  beforeAll(() => modelWith(facts, [{ kind: 'silence' }]));

  it('streams an answer, with usage and cost, in requests that the documentation allows', async () => {
    const { chatModel, server } = await modelWith(facts, [{ kind: 'answer', text: 'Forty-two, says [1].' }], {
      price: { input: 1, output: 5 },
    });
    const { text, finish, finishes } = await collect(chatModel.stream(REQUEST));
    expect(server.violations).toEqual([]);
    expect(text).toBe('Forty-two, says [1].');
    expect(finishes).toBe(1);
    expect(finish).toMatchObject({ reason: 'stop', usage: { inputTokens: 12, outputTokens: 5 } });
    expect(finish?.usage?.cost).toBeCloseTo((12 + 25) / 1e6);
    expect(server.requests).toHaveLength(1);
  });

  it('sends 1024 tokens as the limit of an answer and 0 as its temperature, unless told otherwise', async () => {
    const { chatModel, server } = await modelWith(facts, [{ kind: 'answer', text: 'x' }]);
    await collect(chatModel.stream(REQUEST));
    await collect(chatModel.stream({ ...REQUEST, maxOutputTokens: 77, temperature: 0.5 }));
    const bodies = server.requests.map(({ body }) => JSON.stringify(body));
    expect(bodies[0]).toMatch(/"(max_tokens|max_completion_tokens|maxOutputTokens)":1024\b/);
    expect(bodies[0]).toContain('"temperature":0');
    expect(bodies[1]).toMatch(/"(max_tokens|max_completion_tokens|maxOutputTokens)":77\b/);
    expect(bodies[1]).toContain('"temperature":0.5');
  });

  it('says that an answer was cut at its limit', async () => {
    const { chatModel } = await modelWith(facts, [{ kind: 'answer', text: HALF, reason: 'length' }]);
    expect(await collect(chatModel.stream(REQUEST))).toMatchObject({
      text: HALF,
      finish: { reason: 'length' },
    });
  });

  it('an answer without text is complete and empty', async () => {
    const { chatModel, server } = await modelWith(facts, [{ kind: 'answer', text: '' }]);
    expect(await collect(chatModel.stream(REQUEST))).toMatchObject({ text: '', finish: { reason: 'stop' } });
    expect(server.requests).toHaveLength(1);
  });

  it('waits as long as 429 says, then asks again', async () => {
    const { chatModel, server, waits } = await modelWith(facts, [
      { kind: 'status', status: 429, headers: { 'retry-after': '2' } },
      { kind: 'answer', text: 'Here.' },
    ]);
    expect(await collect(chatModel.stream(REQUEST))).toMatchObject({
      text: 'Here.',
      finish: { reason: 'stop' },
    });
    expect(waits).toEqual([2000]);
    expect(server.requests).toHaveLength(2);
  });

  it('gives up a 429 that asks for longer than the deadline allows', async () => {
    const { chatModel, server, waits } = await modelWith(facts, [
      { kind: 'status', status: 429, headers: { 'retry-after': '3600' } },
    ]);
    await expect(collect(chatModel.stream(REQUEST))).rejects.toMatchObject({
      reason: 'CHAT_UNAVAILABLE',
      details: { status: 429, retryAfterMs: 3_600_000 },
    });
    expect(waits).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it.each([500, 503, 529])('asks six times in all where %i stays, with doubling waits', async (status) => {
    const { chatModel, server, waits } = await modelWith(facts, [{ kind: 'status', status }]);
    await expect(collect(chatModel.stream(REQUEST))).rejects.toMatchObject({
      reason: 'CHAT_UNAVAILABLE',
      retryable: true,
      details: { status, tries: 6 },
    });
    expect(server.requests).toHaveLength(6);
    expect(waits.slice(0, 3)).toEqual([500, 1000, 2000]);
  });

  it.each([
    [400, /Check the model/],
    [401, /Check the key/],
    [404, /Check the name of the model/],
  ])('asks once where %i refuses, and says what to do', async (status, remedy) => {
    const { chatModel, server } = await modelWith(facts, [{ kind: 'status', status }]);
    const failure = await collect(chatModel.stream(REQUEST)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ reason: 'CHAT_REJECTED', message: expect.stringMatching(remedy) });
    expect(server.requests).toHaveLength(1);
  });

  it.each(['cut', 'unfinished', 'malformed', 'error-event'] as const)(
    'keeps and marks what came before the stream was broken: %s',
    async (kind) => {
      const { chatModel, server } = await modelWith(facts, [{ kind, text: HALF }]);
      const { text, finish, finishes } = await collect(chatModel.stream(REQUEST));
      expect(text).toBe(HALF);
      expect(finishes).toBe(1);
      expect(finish).toMatchObject({ reason: 'interrupted', detail: expect.stringMatching(/./) });
      expect(server.requests).toHaveLength(1);
    },
  );

  it('asks again where the connection is cut before any text', async () => {
    const { chatModel, server } = await modelWith(facts, [
      { kind: 'cut', text: '' },
      { kind: 'answer', text: 'Here.' },
    ]);
    expect(await collect(chatModel.stream(REQUEST))).toMatchObject({
      text: 'Here.',
      finish: { reason: 'stop' },
    });
    expect(server.requests).toHaveLength(2);
  });

  it('does not ask again for an answer that is not in the format', async () => {
    const { chatModel, server } = await modelWith(facts, [{ kind: 'malformed', text: '' }]);
    await expect(collect(chatModel.stream(REQUEST))).rejects.toMatchObject({ reason: 'CHAT_OUTPUT_INVALID' });
    expect(server.requests).toHaveLength(1);
  });

  it('takes the page of a proxy for no answer', async () => {
    const { chatModel, server } = await modelWith(facts, [{ kind: 'page' }]);
    const failure = await collect(chatModel.stream(REQUEST)).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      reason: 'CHAT_OUTPUT_INVALID',
      message: expect.stringContaining('a web page'),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('ends a silent call at its deadline, without asking again', async () => {
    const { chatModel, server } = await modelWith(facts, [{ kind: 'silence' }], { firstTokenTimeoutMs: 500 });
    const start = performance.now();
    await expect(collect(chatModel.stream(REQUEST))).rejects.toMatchObject({ reason: 'CHAT_TIMEOUT' });
    expect(performance.now() - start).toBeLessThan(4000);
    expect(server.requests).toHaveLength(1);
  });

  it('keeps what came before a stall', async () => {
    const { chatModel } = await modelWith(facts, [{ kind: 'stall', text: HALF }], {
      firstTokenTimeoutMs: 1000,
    });
    expect(await collect(chatModel.stream(REQUEST))).toMatchObject({
      text: HALF,
      finish: { reason: 'interrupted', detail: expect.stringContaining('1000 ms') },
    });
  });

  it('ends at the total deadline, whatever comes', async () => {
    const { chatModel } = await modelWith(facts, [{ kind: 'stall', text: HALF }], { timeoutMs: 1500 });
    expect(await collect(chatModel.stream(REQUEST))).toMatchObject({
      text: HALF,
      finish: { reason: 'interrupted', detail: expect.stringContaining('1500 ms') },
    });
  });

  it('cuts an answer of 200 kB at what was asked for', async () => {
    const { chatModel } = await modelWith(facts, [{ kind: 'answer', text: 'word '.repeat(40_000) }]);
    const { text, finish } = await collect(chatModel.stream({ ...REQUEST, maxOutputTokens: 100 }));
    expect(text).toHaveLength(1600);
    expect(finish).toMatchObject({ reason: 'length', detail: expect.stringContaining('cut') });
  });

  it('is cancelled by its caller', async () => {
    const { chatModel, server } = await modelWith(facts, [{ kind: 'silence' }]);
    const abort = new AbortController();
    const cancelled = expect(
      collect(chatModel.stream({ ...REQUEST, signal: abort.signal })),
    ).rejects.toMatchObject({ reason: 'ABORTED' });
    await waitFor(() => expect(server.requests).toHaveLength(1));
    abort.abort();
    await cancelled;
    expect(server.requests).toHaveLength(1);
  });

  it('gives an object that the schema accepts', async () => {
    const { chatModel, server } = await modelWith(facts, [{ kind: 'answer', text: '{"queries":["a","b"]}' }]);
    const schema = z.strictObject({ queries: z.array(z.string()) });
    const { value, usage } = await chatModel.generateObject(REQUEST, schema);
    expect(server.violations).toEqual([]);
    expect(value).toEqual({ queries: ['a', 'b'] });
    expect(usage).toMatchObject({ inputTokens: 12, outputTokens: 5 });
    expect(JSON.stringify(server.requests[0]?.body)).toContain('queries');
  });

  it.each(['{"queries":"a"}', 'no object at all', ''])('refuses another object: %j', async (text) => {
    const { chatModel, server } = await modelWith(facts, [{ kind: 'answer', text }]);
    const schema = z.strictObject({ queries: z.array(z.string()) });
    await expect(chatModel.generateObject(REQUEST, schema)).rejects.toMatchObject({
      reason: 'CHAT_OUTPUT_INVALID',
    });
    expect(server.requests).toHaveLength(1);
  });

  it('tells neither key nor question in its errors', async () => {
    for (const status of [400, 401, 500]) {
      const { chatModel } = await modelWith(facts, [{ kind: 'status', status }], { maxRetries: 0 });
      const failure = await collect(chatModel.stream(REQUEST)).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Error);
      const all = JSON.stringify(failure, Object.getOwnPropertyNames(failure));
      expect(all).not.toContain('test-key');
      expect(all).not.toContain('SECRETWORD');
    }
  });
});

describe('Azure OpenAI with a dated version', () => {
  it('is asked at the address of its deployment', async () => {
    const server = await startWireServer(azureWire, (request) =>
      chatReply(azureWire, request, { kind: 'answer', text: 'Here.' }),
    );
    const connection = {
      provider: 'azure',
      apiKey: 'test-key',
      baseUrl: `${server.url}/openai`,
      apiVersion: '2024-10-21',
    } as const;
    const chatModel = await openChatModel({ connection, model: 'our-deployment' });
    open.push(chatModel, server);
    expect(await collect(chatModel.stream(REQUEST))).toMatchObject({ text: 'Here.' });
    expect(server.requests[0]?.path).toBe(
      '/openai/deployments/our-deployment/chat/completions?api-version=2024-10-21',
    );
    expect(server.violations).toEqual([]);
  });
});

describe('Anthropic models that refuse a temperature', () => {
  it('are told none, and the answer says so', async () => {
    const [, facts] = CHAT_PROVIDERS[0] ?? [];
    if (facts === undefined) throw new Error('no case');
    const { chatModel, server } = await modelWith({ ...facts, model: 'claude-sonnet-5' }, [
      { kind: 'answer', text: 'Here.' },
    ]);
    const { finish } = await collect(chatModel.stream(REQUEST));
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain('temperature');
    expect(finish?.notices?.join(' ')).toContain('temperature');
  });
});

describe('limits', () => {
  const [, facts] = CHAT_PROVIDERS[0] ?? [];

  it('refuses the call that could pass the limit on spending, and makes none', async () => {
    if (facts === undefined) throw new Error('no case');
    const { chatModel, server } = await modelWith(facts, [{ kind: 'answer', text: 'x' }], {
      limits: { maxCost: 0.001 },
    });
    await expect(collect(chatModel.stream(REQUEST))).rejects.toMatchObject({ reason: 'SPEND_LIMIT_REACHED' });
    expect(server.requests).toHaveLength(0);
  });

  it('counts no wait for its own limits as lateness', async () => {
    if (facts === undefined) throw new Error('no case');
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { chatModel, server } = await modelWith(facts, [{ kind: 'answer', text: 'x' }], {
        limits: { requestsPerMinute: 1 },
        timeoutMs: 2000,
      });
      await collect(chatModel.stream(REQUEST));
      // Three seconds are left of the minute that had its one call: longer than the second call may take.
      vi.advanceTimersByTime(57_000);
      const second = collect(chatModel.stream({ ...REQUEST }));
      // Until the second call has seen that it must wait.
      await sleep(100);
      expect(server.requests).toHaveLength(1);
      vi.advanceTimersByTime(3_000);
      expect(await second).toMatchObject({ finish: { reason: 'stop' } });
      expect(server.requests).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('a limit on spending needs a price', async () => {
    const connection = { provider: 'openai', apiKey: 'test-key' } as const;
    await expect(
      openChatModel({ connection, model: 'unheard-of', limits: { maxCost: 1 } }),
    ).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
    });
  });
});
