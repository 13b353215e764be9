import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import {
  assertOpenableFiles,
  openRegularFile,
  readRegularText,
} from '../../platform/security/regular-file.js';
import { findOnnxFile, type ModelDtype, ONNX_FOLDER, type OnnxFile } from './onnx-file.js';
import type { Pooling } from './pooling.js';

const CONFIG_FILE = 'config.json';
const TOKENIZER_FILE = 'tokenizer.json';
const TOKENIZER_CONFIG_FILE = 'tokenizer_config.json';
export const REQUIRED_FILES = [CONFIG_FILE, TOKENIZER_FILE, TOKENIZER_CONFIG_FILE] as const;
export const OPTIONAL_FILES = ['modules.json', 'sentence_bert_config.json', '1_Pooling/config.json'] as const;

const configSchema = z.object({
  hidden_size: z.number().int().positive().optional(),
  dim: z.number().int().positive().optional(),
  d_model: z.number().int().positive().optional(),
  max_position_embeddings: z.number().int().positive().optional(),
  architectures: z.array(z.string()).nullish(),
});
const sentenceConfigSchema = z.object({ max_seq_length: z.number().int().positive().nullish() });
const tokenizerConfigSchema = z.object({ model_max_length: z.number().positive().nullish() });
const poolingSchema = z.object({
  pooling_mode_cls_token: z.boolean().optional(),
  pooling_mode_mean_tokens: z.boolean().optional(),
  pooling_mode_lasttoken: z.boolean().optional(),
});
const modulesSchema = z.array(z.object({ type: z.string() }));

/** What a model's own files say about how to use it. */
export interface ModelSettings {
  readonly folder: string;
  /** Last part of the folder's name, so that a model keeps its name when it is moved. */
  readonly name: string;
  readonly dimensions: number;
  /** Special tokens included. */
  readonly maxInputTokens: number;
  readonly pooling: Pooling;
  /** A sequence classifier, which gives logits and no vectors. */
  readonly isClassifier: boolean;
  readonly onnx: OnnxFile;
  /** SHA-256 over configuration, tokenizer and network. */
  readonly revision: string;
  /** Of the network's file. */
  readonly sha256: string;
}

export interface ModelOverrides {
  readonly dtype?: ModelDtype;
  readonly maxInputTokens?: number;
  readonly pooling?: Pooling;
  /** What the network's file has to have. @default any */
  readonly sha256?: string;
}

/**
 * Reads a model's folder. The length comes from `sentence_bert_config.json`, where the model's authors wrote the one it
 * was trained with; `tokenizer.json` often carries another one left over from some export and is not asked.
 * @throws RAGError `MODEL_NOT_FOUND` for missing files, `MODEL_INVALID` for files that say nothing usable.
 */
export async function readModelSettings(
  folder: string,
  overrides: ModelOverrides = {},
): Promise<ModelSettings> {
  refuseOtherThanFiles(folder);
  for (const file of REQUIRED_FILES) await readText(folder, file, { isRequired: true });
  const config = await readJson(folder, CONFIG_FILE, configSchema);
  await refuseUnknownModules(folder);
  const sentence = await readJson(folder, 'sentence_bert_config.json', sentenceConfigSchema);
  const dimensions = config?.hidden_size ?? config?.dim ?? config?.d_model;
  if (dimensions === undefined) throw invalid(folder, `${CONFIG_FILE} does not say the hidden size`);
  const isClassifier =
    config?.architectures?.some((name) => name.endsWith('ForSequenceClassification')) ?? false;
  const onnx = await findOnnxFile(folder, overrides.dtype);
  const hashes = await Promise.all(
    [CONFIG_FILE, TOKENIZER_FILE, ...onnx.files].map((file) => hashOf(join(folder, file))),
  );
  const sha256 = hashes[2]?.toString('hex') ?? '';
  if (overrides.sha256 !== undefined && overrides.sha256 !== sha256)
    throw invalid(
      folder,
      `the SHA-256 of ${onnx.files[0]} is ${sha256}, and ${overrides.sha256} is wanted. Fetch the model again, or correct the setting sha256 where the change is meant`,
    );
  return {
    folder,
    name: basename(folder),
    dimensions,
    maxInputTokens: maxInputTokensOf(folder, overrides, [
      sentence?.max_seq_length ??
        (isClassifier ? await readTruncation(folder, config?.max_position_embeddings) : undefined),
      config?.max_position_embeddings,
    ]),
    pooling: overrides.pooling ?? (await readPooling(folder)),
    isClassifier,
    onnx,
    revision: revisionOf(hashes),
    sha256,
  };
}

