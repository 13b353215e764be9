import type { Caller } from './known-documents.js';

/** What a service answered. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly tookMs: number;
  /** Undefined where it says none. */
  readonly level: number | undefined;
}

/** With the moments between which it was asked for and given (`performance.now()`). */
export interface Timed {
  readonly answered: Answered;
  readonly from: number;
  readonly to: number;
}

export const search = (url: string, caller: Caller, query: string): Promise<Timed> =>
  ask(url, caller, 'POST', '/api/ai/rag/search', { query, minScore: 0, topK: 20, tenantId: caller.tenant });

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
