/** Writes the ids of a text, of which no more than `limit` are wanted. */
export type Tokenize = (text: string, sink: TokenSink, limit: number) => void;

/** Where token ids go. */
export interface TokenSink {
  /** Ids are written here, as far as they fit; absent where only the number matters. */
  readonly target?: Int32Array;
  count: number;
}

export function emit(sink: TokenSink, id: number): void {
  if (sink.target !== undefined && sink.count < sink.target.length) sink.target[sink.count] = id;
  sink.count++;
}

/** Writes the first ids of a text, as many as fit, and returns how many these are. */
export function encodeWith(tokenize: Tokenize, text: string, target: Int32Array): number {
  const sink: TokenSink = { target, count: 0 };
  tokenize(text, sink, target.length);
  return Math.min(sink.count, target.length);
}

/** Number of ids of a text. */
export function countWith(tokenize: Tokenize, text: string): number {
  const sink: TokenSink = { count: 0 };
  tokenize(text, sink, Number.POSITIVE_INFINITY);
  return sink.count;
}
