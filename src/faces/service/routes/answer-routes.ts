import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import * as z from 'zod';
import {
  type Answer,
  type AnswerEvent,
  type AskRequest,
  type EngineView,
  type NoticeKind,
  RAGError,
} from '../../../index.js';
import { ROUTES } from '../../client/routes.js';
import { MOST_CONVERSATION_BYTES } from '../requests/body-limits.js';
import { EVENT_STREAM, type SentEvent, sendEvents } from '../requests/event-stream.js';
import {
  answerEvents,
  answerRequest,
  answerResponse,
  chatRequest,
  chatResponse,
  contextRequest,
  contextResponse,
} from '../schemas/answers.js';
import { jsonOf, takeFilters } from '../schemas/common.js';
import { serve } from './serve.js';

/** Whether the caller asks for events rather than for one document. */
const wantsEvents = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.split(',').some((type) => type.trim().split(';')[0] === EVENT_STREAM) ?? false;

/** Events of an answer, with declared fields alone. */
async function* publicEvents(
  events: AsyncIterable<AnswerEvent>,
  requestId: string,
): AsyncGenerator<SentEvent> {
  for await (const event of events) {
    const name = event.type;
    if (name === 'answer') yield { name, data: answerEvents.answer.parse({ ...event.answer, requestId }) };
    else yield { name, data: answerEvents[name].parse(event) };
  }
}

const eventStream = {
  [EVENT_STREAM]: {
    schema: z
      .string()
      .describe(
        'Where `accept` asks for it: events `start`, `text`, `reset` and at the end `answer`, or `error`.',
      ),
  },
};

/** Asks an index. Throws `REQUEST_INVALID` where a language model is insisted on and none is set up. */
async function askIndex(view: EngineView, request: AskRequest): Promise<Answer> {
  try {
    return await view.ask(request);
  } catch (error) {
    throw refusalOf(error, request);
  }
}

/** The same as it comes about. */
async function* askIndexStream(view: EngineView, request: AskRequest): AsyncGenerator<AnswerEvent> {
  try {
    yield* view.askStream(request);
  } catch (error) {
    throw refusalOf(error, request);
  }
}

function refusalOf(error: unknown, { answerer }: AskRequest): unknown {
  const isNoModel =
    answerer === 'chat' &&
    RAGError.isInstance(error) &&
    error.reason === 'CONFIG_INVALID' &&
    error.details?.key === 'rag.chat.model';
  if (!isNoModel) return error;
  return new RAGError(
    'REQUEST_INVALID',
    'The body has a wrong "answerer": this service has no language model. Take `auto` or `extractive`.',
    { cause: error },
  );
}

/** Answers and the context for them. */
export const answerRoutes: FastifyPluginAsync = async (app) => {
  serve(app, {
    route: ROUTES.answer,
    access: 'read',
    limit: 'ai-answer',
    bodyLimit: MOST_CONVERSATION_BYTES,
    tags: ['Answers'],
    summary: 'Answer a question with citations, or say that nothing tells of it',
    body: answerRequest,
    response: {
      description: 'An answer whose sentences were checked against what they cite.',
      content: { 'application/json': { schema: answerResponse }, ...eventStream },
    },
    answer: async ({ body, view, signal, request, reply }) => {
      const { collapse, ...question } = takeFilters(body);
      const asked = { ...question, options: { collapse }, signal };
      if (wantsEvents(request))
        return sendEvents(publicEvents(askIndexStream(view, asked), request.id), { request, reply });
      return { ...(await askIndex(view, asked)), requestId: request.id };
    },
  });

  serve(app, {
    route: ROUTES.context,
    access: 'read',
    limit: 'ai-search',
    tags: ['Answers'],
    summary: 'Cited context for a language model of your own, under a budget of tokens',
    body: contextRequest,
    response: jsonOf('Numbered passages, as Markdown.', contextResponse),
    answer: async ({ body, view, signal }) => {
      const { query, ...rest } = takeFilters(body);
      const pack = await view.context({ ...rest, text: query, signal });
      const flagsOf = (entry: (typeof pack.entries)[number]) => [
        ...new Set(entry.flags.flatMap(({ signals }) => signals)),
      ];
      return { ...pack, entries: pack.entries.map((entry) => ({ ...entry, flags: flagsOf(entry) })) };
    },
  });
};

/** What is said of sentences that are marked or were removed, and of an answer that is not whole or not the model's. */
const ANSWER_NOTICES: ReadonlySet<NoticeKind | undefined> = new Set([
  'answer-incomplete',
  'model-failed',
  'sentences-unsupported',
  'sentences-removed',
  'answer-removed',
]);

/** `POST /chat`, with the bodies of a chat over bug reports. */
export const chatRoutes: FastifyPluginAsync = async (app) => {
  serve(app, {
    route: ROUTES.chat,
    access: 'read',
    limit: 'ai-answer',
    bodyLimit: MOST_CONVERSATION_BYTES,
    tags: ['Answers'],
    summary: 'Answer a message of a conversation',
    body: chatRequest,
    response: {
      description: 'The answer and the passages that it rests on.',
      content: { 'application/json': { schema: chatResponse }, ...eventStream },
    },
    answer: async ({ body, view, signal, request, reply }) => {
      const asked = { ...body, signal };
      if (wantsEvents(request))
        return sendEvents(publicEvents(view.askStream(asked), request.id), { request, reply });
      const answer = await view.ask(asked);
      // The body has the facts that such chats agreed on, and what they cannot know of the text.
      reply.header('x-degradation-level', String(answer.degradationLevel));
      const { notices: _, ...rest } = answer;
      const told = answer.notices.filter((__, at) => ANSWER_NOTICES.has(answer.noticeKinds[at]));
      return told.length === 0 ? rest : { ...rest, notices: told };
    },
  });
};
