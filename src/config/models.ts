import { readdir, rename, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import * as z from 'zod';
import { DATA_FILES, DATA_FOLDERS } from '../core/data-folder.js';
import { RAGError, systemErrorCode } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import { makePrivateFolder, PRIVATE_FILE } from '../security/private-files.js';
import { readRegularText } from '../security/regular-file.js';

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

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
