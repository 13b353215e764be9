import { readdir, rename, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import * as z from 'zod';
import { DATA_FILES, DATA_FOLDERS } from '../core/data-folder.js';
import { messageOf, RAGError, systemErrorCode } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import type { DownloadProgress, HubOptions } from '../embedding/transformers/download-model.js';
import { RECOMMENDED_MODELS, type RecommendedModel } from '../embedding/transformers/recommended-models.js';
import { makePrivateFolder, PRIVATE_FILE } from '../platform/security/private-files.js';
import { readRegularText } from '../platform/security/regular-file.js';

export type { DownloadProgress };

/** A local model that the configuration may name. */
export interface KnownModel {
  readonly name: string;
  /** Absolute folder. */
  readonly path: string;
  /** False where the folder is gone or lacks a part of the model. */
  readonly isUsable: boolean;
}

const registrySchema = z.record(z.string(), z.strictObject({ path: z.string() }));

/** Folder where models that are fetched from the hub are kept. */
export const modelCacheDir = (dataDir: string): string => join(dataDir, DATA_FOLDERS.models);

/** Models added with `ragstone model add`, by name. */
export async function listModels(dataDir: string): Promise<KnownModel[]> {
  const registry = await readRegistry(dataDir);
  const models = Object.entries(registry).map(async ([name, { path }]) => ({
    name,
    path,
    isUsable: (await missingModelParts(path)).length === 0,
  }));
  return (await Promise.all(models)).sort((left, right) => (left.name < right.name ? -1 : 1));
}

/**
 * Makes a model folder known under its own name. The folder stays where it is.
 *
 * @throws RAGError `MODEL_INVALID` where the folder lacks a part of an ONNX model, `MODEL_NOT_FOUND` where there is none.
 */
export async function addModel(dataDir: string, folder: string): Promise<KnownModel> {
  const path = resolve(folder);
  if (!(await isFolder(path)))
    throw new RAGError(
      'MODEL_NOT_FOUND',
      `There is no folder ${path}. Name the folder that holds the model's config.json.`,
      {
        details: { path },
      },
    );
  await checkModelFolder(path);
  const name = basename(path);
  const registry = await readRegistry(dataDir);
  makePrivateFolder(dataDir);
  const file = join(dataDir, DATA_FILES.modelRegistry);
  const draft = `${file}.${runtime().uniqueName()}.tmp`;
  await writeFile(draft, `${JSON.stringify({ ...registry, [name]: { path } }, null, 2)}\n`, {
    mode: PRIVATE_FILE,
    flag: 'wx',
  });
  await rename(draft, file);
  return { name, path, isUsable: true };
}

/** @throws RAGError `MODEL_INVALID` where the folder lacks a part of an ONNX model. */
export async function checkModelFolder(path: string): Promise<void> {
  const missing = await missingModelParts(path);
  if (missing.length === 0) return;
  throw new RAGError(
    'MODEL_INVALID',
    `${path} is not an ONNX model folder: it lacks ${missing.join(' and ')}.`,
    {
      details: { path, missing },
    },
  );
}

async function readRegistry(dataDir: string): Promise<z.output<typeof registrySchema>> {
  const file = join(dataDir, DATA_FILES.modelRegistry);
  try {
    return registrySchema.parse(JSON.parse(await readRegularText(file)));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' || systemErrorCode(error) === 'ENOTDIR') return {};
    throw new RAGError('CONFIG_INVALID', `${file} cannot be read. Delete it and add the models again.`, {
      cause: error,
      details: { file },
    });
  }
}

/** What an ONNX model folder in the layout of transformers.js lacks. */
export async function missingModelParts(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const networks = await readdir(join(folder, 'onnx')).catch((): string[] => []);
  const missing = ['config.json', 'tokenizer.json'].filter((name) => !names.includes(name));
  if (![...names, ...networks].some((name) => name.endsWith('.onnx'))) missing.push('an .onnx file');
  return missing;
}

/** Whether a package can be loaded here. */
export function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch (error) {
    // What is there and has no CommonJS form has another code.
    return systemErrorCode(error) !== 'MODULE_NOT_FOUND';
  }
}

/** A model that is recommended, by its name or its id on the hub. */
export const recommendedModel = (name: string): RecommendedModel | undefined =>
  RECOMMENDED_MODELS.find((model) => model.name === name || model.id === name);

/** A recommended model, and where it is once it was fetched. */
export interface ListedModel {
  readonly name: string;
  readonly id: string;
  readonly languages: string;
  readonly megabytes: number;
  readonly purpose: string;
  readonly isReranker: boolean;
  readonly path: string | null;
}

/** What `ragstone model use` knows by its name. */
export const listRecommended = (dataDir: string): Promise<ListedModel[]> =>
  Promise.all(
    RECOMMENDED_MODELS.map(async ({ pinned: _, isReranker = false, ...model }) => {
      const path = join(modelCacheDir(dataDir), ...model.id.split('/'));
      return { ...model, isReranker, path: (await isFolder(path)) ? path : null };
    }),
  );

/**
 * The folder of a model of the hub, which is fetched where it is not there.
 *
 * @throws RAGError `MODEL_NOT_FOUND`, `MODEL_INVALID`
 */
export async function fetchModel(dataDir: string, id: string, options: HubOptions): Promise<string> {
  const { findModelFolder } = await import('../embedding/transformers/find-model-folder.js');
  return findModelFolder(id, { ...options, allowRemote: true, cacheDir: modelCacheDir(dataDir) });
}

/**
 * The SHA-256 of a folder's network, whether it is a classifier, which reranks, and why it cannot be run without a package; undefined where it can.
 *
 * @throws RAGError `MODEL_NOT_FOUND`, `MODEL_INVALID`
 */
export async function examineModel(folder: string): Promise<{
  readonly sha256: string;
  readonly isClassifier: boolean;
  readonly problem: string | undefined;
}> {
  const { readModelSettings } = await import('../embedding/transformers/model-settings.js');
  const { readBertModel } = await import('../embedding/transformers/bert-model.js');
  const settings = await readModelSettings(folder);
  const problem = await readBertModel(settings).then(() => undefined, messageOf);
  const { sha256, isClassifier } = settings;
  return { sha256, isClassifier, problem };
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
