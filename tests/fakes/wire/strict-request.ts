import type * as z from 'zod';
import type { WireRequest } from './wire-server.js';

interface StrictRequest {
  readonly path: string | RegExp;
  /** Beside the type of its body. */
  readonly headers: Readonly<Record<string, string | RegExp>>;
  readonly schema: z.ZodType;
}

/** What is wrong with a request that has to be a POST of JSON, by exact values or patterns; unknown fields included where the schema is strict. */
export const violationsBy =
  ({ path, headers, schema }: StrictRequest) =>
  (request: WireRequest): string[] => [
    ...(fits(request.path, path) && request.method === 'POST' ? [] : [`no such path: ${request.path}`]),
    ...Object.entries({ ...headers, 'content-type': /^application\/json/ }).flatMap(([name, value]) => {
      const found = request.headers[name];
      if (found === undefined) return [`the header ${name} is missing`];
      return fits(found, value) ? [] : [`the header ${name} is wrong`];
    }),
    ...(schema.safeParse(request.body).error?.issues ?? []).map(
      ({ path: at, message }) => `${at.join('.') || 'the body'}: ${message}`,
    ),
  ];

const fits = (found: string, expected: string | RegExp): boolean =>
  typeof expected === 'string' ? found === expected : expected.test(found);
