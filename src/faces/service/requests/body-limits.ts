import type { FastifyInstance } from 'fastify';
import { RAGError } from '../../../index.js';
import { SharedPlaces } from './shared-places.js';

/**
 * Most bytes of a body. A question with every filter has some 150 kB; what is larger costs seconds to parse and to refuse, and
 * a caller that may only read could stop the service with it.
 */
export const MOST_BYTES = 262_144;
/** A question with the conversation before it. */
export const MOST_CONVERSATION_BYTES = 4_194_304;
/** A document of 5,000,000 characters, or a batch of them. */
export const MOST_DOCUMENT_BYTES = 26_214_400;
/** Bodies of that size whose bytes may be under way at once, and those of one tenant. */
const MOST_DOCUMENTS = 16;
const MOST_DOCUMENTS_OF_TENANT = 4;

/**
 * Places for the bytes of bodies, from their first until they are answered, whatever form they have. What a small body may have is not counted: there
 * are only so many requests.
 */
export const bytesUnderWay = (): SharedPlaces =>
  new SharedPlaces({
    most: MOST_DOCUMENTS * MOST_DOCUMENT_BYTES,
    mostOfTenant: MOST_DOCUMENTS_OF_TENANT * MOST_DOCUMENT_BYTES,
    shareError: () =>
      new RAGError(
        'SERVICE_UNAVAILABLE',
        'Bodies of this tenant that are under way have as many bytes as it may send at once. Try again when one of them is answered.',
      ),
  });

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
