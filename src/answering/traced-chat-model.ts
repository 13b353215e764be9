import {
  type ChatEvent,
  type ChatModel,
  type ChatRequest,
  type ChatUsage,
  ENDED_EARLY,
} from '../core/chat-model.js';
import { RAGError } from '../core/errors.js';
import { openSpan, type TelemetryPayloads } from '../core/telemetry.js';

/** The model, each of its calls published (`TelemetryPayloads.chat`). */
export function tracedChatModel(model: ChatModel): ChatModel {
  const { id, contextWindow } = model;
  return {
    id,
    contextWindow,
    stream: (request) => tracedStream(model, request),
    generateObject: async (request, schema) => {
      const payload: TelemetryPayloads['chat'] = { model: id };
      const span = openSpan('chat', payload);
      try {
        const outcome = await span.run(() => model.generateObject(request, schema));
        countUsage(payload, outcome.usage);
        span.end();
        return outcome;
      } catch (error) {
        span.end(error);
        throw error;
      }
    },
    ...(model.priceOf === undefined ? {} : { priceOf: (tokens) => model.priceOf?.(tokens) }),
    close: () => model.close(),
  };
}

async function* tracedStream(model: ChatModel, request: ChatRequest): AsyncGenerator<ChatEvent> {
  const payload: TelemetryPayloads['chat'] = { model: model.id };
  const span = openSpan('chat', payload);
  const { signal } = request;
  // A model that is late may be deaf to signals, and then its stream never ends.
  const endLate = (): void => {
    if (isChatFailure(signal?.reason)) span.end(signal?.reason);
  };
  signal?.addEventListener('abort', endLate, { once: true });
  const events = span.run(() => model.stream(request)[Symbol.asyncIterator]());
  // A stopped call is told in the way of the model; nothing failed.
  const breakOff = (failure: unknown): void => {
    span.end(signal?.aborted === true ? new RAGError('ABORTED', 'The call was stopped.') : failure);
  };
  try {
    for (;;) {
      const next = await span.run(() => events.next());
      if (next.done === true) {
        breakOff(new RAGError('CHAT_UNAVAILABLE', ENDED_EARLY));
        break;
      }
      if (next.value.type === 'finish') {
        const { reason, usage, detail = ENDED_EARLY } = next.value;
        payload.finishReason = reason;
        countUsage(payload, usage);
        if (reason === 'interrupted') breakOff(new RAGError('CHAT_UNAVAILABLE', detail));
        else span.end();
      }
      yield next.value;
    }
  } catch (error) {
    breakOff(error);
    throw error;
  } finally {
    signal?.removeEventListener('abort', endLate);
    // Leaving the loop ends the call.
    await events.return?.();
    span.end();
  }
}

const isChatFailure = (reason: unknown): boolean =>
  RAGError.isInstance(reason) && reason.reason.startsWith('CHAT_');

function countUsage(payload: TelemetryPayloads['chat'], usage: ChatUsage | undefined): void {
  if (usage === undefined) return;
  payload.inputTokens = usage.inputTokens;
  payload.outputTokens = usage.outputTokens;
}
