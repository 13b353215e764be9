import type { Caller } from './known-documents.js';

/** What a service answered. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly tookMs: number;
  /** Undefined where it says none. */
  readonly level: number | undefined;
}

/** A passage, as searches show it. */
export interface ShownResult {
  /** Such as the path of a file. */
  readonly source: string;
  readonly chunkId: string;
  readonly content: string;
}

/** Passages that a search shows, in their order. */
export const resultsIn = ({ text }: Answered): readonly ShownResult[] =>
  (JSON.parse(text) as { readonly results: readonly ShownResult[] }).results;

/** With the moments between which it was asked for and given (`performance.now()`). */
export interface Timed {
  readonly answered: Answered;
  readonly from: number;
  readonly to: number;
}

export const search = (url: string, caller: Caller, query: string, topK = 20): Promise<Timed> =>
  ask(url, caller, 'POST', '/api/ai/rag/search', { query, minScore: 0, topK, tenantId: caller.tenant });

/** Sends JSON as a caller. */
export async function ask(
  url: string,
  caller: Caller,
  method: string,
  path: string,
  body?: object,
): Promise<Timed> {
  const from = performance.now();
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${caller.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const to = performance.now();
  const level = /"degradationLevel":(\d)/.exec(text)?.[1];
  return {
    answered: {
      status: response.status,
      text,
      tookMs: Math.round(to - from),
      level: level === undefined ? undefined : Number(level),
    },
    from,
    to,
  };
}