function maxInputTokensOf(
  folder: string,
  overrides: ModelOverrides,
  [trained, positions]: readonly [number | null | undefined, number | undefined],
): number {
  const length = overrides.maxInputTokens ?? trained ?? positions;
  if (length === undefined) {
    throw invalid(folder, 'its files do not say how many tokens it reads; set maxInputTokens');
  }
  if (positions !== undefined && length > positions) {
    throw invalid(folder, `maxInputTokens is ${length}, but the network reads at most ${positions} tokens`);
  }
  return length;
}

/** Where the tokenizer of a classifier cuts, which has no `sentence_bert_config.json`; some state a number without a meaning. */
async function readTruncation(folder: string, positions = 0): Promise<number | undefined> {
  const length = (await readJson(folder, TOKENIZER_CONFIG_FILE, tokenizerConfigSchema))?.model_max_length;
  return (length ?? positions) < positions ? (length ?? undefined) : undefined;
}

async function readPooling(folder: string): Promise<Pooling> {
  const file = '1_Pooling/config.json';
  const config = await readJson(folder, file, poolingSchema);
  if (config === undefined) return 'mean';
  if (config.pooling_mode_mean_tokens === true) return 'mean';
  if (config.pooling_mode_cls_token === true) return 'cls';
  if (config.pooling_mode_lasttoken === true) return 'last-token';
  throw invalid(folder, `${file} asks for a pooling other than mean, cls or last token`);
}

// A dense layer after pooling is kept outside the network: leaving it out would give vectors that mean nothing.
async function refuseUnknownModules(folder: string): Promise<void> {
  const modules = await readJson(folder, 'modules.json', modulesSchema);
  const unknown = modules?.find(({ type }) => !/\.(?:Transformer|Pooling|Normalize)$/.test(type));
  if (unknown !== undefined)
    throw invalid(folder, `modules.json asks for ${unknown.type}, which is not supported`);
}

async function readJson<T>(folder: string, file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readText(folder, file, { isRequired: false });
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw invalid(folder, `${file} is not the JSON it should be`, error);
  }
}

/** The runtime opens files by their names. */
function refuseOtherThanFiles(folder: string): void {
  try {
    for (const part of [folder, join(folder, ONNX_FOLDER)]) assertOpenableFiles(part);
  } catch (error) {
    throw invalid(folder, 'it holds what is no file', error);
  }
}

async function readText(
  folder: string,
  file: string,
  { isRequired }: { readonly isRequired: boolean },
): Promise<string | undefined> {
  try {
    return await readRegularText(join(folder, file));
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw invalid(folder, `${file} cannot be read`, error);
    if (!isRequired) return undefined;
    throw new RAGError(
      'MODEL_NOT_FOUND',
      `The model folder ${folder} has no ${file}. It should hold ${REQUIRED_FILES.join(', ')} and a folder onnx, as transformers.js reads them.`,
      { cause: error, details: { folder, file } },
    );
  }
}

/** SHA-256 of a file. */
export async function hashOf(path: string): Promise<Buffer> {
  const hash = createHash('sha256');
  const { handle } = await openRegularFile(path);
  await pipeline(handle.createReadStream(), hash);
  return hash.digest();
}

/** Digests have one length, so that no two lists of files can look alike. */
function revisionOf(hashes: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const one of hashes) hash.update(one);
  return hash.digest('hex').slice(0, 32);
}

const invalid = (folder: string, problem: string, cause?: unknown): RAGError =>
  new RAGError('MODEL_INVALID', `The model in ${folder} cannot be used: ${problem}.`, {
    cause,
    details: { folder },
  });
