import { appendFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf, RAGError, systemErrorCode, throwIfAborted } from '../../core/errors.js';
import { sharedLoad } from '../../core/shared-load.js';
import { makePrivateFolder, PRIVATE_FILE } from '../../platform/security/private-files.js';
import { hashOf, OPTIONAL_FILES, REQUIRED_FILES } from './model-settings.js';
import { type ModelDtype, ONNX_FOLDER, onnxFileOf } from './onnx-file.js';
import { type PinnedFile, RECOMMENDED_MODELS, type RecommendedModel } from './recommended-models.js';

/** How much of a file has arrived, in bytes. */
export interface DownloadProgress {
  readonly file: string;
  readonly done: number;
  /** Absent where the server does not say it. */
  readonly total: number | undefined;
}

export interface HubOptions {
  /** Server of hub ids. @default 'https://huggingface.co' */
  readonly remoteHost?: string;
  /** Sent as a bearer token, for private models. */
  readonly token?: string;
  /** Number format of the network. @default q8, else what there is */
  readonly dtype?: ModelDtype;
  readonly onProgress?: (progress: DownloadProgress) => void;
  readonly signal?: AbortSignal;
}

const DEFAULT_HOST = 'https://huggingface.co';
const MEGABYTE = 1_000_000;

const downloads = new Map<string, Promise<string>>();

/**
 * Fetches the files of a model from a hub into a folder, which appears only when it is whole. Those of a recommended model are of one commit and
 * have to have its hashes; what is broken off goes on where it was.
 *
 * @returns the folder.
 * @throws RAGError `MODEL_NOT_FOUND` when the hub does not have it or cannot be reached, `MODEL_INVALID` for other files than were pinned.
 */
export function downloadModel(
  model: string,
  folder: string,
  options: HubOptions,
  recommended = RECOMMENDED_MODELS,
): Promise<string> {
  const pinned = recommended.find(({ id }) => id === model)?.pinned;
  return sharedLoad(downloads, folder, async () => {
    try {
      if (pinned === undefined) await downloadNewest(model, folder, options);
      else await downloadPinned(model, folder, { ...options, ...pinned });
      return folder;
    } finally {
      downloads.delete(folder);
    }
  });
}

async function downloadNewest(model: string, folder: string, options: HubOptions): Promise<void> {
  const unfinished = `${folder}.download-${process.pid}`;
  const fetchFile = async (file: string): Promise<boolean> => {
    try {
      return await fetchTo(join(unfinished, file), { ...options, model, file, revision: 'main' });
    } catch (error) {
      throw unreachable(error, model, file, options);
    }
  };
  try {
    for (const file of REQUIRED_FILES) {
      if (!(await fetchFile(file))) throw missing(model, file);
    }
    for (const file of OPTIONAL_FILES) await fetchFile(file);
    await downloadNetwork(model, fetchFile, options.dtype);
    await publish(unfinished, folder);
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

type Pinned = NonNullable<RecommendedModel['pinned']>;

async function downloadPinned(model: string, folder: string, options: HubOptions & Pinned): Promise<void> {
  const unfinished = `${folder}.download`;
  for (const [file, expected] of Object.entries(options.files)) {
    const target = join(unfinished, file);
    if ((await sizeOf(target)) === expected.bytes) continue;
    const part = `${target}.part`;
    try {
      if (!(await fetchTo(part, { ...options, model, file, expected }))) throw missing(model, file);
    } catch (error) {
      const kept = await sizeOf(part);
      if (kept === 0 || RAGError.isInstance(error)) await rm(unfinished, { recursive: true, force: true });
      throw unreachable(error, model, file, { ...options, kept });
    }
    await checkFile(part, { ...expected, model, file, unfinished });
    await rename(part, target);
  }
  const length = JSON.stringify({ max_seq_length: options.maxInputTokens });
  await writeFile(join(unfinished, 'sentence_bert_config.json'), `${length}\n`, { mode: PRIVATE_FILE });
  await publish(unfinished, folder);
}

async function checkFile(
  path: string,
  { bytes, sha256, model, file, unfinished }: PinnedFile & Record<'model' | 'file' | 'unfinished', string>,
): Promise<void> {
  const size = await sizeOf(path);
  const found = (await hashOf(path)).toString('hex');
  if (size === bytes && found === sha256) return;
  await rm(unfinished, { recursive: true, force: true });
  throw otherFile(
    model,
    file,
    `${size} bytes with the SHA-256 ${found}, where ${bytes} bytes with ${sha256} are expected`,
  );
}

const otherFile = (model: string, file: string, difference: string): RAGError =>
  new RAGError(
    'MODEL_INVALID',
    `What arrived as ${file} of the model ${model} is another file: ${difference}. It was deleted. Try again, and ask who runs the server where it stays so.`,
    { details: { model, file } },
  );

interface FileToFetch extends HubOptions {
  readonly model: string;
  readonly file: string;
  readonly revision: string;
  /** A file that is known goes on where it was broken off, and ends at its length. */
  readonly expected?: PinnedFile;
}

/** Returns false where the hub has no such file. */
async function fetchTo(
  target: string,
  { model, file, revision, remoteHost = DEFAULT_HOST, token, expected, onProgress, signal }: FileToFetch,
): Promise<boolean> {
  const start = expected === undefined ? 0 : await sizeOf(target);
  if (start > 0 && start === expected?.bytes) return true;
  const url = `${remoteHost.replace(/\/$/, '')}/${model}/resolve/${revision}/${file}`;
  const response = await fetch(url, {
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(start > 0 ? { Range: `bytes=${start}-` } : {}),
    },
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.status === 404) return false;
  if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
  const goesOn =
    response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${start}-`);
  if (response.status === 206 && goesOn !== true) throw new Error('it sent another part than was asked for');
  let done = goesOn === true ? start : 0;
  const announced = Number(response.headers.get('content-length') ?? 'NaN');
  const total = expected?.bytes ?? (Number.isFinite(announced) ? announced : undefined);
  makePrivateFolder(dirname(target));
  if (goesOn !== true) await writeFile(target, '', { mode: PRIVATE_FILE });
  // What has arrived is written at once: it is kept where the next part does not arrive.
  for await (const chunk of response.body) {
    done += chunk.length;
    if (expected !== undefined && done > expected.bytes)
      throw otherFile(model, file, `more than the ${expected.bytes} bytes that are expected`);
    await appendFile(target, chunk);
    onProgress?.({ file, done, total });
  }
  return true;
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

/** What a failed transfer is told as; errors of ours stay. */
function unreachable(
  cause: unknown,
  model: string,
  file: string,
  { remoteHost = DEFAULT_HOST, signal, kept = 0 }: HubOptions & { readonly kept?: number },
): unknown {
  throwIfAborted(signal);
  if (RAGError.isInstance(cause)) return cause;
  const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
  const why = systemErrorCode(inner) ?? messageOf(inner);
  const rest =
    kept === 0
      ? ''
      : ` The ${(kept / MEGABYTE).toFixed(1)} MB that arrived are kept: the next try goes on from there.`;
  return new RAGError(
    'MODEL_NOT_FOUND',
    `${file} of the model ${model} could not be fetched from ${remoteHost} (${why}). Check the id and the network; HF_TOKEN has the access token of a private model, HF_ENDPOINT names another server, and "ragstone model use NAME --from FOLDER" takes files that were fetched elsewhere.${rest}`,
    { cause, details: { model, file } },
  );
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
