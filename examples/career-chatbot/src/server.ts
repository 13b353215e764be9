import Fastify, { type FastifyInstance } from 'fastify';
import { RAGError } from 'ragstone';
import { type Chatbot, type ChatMessage, MODES } from './chatbot.js';
import { contextWithFallback } from './rag-context.js';
import type { IngestedText, RagService } from './rag-service.js';
import { VERDICTS, type Verdict } from './satisfaction.js';

/** What the routes are over. */
export interface ChatServer {
  readonly chatbot: Chatbot;
  readonly service: RagService;
}

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });

const chatBody = {
  type: 'object',
  additionalProperties: false,
  required: ['message'],
  properties: {
    message: text(10_000),
    mode: { enum: MODES },
    conversation_history: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['role', 'content'],
        properties: {
          role: { enum: ['user', 'assistant'] },
          content: { type: 'string', maxLength: 100_000 },
        },
      },
    },
  },
};

const ingestBody = {
  type: 'object',
  additionalProperties: false,
  required: ['text', 'document_id'],
  properties: {
    text: text(1_000_000),
    document_id: text(200),
    title: text(500),
    metadata: { type: 'object' },
  },
};

const verdictBody = {
  type: 'object',
  additionalProperties: false,
  required: ['verdict'],
  properties: { verdict: { enum: VERDICTS } },
};

/** The routes. They ask for no key: let the application that has them say who may call. */
export function createServer({ chatbot, service }: ChatServer): FastifyInstance {
  // What a body should not have is refused, not dropped.
  const app = Fastify({ ajv: { customOptions: { removeAdditional: false, coerceTypes: false } } });
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, _, reply) => {
    const isAsked = RAGError.isInstance(error) && /^(?:QUERY|DOCUMENT)_/.test(error.reason);
    const status = isAsked ? 400 : (error.statusCode ?? 500);
    if (status >= 500) console.error(error.message);
    return reply
      .code(status)
      .send({ error: status < 500 ? error.message : 'The request failed; the log of the server says why.' });
  });

  app.post<{ Body: ChatMessage }>('/chat', { schema: { body: chatBody } }, ({ body }) => chatbot.chat(body));

  app.post<{ Params: { readonly id: string }; Body: { readonly verdict: Verdict } }>(
    '/chat/:id/feedback',
    { schema: { body: verdictBody } },
    async ({ params: { id }, body: { verdict } }, reply) => {
      const done =
        verdict === 'regenerated' ? await chatbot.regenerate(id) : await chatbot.judge(id, verdict);
      if (done === undefined || done === false)
        return reply.code(404).send({ error: 'No answer with this id is remembered.' });
      return done === true ? { verdict } : done;
    },
  );

  app.post<{ Body: IngestedText }>('/documents', { schema: { body: ingestBody } }, async ({ body }) => ({
    document_id: body.document_id,
    written: await service.ingestText(body),
  }));

  app.get<{ Querystring: { readonly query: string } }>(
    '/context',
    { schema: { querystring: { type: 'object', required: ['query'], properties: { query: text(10_000) } } } },
    async ({ query: { query } }, reply) =>
      reply.type('text/markdown').send(await contextWithFallback(service, query)),
  );

  app.get('/stats', async () => {
    const { documents, chunks, embedder } = await service.engine.status();
    return { documents, chunks, embedder, ...chatbot.satisfaction };
  });
  return app;
}
