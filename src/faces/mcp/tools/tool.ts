import * as z from 'zod';
import { RAGError, type TokenCounter } from '../../../index.js';
import type { ReadableIndex } from '../readable-index.js';

/** What a tool works with. */
export interface ToolContext {
  readonly index: ReadableIndex;
  readonly counter: TokenCounter;
  /** Most tokens of an output. */
  readonly maxTokens: number;
  /** The place of a document's file, as the asker may be told of it. */
  readonly showPath: (path: string) => string | undefined;
  readonly signal: AbortSignal;
}

/** An output in two forms that say the same: some assistants hand their model the one, some the other. */
export interface ToolOutput<Structured = Readonly<Record<string, unknown>>> {
  readonly text: string;
  readonly structured: Structured;
}

/** A tool as assistants are told of it, and as it is called. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  /** Throws a RAGError for arguments that do not fit. */
  call(args: unknown, context: ToolContext): Promise<ToolOutput>;
}

type ObjectSchema = { readonly type: 'object' } & Readonly<Record<string, unknown>>;

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  run(input: z.output<Input>, context: ToolContext): Promise<ToolOutput<z.output<Output>>>;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>({
  input,
  output,
  run,
  ...names
}: ToolDefinition<Input, Output>): Tool {
  return {
    ...names,
    inputSchema: jsonSchemaOf(input, 'input'),
    outputSchema: jsonSchemaOf(output, 'output'),
    async call(args, context) {
      const read = input.safeParse(args ?? {});
      if (!read.success) throw wrongArguments(names.name, input, read.error);
      return run(read.data, context);
    },
  };
}

// Draft 7 is what every assistant reads.
function jsonSchemaOf(schema: z.ZodObject, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, ...written } = z.toJSONSchema(schema, { target: 'draft-7', io });
  return { ...written, type: 'object' };
}

const wrongArguments = (tool: string, input: z.ZodObject, error: z.ZodError): RAGError =>
  new RAGError(
    'QUERY_INVALID',
    `The arguments of ${tool} do not fit:\n${z.prettifyError(error)}\nIt takes: ${Object.keys(input.shape).join(', ')}.`,
  );
