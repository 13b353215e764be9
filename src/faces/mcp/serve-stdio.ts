import { Console } from 'node:console';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { createMcpServer } from './create-server.js';
import type { McpOptions } from './mcp-options.js';
import { messageLines } from './message-lines.js';
import type { ReadableIndex } from './readable-index.js';
import { StdioServerTransport } from './sdk.js';

/** Where messages come and go. */
export interface StdioStreams {
  readonly input: Readable;
  /** Carries nothing but the protocol. */
  readonly output: Writable;
  /** Takes what packages print. */
  readonly log: Writable;
}

/** Serves one client over standard streams until it closes the input, or until the signal fires. */
export async function serveStdio(
  index: ReadableIndex,
  options: McpOptions,
  { streams, signal }: { readonly streams: StdioStreams; readonly signal: AbortSignal },
): Promise<void> {
  const { input, output, log } = streams;
  const { console } = globalThis;
  // A line that a package prints to the output would break the protocol.
  globalThis.console = new Console(log);
  const server = createMcpServer(index, options);
  const ended = new AbortController();
  const end = (): void => ended.abort();
  server.onerror = (error) => options.onError?.(error);
  server.onclose = end;
  const lines = input.pipe(messageLines(output));
  // The SDK's transport does not listen for the end of its input.
  lines.once('end', end);
  input.once('close', () => {
    if (!input.readableEnded) end();
  });
  output.once('error', end).once('close', end);
  await server.connect(new StdioServerTransport(lines, output));
  if (!signal.aborted && !ended.signal.aborted) await once(AbortSignal.any([signal, ended.signal]), 'abort');
  await server.close();
  // What is read no more keeps no process.
  input.unpipe(lines).pause();
  globalThis.console = console;
}
