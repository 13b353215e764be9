import type { ChatFinishReason, ChatUsage } from '../../core/chat-model.js';
import { ConnectionCutError } from '../../platform/providers/call-failure.js';
import { orAborted, SilenceTimer } from './call-clock.js';
import type { LanguageModel } from './language-model.js';

/** What one call gives, told apart from what providers add to it. */
export type AnswerPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'end';
      readonly reason: Exclude<ChatFinishReason, 'interrupted'>;
      readonly tokens: CountedTokens | undefined;
      readonly notices: readonly string[];
    };

/** Tokens of a call; `inputTokens` are all of them, and the two others parts of it. */
export interface CountedTokens extends Omit<ChatUsage, 'cost'> {
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

type CallOptions = Parameters<LanguageModel['doStream']>[0];
type StreamPart =
  Awaited<ReturnType<LanguageModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
type FinishPart = Extract<StreamPart, { type: 'finish' }>;

/**
 * One call to a model: text as it comes, then one `end`. Throws whatever the provider's package throws or sends as an error;
 * leaving the loop cuts the connection.
 */
export async function* readParts(
  model: LanguageModel,
  options: CallOptions,
  { signal, silenceMs }: { readonly signal: AbortSignal; readonly silenceMs: number },
): AsyncGenerator<AnswerPart> {
  const silence = new SilenceTimer(silenceMs);
  const abort = new AbortController();
  const either = AbortSignal.any([signal, silence.signal, abort.signal]);
  const notices: string[] = [];
  try {
    const { stream, response } = await orAborted(model.doStream({ ...options, abortSignal: either }), either);
    refusePage(response?.headers?.['content-type']);
    const reader = stream.getReader();
    for (;;) {
      const { done, value: part } = await orAborted(reader.read(), either);
      silence.heard();
      if (done) throw new ConnectionCutError('the connection ended before the answer did');
      if (part.type === 'error') throw part.error;
      if (part.type === 'stream-start') notices.push(...part.warnings.map(describeWarning));
      if (part.type === 'text-delta' && part.delta !== '') yield { type: 'text', text: part.delta };
      if (part.type === 'finish') {
        yield { type: 'end', reason: reasonOf(part), tokens: tokensOf(part.usage), notices };
        return;
      }
    }
  } finally {
    silence.stop();
    abort.abort();
  }
}

/** A proxy's or a portal's page, with status 200, reads like a stream without events. */
function refusePage(contentType: string | undefined): void {
  if (contentType?.includes('text/html') === true) throw new Error('a web page came instead of an answer');
}

function reasonOf({ finishReason: { unified, raw } }: FinishPart): Exclude<ChatFinishReason, 'interrupted'> {
  if (unified === 'length' || unified === 'content-filter') return unified;
  // A package that never saw the provider's own reason makes one up: the stream ended without it.
  if (raw === undefined) throw new ConnectionCutError('the answer ended without its last event');
  return 'stop';
}

/** Tokens of a call; undefined where the provider does not say, or says what cannot be: limits are counted by them. */
export function tokensOf({ inputTokens, outputTokens }: FinishPart['usage']): CountedTokens | undefined {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return undefined;
  const counted = {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    cacheRead: inputTokens.cacheRead ?? 0,
    cacheWrite: inputTokens.cacheWrite ?? 0,
  };
  const isPossible =
    Object.values(counted).every((count) => Number.isFinite(count) && count >= 0) &&
    counted.cacheRead + counted.cacheWrite <= counted.inputTokens;
  return isPossible ? counted : undefined;
}

type Warning = Extract<StreamPart, { type: 'stream-start' }>['warnings'][number];

/** A package's warning as a notice. */
export function describeWarning(warning: Warning): string {
  if (warning.type === 'other') return warning.message;
  const { type, feature, details } = warning;
  return `${type}: ${feature}${details === undefined ? '' : ` (${details})`}`;
}
