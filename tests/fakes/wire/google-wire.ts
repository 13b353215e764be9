import * as z from 'zod';
import type { ChatWire } from './chat-wire.js';
import { violationsBy } from './strict-request.js';
import { sseEvent } from './wire-server.js';

const content = z.strictObject({
  role: z.enum(['user', 'model']).optional(),
  parts: z.array(z.strictObject({ text: z.string() })).min(1),
});

// https://ai.google.dev/api/generate-content
const requestSchema = z.strictObject({
  contents: z.array(content).min(1),
  systemInstruction: content.optional(),
  generationConfig: z
    .strictObject({
      maxOutputTokens: z.number().int().positive().optional(),
      temperature: z.number().min(0).max(2).optional(),
      responseMimeType: z.string().optional(),
      responseSchema: z.looseObject({}).optional(),
    })
    .optional(),
});

const PATH = /^\/v1beta\/models\/gemini-2\.5-flash:(streamGenerateContent\?alt=sse|generateContent)$/;

const answer = (text: string | undefined, finishReason?: string, usage?: unknown) => ({
  candidates: [
    {
      content: { role: 'model', parts: text === undefined ? [] : [{ text }] },
      index: 0,
      ...(finishReason === undefined ? {} : { finishReason }),
    },
  ],
  modelVersion: 'gemini-2.5-flash',
  ...(usage === undefined ? {} : { usageMetadata: usage }),
});

const usageOf = (input: number, output: number) => ({
  promptTokenCount: input,
  candidatesTokenCount: output,
  totalTokenCount: input + output,
});

/** Google's Gemini API: https://ai.google.dev/api/generate-content; errors: https://ai.google.dev/gemini-api/docs/troubleshooting. */
export const googleWire: ChatWire = {
  documentation: 'https://ai.google.dev/api/generate-content',
  violationsOf: violationsBy({
    path: PATH,
    headers: { 'x-goog-api-key': 'test-key' },
    schema: requestSchema,
  }),
  errorBody: (status, message) => ({
    error: { code: status, message, status: status === 429 ? 'RESOURCE_EXHAUSTED' : 'INVALID_ARGUMENT' },
  }),
  opening: [],
  textEvent: (text) => sseEvent(answer(text)),
  closing: (reason, { input, output }) => [
    sseEvent(answer(undefined, reason === 'stop' ? 'STOP' : 'MAX_TOKENS', usageOf(input, output))),
  ],
  errorEvent: (message) => sseEvent({ error: { code: 500, message, status: 'INTERNAL' } }),
  body: (text, { input, output }) => answer(text, 'STOP', usageOf(input, output)),
  isStream: ({ path }) => path.includes('streamGenerateContent'),
};
