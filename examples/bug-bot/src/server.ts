import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { RAGError } from 'ragstone';
import { type Chat, type ChatEvent, type ChatQuestion, ragChat, streamChat } from './chat.js';
import { isUnreachable } from './database.js';
import { reindexAll } from './indexer.js';
import { getStats } from './vector-store.js';

interface ChatBody {
  readonly message: string;
  readonly conversation_history?: NonNullable<ChatQuestion['history']>;
}

const chatBody = {
  type: 'object',
  additionalProperties: false,
  required: ['message'],
  properties: {
    message: { type: 'string', minLength: 1, maxLength: 10_000 },
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

/** The three routes. They ask for no key: let the application that has them say who may call. */
export function createServer(chat: Chat): FastifyInstance {
  // What a body should not have is refused, not dropped.
  const app = Fastify({ ajv: { customOptions: { removeAdditional: false, coerceTypes: false } } });
  app.setErrorHandler(sendError);

  app.post<{ Body: ChatBody }>('/chat', { schema: { body: chatBody } }, async (request, reply) => {
    const { message, conversation_history: history } = request.body;
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const question = { message, history, signal: gone.signal };
    if (request.headers.accept !== 'text/event-stream') return ragChat(question, chat);
    return sendEvents(reply, streamChat(question, chat));
  });

  app.post('/rag/index', async () => {
    const indexed = await reindexAll(chat);
    const total = indexed.bug_reports + indexed.investigations + indexed.findings;
    return { status: 'completed', total, indexed };
  });

  app.get('/rag/stats', () => getStats(chat.database));
  return app;
}

/** Each event as it comes. What goes wrong after the first one is an event, too. */
async function sendEvents(reply: FastifyReply, events: AsyncGenerator<ChatEvent>): Promise<FastifyReply> {
  const first = await events.next();
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const send = (type: string, data: unknown): unknown =>
    reply.raw.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  try {
    for (let next = first; next.done !== true; next = await events.next()) {
      const { type, ...data } = next.value;
      send(type, type === 'answer' ? next.value.answer : data);
    }
  } catch (error) {
    send('error', problemOf(error).body);
  }
  reply.raw.end();
  return reply;
}

const sendError = (error: FastifyError, _: unknown, reply: FastifyReply): FastifyReply => {
  const { status, body } = problemOf(error);
  if (status >= 500) console.error(error.message);
  return reply.code(status).send(body);
};

/** What a caller is told: never a statement, an address or a stack. */
function problemOf(error: unknown): {
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
} {
  if (isUnreachable(error))
    return {
      status: 503,
      body: { error: 'The database cannot be reached. Try again later.', reason: 'DATABASE_UNAVAILABLE' },
    };
  if (RAGError.isInstance(error) && error.reason.startsWith('QUERY_'))
    return { status: 400, body: { error: error.message, reason: error.reason } };
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status < 500 && error instanceof Error)
    return { status, body: { error: error.message, reason: 'REQUEST_INVALID' } };
  return {
    status: 500,
    body: { error: 'The request failed; the log of the server says why.', reason: 'INTERNAL' },
  };
}
