import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { DocumentOrigin } from '../core/document-origin.js';
import { sourceDefinition } from '../sources/definitions.js';
import { guessedRoot, rememberedPaths } from './named-folders.js';
import { folderOfRoot, rootOf } from './root-folder.js';

/** Absolute path of the file that an item or document of a source stands for, where it is one of this machine. */
export type FindPath = (source: string, id: string) => string | undefined;

/** A folder below which ids are paths. */
interface Place {
  readonly folder: string;
  /** The ids are paths of what is committed, which need not be checked out. */
  readonly mayBeAbsent: boolean;
  /** A file holds many documents, so that only ids of items are paths. */
  readonly holdsMany: boolean;
}

/**
 * Paths of items, which are what sources list, or of documents. Ids are relative to the folder of their source, which is right
 * for an index that may move and says too little to a person who has several sources.
 */
export function pathsOf(what: 'items' | 'documents', config: ResolvedConfig): FindPath {
  const places = new Map<string, Place | undefined>();
  return (source, id) => {
    if (!places.has(source)) places.set(source, placeOf(source, config));
    const place = places.get(source);
    if (place === undefined || (place.holdsMany && what === 'documents')) return undefined;
    const path = join(place.folder, id);
    return place.mayBeAbsent && !existsSync(path) ? undefined : path;
  };
}

/** Origins of documents, by source and id. */
export function originsOf(config: ResolvedConfig): (source: string, id: string) => DocumentOrigin {
  const findPath = pathsOf('documents', config);
  return (source, id) => {
    const path = findPath(source, id);
    return { source, ...(path === undefined ? {} : { path }) };
  };
}

function placeOf(source: string, config: ResolvedConfig): Place | undefined {
  const [named] = rememberedPaths([source], config);
  if (named !== undefined) return { folder: folderOfRoot(named), mayBeAbsent: false, holdsMany: false };
  const guessed = guessedRoot(source, config);
  if (guessed !== undefined) return { folder: folderOfRoot(guessed), mayBeAbsent: true, holdsMany: false };
  const settings = config.rag.sources.find(({ name }) => name === source);
  if (settings === undefined) return undefined;
  const root = rootOf(settings, config);
  if (root === undefined) return undefined;
  const { mayBeAbsent = false, holdMany = false } = sourceDefinition(settings.type).files ?? {};
  return { folder: folderOfRoot(root), mayBeAbsent, holdsMany: holdMany };
}
