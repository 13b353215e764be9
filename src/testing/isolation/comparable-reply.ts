import type { ProbeReply } from './probe-exchange.js';

/** They tell of the request, of its time and of its length in bytes alone. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set(['x-request-id', 'date', 'content-length', 'keep-alive']);
const TIMES = /"(tookMs|stages|durationMs|usage)":(?:-?[\d.e+-]+|\{[^{}]*\})/g;

/** A reply without what differs between any two of the same kind: ids of requests, times, and the given words. */
export function comparableReply(
  { status, headers, body }: ProbeReply,
  words: readonly string[] = [],
): { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const id = headers['x-request-id'];
  const same = [...words, ...(id === undefined ? [] : [id])].reduce(
    (text, word) => text.replaceAll(word, '_'),
    body.replaceAll(TIMES, '"$1":_'),
  );
  const kept = Object.entries(headers).filter(([name]) => !OF_THE_REQUEST.has(name));
  return { status, headers: Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))), body: same };
}
