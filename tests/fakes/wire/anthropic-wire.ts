import * as z from 'zod';
import type { ChatWire } from './chat-wire.js';
import { violationsBy } from './strict-request.js';
import { sseEvent } from './wire-server.js';

const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  // https://docs.claude.com/en/docs/build-with-claude/prompt-caching
  cache_control: z
    .strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
    .optional(),
});

// https://docs.claude.com/en/api/messages
const requestSchema = z.strictObject({
  model: z.string(),
  max_tokens: z.number().int().positive(),
  messages: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(textBlock).min(1) }))
    .min(1),
  system: z.array(textBlock).optional(),
  temperature: z.number().min(0).max(1).optional(),
  stream: z.boolean().optional(),
  // Structured outputs: https://docs.claude.com/en/docs/build-with-claude/structured-outputs
  output_config: z
    .strictObject({ format: z.strictObject({ type: z.literal('json_schema'), schema: z.looseObject({}) }) })
    .optional(),
});

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

/**
 * Anthropic's Messages API. Requests: https://docs.claude.com/en/api/messages. Events:
 * https://docs.claude.com/en/docs/build-with-claude/streaming. Errors: https://docs.claude.com/en/api/errors.
 */
export const anthropicWire: ChatWire = {
  documentation: 'https://docs.claude.com/en/api/messages',
  violationsOf: violationsBy({
    path: '/v1/messages',
    headers: { 'x-api-key': 'test-key', 'anthropic-version': '2023-06-01' },
    schema: requestSchema,
  }),
  errorBody: (status, message) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'api_error', message },
    request_id: 'req_1',
  }),
  opening: [
    sseEvent(
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          content: [],
          model: 'claude-haiku-4-5-20251001',
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 12, output_tokens: 1 },
        },
      },
      'message_start',
    ),
    sseEvent(
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      'content_block_start',
    ),
    sseEvent({ type: 'ping' }, 'ping'),
  ],
  textEvent: (text) =>
    sseEvent(
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      'content_block_delta',
    ),
  closing: (reason, { output }) => [
    sseEvent({ type: 'content_block_stop', index: 0 }, 'content_block_stop'),
    sseEvent(
      {
        type: 'message_delta',
        delta: { stop_reason: reason === 'stop' ? 'end_turn' : 'max_tokens', stop_sequence: null },
        usage: { output_tokens: output },
      },
      'message_delta',
    ),
    sseEvent({ type: 'message_stop' }, 'message_stop'),
  ],
  errorEvent: (message) => sseEvent({ type: 'error', error: { type: 'api_error', message } }, 'error'),
  body: (text, { input, output }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-4-5-20251001',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: output },
  }),
  isStream: ({ body }) =>
    typeof body === 'object' && body !== null && 'stream' in body && body.stream === true,
};
