import { jsonReply, type WireFormat, type WireReply, type WireRequest } from './wire-server.js';

/** How a provider streams an answer, and what a whole one looks like. */
export interface ChatWire extends WireFormat {
  /** Events before the first text. */
  readonly opening: readonly string[];
  /** Events that carry a piece of text. */
  textEvent(text: string): string;
  /** Events after the last text. */
  closing(
    reason: 'stop' | 'length',
    tokens: { readonly input: number; readonly output: number },
  ): readonly string[];
  /** An error that comes as an event of the stream. */
  errorEvent(message: string): string;
  /** A whole answer. */
  body(text: string, tokens: { readonly input: number; readonly output: number }): unknown;
  isStream(request: WireRequest): boolean;
}

/** What a stand-in for a model does with one request. */
export type ChatBehaviour =
  | { readonly kind: 'answer'; readonly text: string; readonly reason?: 'stop' | 'length' }
  /** An error status with the provider's body. */
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Record<string, string> }
  /** The text, then the connection is cut. */
  | { readonly kind: 'cut'; readonly text: string }
  /** The text, then the stream ends without its last event. */
  | { readonly kind: 'unfinished'; readonly text: string }
  /** The text, then an event that is no JSON. */
  | { readonly kind: 'malformed'; readonly text: string }
  /** The text, then an error as an event. */
  | { readonly kind: 'error-event'; readonly text: string }
  /** The text, then nothing, with the connection open. */
  | { readonly kind: 'stall'; readonly text: string }
  /** Not even headers. */
  | { readonly kind: 'silence' }
  /** A page of a proxy, with status 200. */
  | { readonly kind: 'page' };

const TOKENS = { input: 12, output: 5 } as const;
const PIECE = 7;
/** A very long text comes in larger pieces: reading events is the client's work, not what is tested. */
const MAX_PIECES = 500;

/** One behaviour as the reply of a provider's server. */
export function chatReply(wire: ChatWire, request: WireRequest, behaviour: ChatBehaviour): WireReply {
  if (behaviour.kind === 'silence') return { kind: 'silence' };
  if (behaviour.kind === 'page')
    return {
      kind: 'body',
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: '<html><body>Sign in to the network</body></html>',
    };
  if (behaviour.kind === 'status')
    return jsonReply(behaviour.status, wire.errorBody(behaviour.status, 'not now'), behaviour.headers ?? {});
  if (behaviour.kind === 'answer' && !wire.isStream(request))
    return jsonReply(200, wire.body(behaviour.text, TOKENS));
  return streamOf(wire, behaviour);
}

type Streamed = Exclude<ChatBehaviour, { kind: 'silence' | 'page' | 'status' }>;

function streamOf(wire: ChatWire, behaviour: Streamed): WireReply {
  const { kind, text } = behaviour;
  const pieces = [...wire.opening];
  const size = Math.max(PIECE, Math.ceil(text.length / MAX_PIECES));
  for (let start = 0; start < text.length; start += size)
    pieces.push(wire.textEvent(text.slice(start, start + size)));
  if (kind === 'answer') pieces.push(...wire.closing(behaviour.reason ?? 'stop', TOKENS));
  if (kind === 'malformed') pieces.push('data: {"this is": not JSON\n\n');
  if (kind === 'error-event') pieces.push(wire.errorEvent('the server has a problem'));
  const then = kind === 'cut' ? 'cut' : kind === 'stall' ? 'silence' : 'end';
  return { kind: 'stream', pieces, then };
}
