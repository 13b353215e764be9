import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemOf } from './problem.js';
import { logFailure, reasonOfStop } from './request-signal.js';

export const EVENT_STREAM = 'text/event-stream';

/** One event of a stream (HTML Standard, 9.2). */
export interface SentEvent {
  readonly name: string;
  readonly data: unknown;
}

const eventOf = ({ name, data }: SentEvent): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** Sends events as they come about; a failure on the way is the last of them. */
export function sendEvents(
  events: AsyncIterable<SentEvent>,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): FastifyReply {
  async function* lines(): AsyncGenerator<string> {
    try {
      for await (const event of events) yield eventOf(event);
    } catch (error) {
      const cause = reasonOfStop(error, request.ragstone?.signal);
      logFailure(request, cause, 'a stream broke');
      const problem = problemOf(cause, request.id);
      if (request.audit) request.audit.reason = problem.reason;
      yield eventOf({ name: 'error', data: problem });
    }
  }
  return reply.type(EVENT_STREAM).header('cache-control', 'no-store').send(Readable.from(lines()));
}
