import type { FastifyInstance } from 'fastify';

/**
 * Most bytes of a body. A question with every filter has some 150 kB; what is larger costs seconds to parse and to refuse, and
 * whoever may only read could stop the service with it.
 */
const MOST_BYTES = 262_144;
/** A question with the conversation before it. */
export const MOST_CONVERSATION_BYTES = 4_194_304;
/** A document of 5,000,000 characters, or a batch of them. */
export const MOST_DOCUMENT_BYTES = 26_214_400;

/** Routes take small JSON bodies alone, but where they state a `bodyLimit`. */
export function limitBodies(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= MOST_BYTES;
  });
  // Fastify's own parser of texts; a web page may send a text without asking first.
  app.removeContentTypeParser('text/plain');
  // Clients state the type of JSON with no body too. A route that needs one says what it misses.
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, body, done);
  });
}
