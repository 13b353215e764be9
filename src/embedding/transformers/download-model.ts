import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RAGError } from '../../core/errors.js';
import { makePrivateFolder } from '../../security/private-files.js';
import { OPTIONAL_FILES, REQUIRED_FILES } from './model-settings.js';
import { type ModelDtype, ONNX_FOLDER, onnxFileOf } from './onnx-file.js';

export interface HubOptions {
  readonly remoteHost?: string;
  readonly token?: string;
  readonly dtype?: ModelDtype;
}

const DEFAULT_HOST = 'https://huggingface.co';

/**
 * Fetches the files of a model from a hub into a folder, which appears only when it is whole.
 * @returns the folder.
 * @throws RAGError `MODEL_NOT_FOUND` when the hub does not have it or cannot be reached.
 */
export async function downloadModel(model: string, folder: string, options: HubOptions): Promise<string> {
  const unfinished = `${folder}.download-${process.pid}`;
  const fetchFile = (file: string): Promise<boolean> =>
    download(model, file, { ...options, folder: unfinished });
  try {
    for (const file of REQUIRED_FILES) {
      if (!(await fetchFile(file))) throw missing(model, file);
    }
    for (const file of OPTIONAL_FILES) await fetchFile(file);
    await downloadNetwork(model, fetchFile, options.dtype);
    await publish(unfinished, folder);
    return folder;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function downloadNetwork(
  model: string,
  fetchFile: (file: string) => Promise<boolean>,
  dtype: ModelDtype | undefined,
): Promise<void> {
  const wanted: readonly ModelDtype[] = dtype === undefined ? ['q8', 'fp32'] : [dtype];
  for (const candidate of wanted) {
    const file = `${ONNX_FOLDER}/${onnxFileOf(candidate)}`;
    if (!(await fetchFile(file))) continue;
    await fetchFile(`${file}_data`);
    return;
  }
  throw missing(model, wanted.map((candidate) => `${ONNX_FOLDER}/${onnxFileOf(candidate)}`).join(' or '));
}

/** Returns false where the hub has no such file. */
async function download(
  model: string,
  file: string,
  { folder, remoteHost = DEFAULT_HOST, token }: HubOptions & { readonly folder: string },
): Promise<boolean> {
  const url = `${remoteHost.replace(/\/$/, '')}/${model}/resolve/main/${file}`;
  try {
    const response = await fetch(url, {
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    });
    if (response.status === 404) return false;
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
    const target = join(folder, file);
    makePrivateFolder(dirname(target));
    await pipeline(Readable.fromWeb(response.body), createWriteStream(target));
    return true;
  } catch (error) {
    throw new RAGError(
      'MODEL_NOT_FOUND',
      `${file} of the model ${model} could not be fetched from ${remoteHost}. Check the id, the network and the access token, or put the model in ${folder.replace(/\.download-\d+$/, '')} by hand.`,
      { cause: error, details: { model, file } },
    );
  }
}

// Another process may have fetched the same model meanwhile: then its copy is as good.
async function publish(unfinished: string, folder: string): Promise<void> {
  makePrivateFolder(dirname(folder));
  await rename(unfinished, folder).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'EPERM') throw error;
  });
}

const missing = (model: string, file: string): RAGError =>
  new RAGError(
    'MODEL_NOT_FOUND',
    `The hub has no ${file} of the model ${model}. Check the id, or use a model that was exported to ONNX.`,
    { details: { model, file } },
  );
