/** An answer with another status than success, in the shape that `describeFailure` reads. */
export class HttpCallError extends Error {
  override readonly name = 'HttpCallError';

  constructor(
    readonly statusCode: number,
    readonly responseHeaders: Readonly<Record<string, string>>,
    readonly responseBody: string,
  ) {
    super('');
  }
}

export interface PostJsonOptions {
  readonly apiKey: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
}

/**
 * Sends JSON with a bearer token and reads JSON back; for the few services whose format takes a page, not a package.
 * @throws HttpCallError for a status other than success; what `fetch` and `JSON.parse` throw.
 */
export async function postJson(
  url: string,
  body: unknown,
  { apiKey, headers = {}, signal }: PostJsonOptions,
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(body),
    signal,
  });
  const text = await response.text();
  if (!response.ok) throw new HttpCallError(response.status, Object.fromEntries(response.headers), text);
  return JSON.parse(text);
}
