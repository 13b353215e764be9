import type { ChatEvent, ChatModel, ChatRequest, ChatUsage } from '../core/chat-model.js';
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
  const events = span.run(() => model.stream(request)[Symbol.asyncIterator]());
  try {
    for (;;) {
      const next = await span.run(() => events.next());
      if (next.done === true) break;
      if (next.value.type === 'finish') {
        payload.finishReason = next.value.reason;
        countUsage(payload, next.value.usage);
      }
      yield next.value;
    }
  } catch (error) {
    span.end(error);
    throw error;
  } finally {
    // Whoever leaves the loop ends the call.
    await events.return?.();
    span.end();
  }
}

function countUsage(payload: TelemetryPayloads['chat'], usage: ChatUsage | undefined): void {
  if (usage === undefined) return;
  payload.inputTokens = usage.inputTokens;
  payload.outputTokens = usage.outputTokens;
}
