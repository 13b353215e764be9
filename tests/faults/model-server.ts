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
 * Vectors are those of the built-in model, so that quality is that of real vectors; the reranker goes by their similarity and shared words,
 * the language model quotes the first source that it is given.
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
  if (request.url === '/v1/rerank')
    return { body: await reranked(body as { query: string; documents: string[] }, embedder) };
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

async function reranked(
  { query, documents }: { readonly query: string; readonly documents: readonly string[] },
  embedder: Embedder,
) {
  const [asked, ...others] = await embedder.doEmbed([query, ...documents], 'document');
  const words = wordsOf(query);
  const scoreOf = (vector: Float32Array, at: number): number => {
    const shared = wordsOf(documents[at] ?? '');
    const overlap = [...words].filter((word) => shared.has(word)).length / Math.max(1, words.size);
    return (similarity(asked ?? vector, vector) + 2 * overlap) / 3;
  };
  const results = others
    .map((vector, index) => ({ index, relevance_score: Math.min(1, Math.max(0, scoreOf(vector, index))) }))
    .sort((a, b) => b.relevance_score - a.relevance_score);
  return { id: 'rerank-1', model: 'test', usage: { total_tokens: documents.length }, results };
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu));

const similarity = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

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
