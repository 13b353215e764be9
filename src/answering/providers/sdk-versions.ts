import { assertSdkVersion, type SdkLanguageModel } from '../sdk-language-model.js';
import type { LanguageModel } from './language-model.js';

type Generated = Awaited<ReturnType<LanguageModel['doGenerate']>>;
type Streamed = Awaited<ReturnType<LanguageModel['doStream']>>;
type Part = Streamed['stream'] extends ReadableStream<infer Item> ? Item : never;
type Finish = Extract<Part, { type: 'finish' }>;
type Start = Extract<Part, { type: 'stream-start' }>;

/** Where version 2 of the specification differs in what is read here. */
interface OldEnd {
  readonly finishReason: string;
  readonly usage: {
    readonly inputTokens?: number | undefined;
    readonly outputTokens?: number | undefined;
    readonly cachedInputTokens?: number | undefined;
  };
}
type OldWarning =
  | { readonly type: 'unsupported-setting'; readonly setting: string; readonly details?: string }
  | { readonly type: 'unsupported-tool'; readonly details?: string }
  | { readonly type: 'other'; readonly message: string };
type OldPart =
  | (OldEnd & { readonly type: 'finish' })
  | { readonly type: 'stream-start'; readonly warnings: readonly OldWarning[] }
  | Exclude<Part, Finish | Start>;
interface OldModel extends Omit<LanguageModel, 'doGenerate' | 'doStream'> {
  doGenerate(
    ...options: Parameters<LanguageModel['doGenerate']>
  ): PromiseLike<Omit<Generated, 'finishReason' | 'usage' | 'warnings'> & OldEnd>;
  doStream(
    ...options: Parameters<LanguageModel['doStream']>
  ): PromiseLike<Omit<Streamed, 'stream'> & { readonly stream: ReadableStream<OldPart> }>;
}

/** The model as version 3 of the specification has it. Throws `USAGE` for a version that is not known. */
export function asLanguageModel(model: SdkLanguageModel): LanguageModel {
  assertSdkVersion(model);
  // A specification is what its version says; the types of a package that is not ours cannot tell.
  return model.specificationVersion === 'v2'
    ? fromVersion2(model as unknown as OldModel)
    : (model as unknown as LanguageModel);
}

const fromVersion2 = (model: OldModel): LanguageModel => ({
  specificationVersion: 'v3',
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doGenerate: async (options) => {
    const result = await model.doGenerate(options);
    // Warnings are read of streams alone.
    return { ...result, ...newEnd(result), warnings: [] };
  },
  doStream: async (options) => {
    const result = await model.doStream(options);
    const renewed = new TransformStream<OldPart, Part>({
      transform: (part, controller) => controller.enqueue(newPart(part)),
    });
    return { ...result, stream: result.stream.pipeThrough(renewed) };
  },
});

function newPart(part: OldPart): Part {
  if (part.type === 'finish') return { type: 'finish', ...newEnd(part) };
  if (part.type === 'stream-start') return { type: 'stream-start', warnings: part.warnings.map(newWarning) };
  return part;
}

const REASONS = ['stop', 'length', 'content-filter', 'tool-calls', 'error'] as const;

function newEnd({ finishReason, usage }: OldEnd): Pick<Finish, 'finishReason' | 'usage'> {
  const { inputTokens, outputTokens, cachedInputTokens: cacheRead } = usage;
  return {
    finishReason: {
      unified: REASONS.find((reason) => reason === finishReason) ?? 'other',
      // What a package says where the provider said nothing.
      raw: finishReason === 'unknown' ? undefined : finishReason,
    },
    usage: {
      inputTokens: { total: inputTokens, noCache: undefined, cacheRead, cacheWrite: undefined },
      outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
    },
  };
}

function newWarning(warning: OldWarning): Start['warnings'][number] {
  if (warning.type === 'other') return { type: 'other', message: warning.message };
  const feature = warning.type === 'unsupported-setting' ? warning.setting : 'tool';
  const { details } = warning;
  return { type: 'unsupported', feature, ...(details === undefined ? {} : { details }) };
}
