import type { FastifySchemaCompiler } from 'fastify';
import type * as z from 'zod';
import { assertShape, fieldType } from '../../../operations/requests/check-shape.js';

const PARTS: Readonly<Record<string, string>> = { body: 'body', querystring: 'query', params: 'path' };

/** Holds a part of a request against its schema; what is wrong is said in the words in which the engine says it. */
export const checkRequest: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart = '' }) => {
  const refusal = { what: `The ${PARTS[httpPart]}`, reason: 'REQUEST_INVALID' } as const;
  return (given: unknown) => {
    const stated = httpPart === 'querystring' ? withNumbers(given as object, schema) : given;
    return { value: assertShape(schema, stated, refusal) };
  };
};

/** A query is text: what its schema takes for a number is read as one. */
const withNumbers = (query: object, schema: z.ZodType): object =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]: [string, unknown]) => [
      name,
      fieldType(schema, name) === 'number' && String(value).trim() !== '' ? Number(value) : value,
    ]),
  );
