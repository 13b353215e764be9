import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Embedder } from '../../src/embedding/embedder.js';
import { createStaticEmbedder } from '../../src/embedding/static/static-embedder.js';

/** Models behind the API that OpenAI, vLLM and others share: vectors, a reranker, a language model. */
export interface ModelServer {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Vectors are those of the built-in model, so that quality is that of real vectors; the reranker finds the order good that it is given, the
 * language model quotes the first source.
 */
export async function startModelServer(): Promise<ModelServer> {
  const embedder = await createStaticEmbedder();
  const server = createServer((request, response) => {
    void answer(request, embedder).then(
      ({ type = 'application/json', body }) =>
        response
          .writeHead(200, { 'content-type': type })
          .end(typeof body === 'string' ? body : JSON.stringify(body)),
      (error: unknown) => response.writeHead(400).end(JSON.stringify({ error: { message: String(error) } })),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await embedder.close();
    },
  };
}

interface Reply {
  readonly type?: string;
  readonly body: unknown;
}

async function answer(request: IncomingMessage, embedder: Embedder): Promise<Reply> {
  const body = (await json(request)) as Record<string, unknown>;
  if (request.url === '/v1/embeddings') return { body: await embeddings(body.input as string[], embedder) };
  if (request.url === '/v1/rerank') return { body: reranked(body.documents as string[]) };
  if (request.url === '/v1/chat/completions') return completion(body as unknown as ChatRequest);
  throw new Error(`no such path: ${request.url}`);
}

async function embeddings(texts: readonly string[], embedder: Embedder) {
  const vectors = await embedder.doEmbed(texts, 'document');
  return {
    object: 'list',
    model: 'test',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: [...vector] })),
    usage: { prompt_tokens: texts.length, total_tokens: texts.length },
  };
}

const reranked = (documents: readonly string[]) => ({
  id: 'rerank-1',
  model: 'test',
  usage: { total_tokens: documents.length },
  results: documents.map((_, index) => ({ index, relevance_score: 1 - index / documents.length })),
});

interface ChatRequest {
  readonly stream?: boolean;
  readonly messages: readonly { readonly content: string | readonly { readonly text: string }[] }[];
}

function completion({ stream = false, messages }: ChatRequest): Reply {
  const prompt = messages
    .map(({ content }) =>
      typeof content === 'string' ? content : content.map(({ text }) => text).join('\n'),
    )
    .join('\n');
  const text = `${/The \w+ of note [^.\n]*\./.exec(prompt)?.[0] ?? 'Nothing is known of it.'.slice(0, -1)} [1]`;
  const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };
  const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'test' };
  if (!stream) {
    const choice = { index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' };
    return { body: { ...head, object: 'chat.completion', choices: [choice], usage } };
  }
  const event = (delta: object, reason: string | null): string =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }], usage: null })}\n\n`;
  const last = `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage })}\n\ndata: [DONE]\n\n`;
  return {
    type: 'text/event-stream',
    body: event({ role: 'assistant', content: text }, null) + event({}, 'stop') + last,
  };
}
