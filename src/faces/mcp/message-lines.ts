import { Transform, type Writable } from 'node:stream';
import { ErrorCode, JSONRPCMessageSchema } from './sdk.js';

const LINE_FEED = 10;

/**
 * Passes on the lines that are messages, and answers those that are none (JSON-RPC 2.0, section 5.1): the transport of the SDK reports them and leaves their
 * sender to wait.
 *
 * @param output where the answers of the session go
 */
export function messageLines(output: Writable): Transform {
  let begun: Buffer[] = [];
  /** The line, where it is a message. */
  const take = (): string => {
    const line = Buffer.concat(begun).toString().trim();
    begun = [];
    if (line === '') return '';
    const refusal = refusalOf(line);
    if (refusal === undefined) return `${line}\n`;
    output.write(`${JSON.stringify({ jsonrpc: '2.0', ...refusal })}\n`);
    return '';
  };
  return new Transform({
    transform(chunk: Buffer, _, done) {
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
        begun.push(chunk.subarray(start, end));
        this.push(take());
        start = end + 1;
      }
      if (start < chunk.length) begun.push(chunk.subarray(start));
      done();
    },
    flush(done) {
      this.push(take());
      done();
    },
  });
}

/** An answer of JSON-RPC, without its version. */
export interface Refusal {
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

function refusalOf(line: string): Refusal | undefined {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return PARSE_ERROR;
  }
  return refusalOfMessage(message);
}

/** What is told of a text that is no JSON. */
export const PARSE_ERROR: Refusal = {
  id: null,
  error: { code: ErrorCode.ParseError, message: 'Parse error: what was sent is not JSON.' },
};

/** What is told of JSON that is no message; undefined for a message. */
export function refusalOfMessage(message: unknown): Refusal | undefined {
  if (JSONRPCMessageSchema.safeParse(message).success) return undefined;
  return {
    id: idOf(message),
    error: {
      code: ErrorCode.InvalidRequest,
      message: 'Invalid Request: what was sent is not one message of JSON-RPC 2.0.',
    },
  };
}

/** Tells the sender which message was refused. */
function idOf(message: unknown): string | number | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null;
  const { id } = message;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
