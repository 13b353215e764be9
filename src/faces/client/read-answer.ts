import { API_VERSION, API_VERSION_HEADER } from '../service/api-version.js';
import type { Problem } from '../service/requests/problem.js';
import { incompatible, ofProblem, ServiceError, tooLong } from './service-error.js';

const PROBLEM_TYPE = 'application/problem+json';
const JSON_TYPE = 'application/json';

/** Statuses by which a proxy says that the service behind it may answer later. */
const LATER = new Set([429, 502, 503, 504]);

/** Holds an answer against what a service of this version sends. @throws ServiceError what it says in place of a result */
export async function assertAnswered(
  response: Response,
  { type, alsoGood }: { readonly type: string; readonly alsoGood?: number | undefined },
): Promise<void> {
  const { status, ok, headers } = response;
  assertVersion(headers);
  const given = typeOf(headers);
  if ((ok || status === alsoGood) && (given === type || status === 204)) return;
  if (given === PROBLEM_TYPE) throw ofProblem((await parsed(response)) as Problem, retryAfterOf(headers));
  await response.body?.cancel();
  if (LATER.has(status)) throw proxyFailure(status, headers);
  throw incompatible(describe(response, given), status);
}

function assertVersion(headers: Headers): void {
  // Browsers show it only where the service allows it, and a proxy may drop it.
  const version = headers.get(API_VERSION_HEADER);
  if (version === null || version === API_VERSION) return;
  throw incompatible(
    `The service speaks version ${version} of the routes, this client ${API_VERSION}. Install the version of Ragstone that the service has.`,
  );
}

function describe({ status, type, headers }: Response, given: string): string {
  const place = headers.get('location');
  if (type === 'opaqueredirect' || (status >= 300 && status < 400))
    return `The address leads elsewhere${place === null ? '' : `, to ${originOf(place)}`}. Give that address.`;
  return `What answers there is no Ragstone service of this version: status ${status}, ${given === '' ? 'no content type' : given}. Check the address, with the prefix under which the routes are mounted.`;
}

/** What comes after it may hold more than an address. */
const originOf = (place: string): string => (URL.canParse(place) ? new URL(place).origin : 'another path');

const proxyFailure = (status: number, headers: Headers): ServiceError =>
  new ServiceError({
    reason: status === 429 ? 'RATE_LIMITED' : 'SERVICE_UNAVAILABLE',
    message: `What stands before the service answered with status ${status}. Try again later.`,
    code: 'E004',
    category: 'provider',
    retryable: true,
    status,
    retryAfterMs: retryAfterOf(headers),
  });

/** The result. JSON has no other type than what the service of this version sends. */
export async function readJson<Result>(response: Response): Promise<Result> {
  if (response.status === 204) return undefined as Result;
  return (await parsed(response)) as Result;
}

/** More bytes than any answer has: the longest holds a document of 25 MiB, escaped. What answers without an end is no service. */
const MOST_BYTES = 67_108_864;

async function parsed(response: Response): Promise<unknown> {
  if (response.body === null) return response.json();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      pieces.push(done ? decoder.decode() : decoder.decode(value, { stream: true }));
      if (done) return JSON.parse(pieces.join(''));
      bytes += value.byteLength;
      if (bytes > MOST_BYTES) throw tooLong(MOST_BYTES);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const typeOf = (headers: Headers): string =>
  (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

const SECOND_MS = 1_000;

/** Seconds; the other form, a date, needs clocks that agree. */
function retryAfterOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * SECOND_MS : undefined;
}

export { JSON_TYPE };
