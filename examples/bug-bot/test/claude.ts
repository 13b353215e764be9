import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** What a stand-in for Claude was asked. */
export interface ClaudeRequest {
  readonly path: string;
  readonly key: string | undefined;
  readonly body: {
    readonly model: string;
    readonly max_tokens: number;
    readonly system?: readonly { readonly text: string }[];
    readonly messages: readonly {
      readonly role: string;
      readonly content: readonly { readonly text: string }[];
    }[];
  };
}

export interface Claude {
  /** Up to and with the version, as ANTHROPIC_BASE_URL takes it. */
  readonly url: string;
  readonly requests: readonly ClaudeRequest[];
  close(): Promise<void>;
}

/** A server on this machine that speaks the format of Anthropic's Messages API and says what it is told to; a number is a failure. */
export async function startClaude(reply: (request: ClaudeRequest) => string | number): Promise<Claude> {
  const requests: ClaudeRequest[] = [];
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const part of incoming) text += String(part);
    const key = incoming.headers['x-api-key'];
    const request = {
      path: incoming.url ?? '',
      key: typeof key === 'string' ? key : undefined,
      body: JSON.parse(text) as ClaudeRequest['body'],
    };
    requests.push(request);
    const said = reply(request);
    if (typeof said === 'number') {
      const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
      response.writeHead(said, { 'content-type': 'application/json', 'retry-after-ms': '1' });
      response.end(JSON.stringify(error));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of eventsOf(said))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  };
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// https://docs.claude.com/en/docs/build-with-claude/streaming
const eventsOf = (text: string): readonly { readonly type: string }[] => [
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
      usage: { input_tokens: 10, output_tokens: 1 },
    },
  } as { readonly type: string },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as {
    readonly type: string;
  },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as { readonly type: string },
  { type: 'content_block_stop', index: 0 } as { readonly type: string },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 20 },
  } as { readonly type: string },
  { type: 'message_stop' },
];
