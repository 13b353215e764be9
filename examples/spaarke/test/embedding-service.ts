import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** Of `text-embedding-3-small`. */
const DIMENSIONS = 1_536;

/** A service of embeddings with the interface of OpenAI's: equal words, near vectors. It counts what it is asked for. */
export interface EmbeddingService {
  readonly url: string;
  /** Texts that it was sent, in order. */
  readonly texts: readonly string[];
  stop(): Promise<void>;
}

export async function startEmbeddingService(): Promise<EmbeddingService> {
  const texts: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { input } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { input: string | string[] };
    const asked = [input].flat();
    texts.push(...asked);
    const data = asked.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ object: 'list', data, usage: { prompt_tokens: 1, total_tokens: 1 } }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    texts,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Counts words by a number of each, so that texts with the same words are near. */
function vectorOf(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    const at = [...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % DIMENSIONS, 7);
    vector[at] = (vector[at] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
