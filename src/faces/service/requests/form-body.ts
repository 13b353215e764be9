import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RAGError } from '../../../index.js';
import { readForm } from './read-form.js';

/** How the fields of a form spell a body. */
export interface FormFields {
  /** A form repeats them for a list. */
  readonly lists: ReadonlySet<string>;
  /** They hold JSON where they begin as an object of it does. */
  readonly json: ReadonlySet<string>;
}

/** Forms are all that the routes of an application read. What is wrong with a form, the schema of its route says. */
export function takeForms(app: FastifyInstance, { lists, json }: FormFields): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, content: Readable) => {
    const form = await readForm({
      contentType: request.headers['content-type'] ?? '',
      content,
      mostBytes: request.routeOptions.bodyLimit,
    });
    const spelt = (name: string, values: readonly unknown[]): unknown => {
      if (lists.has(name) || values.length > 1) return values;
      const [value] = values;
      const isJson = json.has(name) && typeof value === 'string' && value.trimStart().startsWith('{');
      return isJson ? readJson(name, (done) => parseJson(request, value, done)) : value;
    };
    return Object.fromEntries([...form].map(([name, values]) => [name, spelt(name, values)]));
  });
}

/** What Fastify's own parser of JSON makes of a text, which refuses what would reach prototypes. It calls back at once. */
function readJson(
  field: string,
  parse: (done: (error: Error | null, value?: unknown) => void) => unknown,
): unknown {
  let parsed: unknown;
  parse((error, value) => {
    if (error !== null)
      throw new RAGError('REQUEST_INVALID', `The body has a wrong "${field}": it must be JSON.`, {
        cause: error,
      });
    parsed = value;
  });
  return parsed;
}
