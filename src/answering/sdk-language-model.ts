import { RAGError } from '../core/errors.js';

/**
 * A language model of the AI SDK, such as `openai('gpt-5')` of `@ai-sdk/openai`, by the parts that tell it: versions 2 and 3 of
 * the SDK's language model specification are understood. Its package is the program's own; Ragstone names no version of it.
 */
export interface SdkLanguageModel {
  readonly specificationVersion: string;
  /** `openai.responses` */
  readonly provider: string;
  /** `gpt-5` */
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

export const isSdkLanguageModel = (model: object): model is SdkLanguageModel =>
  'specificationVersion' in model && 'doStream' in model && 'modelId' in model;

/** Throws `USAGE` for a version of the specification that is not known. */
export function assertSdkVersion({ specificationVersion, provider, modelId }: SdkLanguageModel): void {
  if (specificationVersion === 'v2' || specificationVersion === 'v3') return;
  throw new RAGError(
    'USAGE',
    `The language model that is handed in (${provider}:${modelId}) follows version ${JSON.stringify(specificationVersion)} of the AI SDK's specification; versions "v2" and "v3" are known. Use a package of that version, or implement ChatModel.`,
  );
}

/** Name of a model in answers, costs and caches. */
export const sdkModelId = ({ provider, modelId }: SdkLanguageModel): string => `${provider}:${modelId}`;
