import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { createMcpServer } from './create-server.js';
import type { McpOptions } from './mcp-options.js';
import type { ReadableIndex } from './readable-index.js';

/** A client of the SDK, which holds every output against its schema, and a server over an index in one process. */
export async function connectClient(
  index: ReadableIndex,
  options: Partial<McpOptions> = {},
): Promise<Client & { tool: (name: string, args?: object) => Promise<ToolAnswer> }> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer(index, { version: '0.0.0', ...options });
  const client = new Client({ name: 'test', version: '0.0.0' });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  // A client that knows the schemas holds outputs against them.
  await client.listTools();
  return Object.assign(client, {
    tool: async (name: string, args: object = {}) =>
      answerOf((await client.callTool({ name, arguments: { ...args } })) as CallToolResult),
  });
}

/** What a tool answered, in both forms. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: as a program reads JSON
  readonly structured: any;
}

export function answerOf({ content, structuredContent, isError = false }: CallToolResult): ToolAnswer {
  const [first] = content;
  if (content.length !== 1 || first?.type !== 'text') throw new Error('A tool answers one text.');
  return { isError, text: first.text, structured: structuredContent };
}
