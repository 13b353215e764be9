import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerEvent } from '../../index.js';
import { problemOf } from '../requests/problem.js';
import { logFailure, reasonOfStop } from '../requests/request-signal.js';
import { answerEvents } from '../schemas/answers.js';

export const EVENT_STREAM = 'text/event-stream';

/** Whether the caller asks for events rather than for one document. */
export const wantsEvents = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.split(',').some((type) => type.trim().split(';')[0] === EVENT_STREAM) ?? false;

/** One event of a stream (HTML Standard, 9.2). */
const eventOf = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

interface SentEvent {
  readonly name: string;
  readonly data: unknown;
}

/** Sends events as they come about; a failure on the way is the last of them. */
export function sendEvents(
  events: AsyncIterable<SentEvent>,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): FastifyReply {
  async function* lines(): AsyncGenerator<string> {
    try {
      for await (const { name, data } of events) yield eventOf(name, data);
    } catch (error) {
      const cause = reasonOfStop(error, request.ragstone?.signal);
      logFailure(request, cause, 'a stream broke');
      const problem = problemOf(cause, request.id);
      if (request.audit) request.audit.reason = problem.reason;
      yield eventOf('error', problem);
    }
  }
  return reply.type(EVENT_STREAM).header('cache-control', 'no-store').send(Readable.from(lines()));
}

/** Events of an answer, with declared fields alone. */
export async function* publicEvents(
  events: AsyncIterable<AnswerEvent>,
  requestId: string,
): AsyncGenerator<SentEvent> {
  for await (const event of events) {
    const name = event.type;
    if (name === 'answer') yield { name, data: answerEvents.answer.parse({ ...event.answer, requestId }) };
    else yield { name, data: answerEvents[name].parse(event) };
  }
}
