import * as z from 'zod';
import type { ChatWire } from './chat-wire.js';
import { violationsBy } from './strict-request.js';
import { sseEvent, type WireRequest } from './wire-server.js';

// https://platform.openai.com/docs/api-reference/chat/create
const requestSchema = z.strictObject({
  model: z.string(),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['system', 'user', 'assistant']),
        content: z.union([
          z.string(),
          z.array(z.strictObject({ type: z.literal('text'), text: z.string() })),
        ]),
      }),
    )
    .min(1),
  max_tokens: z.number().int().positive().optional(),
  max_completion_tokens: z.number().int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
  response_format: z
    .strictObject({
      type: z.literal('json_schema'),
      json_schema: z.strictObject({
        name: z.string(),
        schema: z.looseObject({}),
        strict: z.boolean().optional(),
        description: z.string().optional(),
      }),
    })
    .optional(),
});

interface Variant {
  readonly documentation: string;
  readonly path: RegExp;
  readonly headers: Readonly<Record<string, string | RegExp>>;
}

const chunk = (choices: readonly unknown[], usage: unknown = null): string =>
  sseEvent({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'test',
    choices,
    usage,
  });

const usageOf = (input: number, output: number) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});

const isStream = ({ body }: WireRequest): boolean =>
  typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;

/** Chat completions; streaming: https://platform.openai.com/docs/api-reference/chat-streaming. */
function chatCompletions({ documentation, path, headers }: Variant): ChatWire {
  return {
    documentation,
    violationsOf: violationsBy({ path, headers, schema: requestSchema }),
    // https://platform.openai.com/docs/guides/error-codes
    errorBody: (status, message) => ({
      error: {
        message,
        type: status === 429 ? 'requests' : 'invalid_request_error',
        param: null,
        code: null,
      },
    }),
    opening: [chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }])],
    textEvent: (text) => chunk([{ index: 0, delta: { content: text }, finish_reason: null }]),
    closing: (reason, { input, output }) => [
      chunk([{ index: 0, delta: {}, finish_reason: reason }]),
      chunk([], usageOf(input, output)),
      sseEvent('[DONE]'),
    ],
    errorEvent: (message) => sseEvent({ error: { message, type: 'server_error', param: null, code: null } }),
    body: (text, { input, output }) => ({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'test',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage: usageOf(input, output),
    }),
    isStream,
  };
}

export const openaiWire: ChatWire = chatCompletions({
  documentation: 'https://platform.openai.com/docs/api-reference/chat/create',
  path: /^\/v1\/chat\/completions$/,
  headers: { authorization: 'Bearer test-key' },
});

/** The same behind another door: key in `api-key`; the v1 API, or a deployment's address with a dated version in the query. */
export const azureWire: ChatWire = chatCompletions({
  documentation: 'https://learn.microsoft.com/azure/ai-services/openai/reference',
  path: /^\/openai\/(v1\/chat\/completions|deployments\/[^/]+\/chat\/completions\?api-version=\d{4}-\d\d-\d\d)$/,
  headers: { 'api-key': 'test-key' },
});

/** Ollama, vLLM and LM Studio: https://docs.ollama.com/api/openai-compatibility; no key. */
export const compatibleWire: ChatWire = chatCompletions({
  documentation: 'https://docs.ollama.com/api/openai-compatibility',
  path: /^\/v1\/chat\/completions$/,
  headers: {},
});
