import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { RAGError } from '../../core/errors.js';
import { downloadModel, type HubOptions } from './download-model.js';

export interface DownloadOptions extends HubOptions {
  /** Fetch a model that is not on disk. @default false */
  readonly allowRemote?: boolean;
  /** Where fetched models are kept, one folder an id. @default none: only paths can be used */
  readonly cacheDir?: string;
}

// What the hub allows: an owner and a name, of letters, digits, `-`, `_` and `.`.
const HUB_ID = /^[A-Za-z0-9_-][\w.-]*(?:\/[A-Za-z0-9_-][\w.-]*)?$/;

/**
 * The folder of a model: the path itself, or the place in `cacheDir` where a hub id is kept or, if allowed, fetched to.
 * @throws RAGError `MODEL_NOT_FOUND` saying where it was looked for and what would fetch it.
 */
export async function findModelFolder(model: string, options: DownloadOptions): Promise<string> {
  const path = resolve(model);
  if (await isFolder(path)) return path;
  const isHubId = HUB_ID.test(model) && !model.includes('..');
  const cached =
    isHubId && options.cacheDir !== undefined ? resolve(options.cacheDir, ...model.split('/')) : undefined;
  if (cached !== undefined) {
    if (await exists(join(cached, 'config.json'))) return cached;
    if (options.allowRemote === true) return downloadModel(model, cached, options);
  }
  throw notFound(model, { path, cached, isHubId, ...options });
}

interface Searched extends DownloadOptions {
  readonly path: string;
  readonly cached: string | undefined;
  readonly isHubId: boolean;
}

function notFound(model: string, { path, cached, isHubId, allowRemote }: Searched): RAGError {
  const places = [path, cached].filter((place) => place !== undefined).join(' nor ');
  const remedy = !isHubId
    ? 'It is no hub id either. Check the path.'
    : allowRemote === true
      ? 'To fetch it from the hub, set a folder to keep models in.'
      : 'Fetching models is off. Put the model there, or allow remote models to fetch it once from the hub.';
  return new RAGError('MODEL_NOT_FOUND', `The model ${model} is neither at ${places}. ${remedy}`, {
    details: { model, allowRemote: allowRemote === true },
  });
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
