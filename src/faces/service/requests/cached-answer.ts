import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A text as it is sent. */
interface Form {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly encoding?: 'gzip';
}

interface Forms {
  readonly plain: Form;
  readonly packed: Form;
}

/** Five minutes; the version of the service may change. */
const USUAL_CACHE = 'public, max-age=300';
/** Not with the weight 0 (RFC 9110, 12.5.3). */
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/**
 * Answers with a text that is the same for everyone: it is made for the first who asks, and no request has a copy of it.
 *
 * @param cache how long callers may keep it, as `cache-control` states it
 */
export function cachedAnswer(
  type: string,
  makeText: () => string,
  cache = USUAL_CACHE,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  let kept: Forms | undefined;
  return async ({ headers }, reply) => {
    kept ??= formsOf(makeText());
    const { bytes, etag, encoding } = TAKES_GZIP.test(headers['accept-encoding'] ?? '')
      ? kept.packed
      : kept.plain;
    reply.header('cache-control', cache).header('etag', etag).header('vary', 'accept-encoding');
    if (knows(headers['if-none-match'], etag)) return reply.code(304).send();
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    return reply.type(type).send(bytes);
  };
}

function formsOf(text: string): Forms {
  const bytes = Buffer.from(text);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return {
    plain: { bytes, etag: `"${hash}"` },
    packed: { bytes: gzipSync(bytes, { level: 9 }), etag: `"${hash}-gzip"`, encoding: 'gzip' },
  };
}

/** `If-None-Match` (RFC 9110, 13.1.2), compared weakly. */
const knows = (stated: string | undefined, etag: string): boolean =>
  stated?.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, ''))) === true;
