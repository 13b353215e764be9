import type { ChatModel } from '../../core/chat-model.js';
import type { CallEstimate } from '../../operations/extraction-types.js';

/** What calls that a model answered took. */
export interface MeasuredCalls {
  readonly calls: number;
  readonly outputTokens: number;
  readonly ms: number;
}

/** So many say what the next ones take. */
const ENOUGH_CALLS = 10;

/** What calls will take. Nothing is sent. */
export function estimateCalls(
  { calls, inputTokens }: { readonly calls: number; readonly inputTokens: number },
  {
    model,
    measured,
    assumedOutput,
    concurrency,
  }: {
    readonly model: Pick<ChatModel, 'priceOf'> | undefined;
    readonly measured: MeasuredCalls;
    /** Tokens that a call writes, where it is not known. */
    readonly assumedOutput: number;
    readonly concurrency: number;
  },
): CallEstimate {
  const isKnown = measured.calls >= ENOUGH_CALLS;
  const each = isKnown ? measured.outputTokens / measured.calls : assumedOutput;
  const outputTokens = Math.round(calls * each);
  const cost = model?.priceOf?.({ inputTokens, outputTokens });
  return {
    calls,
    inputTokens,
    outputTokens,
    outputBasis: isKnown ? 'measured' : 'assumed',
    ...(cost === undefined ? {} : { cost }),
    ...(measured.calls === 0
      ? {}
      : {
          ms: Math.round(
            ((measured.ms / measured.calls) * calls) / Math.max(1, Math.min(concurrency, calls)),
          ),
        }),
  };
}
