import { join, resolve } from 'node:path';
import { projectOfIndex } from '../config/find-project.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { contentHash } from '../core/ids.js';
import type { GenerationReader, Ledger, LedgerItem } from '../ledger/ledger.js';
import { realPathOf } from '../platform/security/path-containment.js';
import { readRegularFileSync } from '../platform/security/regular-file.js';
import { folderOfName, isPathSource, keyOfLink, nameOfFolder, pathOfLink } from './folder-names.js';
import { presenceOf } from './folder-presence.js';
import { folderOfRoot } from './root-folder.js';

/** A file or folder that a call named once. */
export interface NamedFolder {
  /** What it is indexed as. */
  readonly name: string;
  /** Where it lies, absolute; undefined where an earlier version kept a name without its beginning. */
  readonly root: string | undefined;
  /** What a run indexes it as; another than `name` where an earlier version named it, the data folder was moved, or a link was turned. */
  readonly presentName: string;
  /** Key of the link that it was named by, where that leads elsewhere now: then `root` is the link. */
  readonly turnedLink?: string;
}

/** Whether the next run gives a folder another name. */
export const isOfOldKind = ({ name, presentName, root }: NamedFolder): boolean =>
  root === undefined || name !== presentName;

/** What a file or folder is indexed as, however it is written: its real path decides. */
export const pathSourceName = (path: string, config: ResolvedConfig): string =>
  nameOfFolder(realPathOf(path), projectOfIndex(config));

/** Absolute paths of those of these names that say where they lie. */
export function rememberedPaths(sourceNames: Iterable<string>, config: ResolvedConfig): string[] {
  const project = projectOfIndex(config);
  return [...sourceNames].flatMap((name) => folderOfName(name, project) ?? []);
}

interface IndexOfFolders {
  readonly ledger: Pick<Ledger, 'sourceRoots'>;
  /** Absent where nothing is indexed yet. */
  readonly reader: Pick<GenerationReader, 'items'> | undefined;
  readonly tenant: string;
  readonly config: ResolvedConfig;
}

/** The files and folders among the names of indexed sources. */
export async function namedFolders(
  names: Iterable<string>,
  { ledger, reader, tenant, config }: IndexOfFolders,
): Promise<NamedFolder[]> {
  const recorded = await ledger.sourceRoots?.(tenant);
  const turned = turnedLinks(recorded, config);
  const folders: NamedFolder[] = [];
  for (const name of names) {
    if (!isPathSource(name)) continue;
    const isPlaced = ledger.sourceRoots === undefined || recorded?.has(name) === true;
    const held = isPlaced
      ? await placedRoot(name, recorded?.get(name), { reader, tenant, config })
      : await oldRoot(name, { reader, tenant, config });
    const link = turned.get(name);
    const root = link?.path ?? held;
    const presentName = root === undefined ? name : pathSourceName(root, config);
    folders.push({ name, root, presentName, ...(link === undefined ? {} : { turnedLink: link.key }) });
  }
  return folders;
}

/** Links that lead elsewhere now, by the name of what they led to. */
function turnedLinks(
  recorded: ReadonlyMap<string, string> | undefined,
  config: ResolvedConfig,
): ReadonlyMap<string, { readonly key: string; readonly path: string }> {
  const project = projectOfIndex(config);
  return new Map(
    [...(recorded ?? [])].flatMap(([key, name]) => {
      const path = pathOfLink(key, project);
      const isTurned =
        path !== undefined && presenceOf(path) === 'there' && pathSourceName(path, config) !== name;
      return isTurned ? [[name, { key, path }] as const] : [];
    }),
  );
}

/**
 * What the ledger keeps of paths that a call names, by key: the name of what each link leads to. A folder that is named by its own path is that
 * folder, wherever links to it are turned.
 */
export function linksAmong(
  paths: readonly string[],
  recorded: ReadonlyMap<string, string>,
  config: ResolvedConfig,
): ReadonlyMap<string, string> {
  const project = projectOfIndex(config);
  const isDirect = (path: string): boolean => realPathOf(path) === path;
  const direct = new Set(paths.filter(isDirect).map((path) => pathSourceName(path, config)));
  const loosened = [...recorded].flatMap(([key, name]) =>
    pathOfLink(key, project) !== undefined && direct.has(name) ? [[key, NOTHING] as const] : [],
  );
  const links = paths.flatMap((path) => {
    const name = pathSourceName(path, config);
    return isDirect(path) || direct.has(name) ? [] : [[keyOfLink(path, project), name] as const];
  });
  return new Map([...loosened, ...links]);
}

/** Kept in place of what a link led to that is followed no more. */
const NOTHING = '';

/**
 * A project that moved has its folders beside it; else they are where they were. Where both are there, an index that moved alone may lie
 * beside another folder of the same name: it is the one that was indexed where files of it are as they were indexed.
 */
async function placedRoot(
  name: string,
  recorded: string | undefined,
  { reader, tenant, config }: Pick<IndexOfFolders, 'reader' | 'tenant' | 'config'>,
): Promise<string | undefined> {
  const [beside] = rememberedPaths([name], config);
  if (beside === undefined || recorded === undefined) return beside ?? recorded;
  if (realPathOf(beside) === recorded || presenceOf(recorded) === 'gone') return beside;
  if (presenceOf(beside) === 'gone') return recorded;
  const items = await comparedItems(name, reader, tenant);
  return items.size === 0 || holdsMost(beside, items) ? beside : recorded;
}

/**
 * Earlier versions named what lay below the folder that a command ran in, or below its configuration, relative to that, and kept
 * neither. A folder there now is the same one where files of it are as they were indexed.
 */
async function oldRoot(
  name: string,
  { reader, tenant, config }: Pick<IndexOfFolders, 'reader' | 'tenant' | 'config'>,
): Promise<string | undefined> {
  const [root] = rememberedPaths([name], config);
  const project = projectOfIndex(config);
  const isOwn = project !== undefined && project === realPathOf(config.projectRoot);
  const isAbsolute = folderOfName(name, undefined) !== undefined;
  if (isAbsolute) return root;
  const candidates = new Set(
    [root, folderOfName(name, config.projectRoot)].filter((path) => path !== undefined),
  );
  const items = await comparedItems(name, reader, tenant);
  for (const candidate of candidates) if (holdsMost(candidate, items)) return candidate;
  if (root === undefined) return undefined;
  const isThere = presenceOf(root) === 'there';
  // Nothing that is indexed can be taken for another folder's.
  if (isThere && items.size === 0) return root;
  // Run where the index has its project: everything may have changed in it.
  return isOwn && (!isThere || holdsAny(root, items.keys())) ? root : undefined;
}

const comparedItems = async (
  name: string,
  reader: IndexOfFolders['reader'],
  tenant: string,
): Promise<ComparedItems> =>
  new Map([...((await reader?.items(tenant, name)) ?? [])].slice(0, COMPARED_ITEMS));

type ComparedItems = ReadonlyMap<string, Pick<LedgerItem, 'version'>>;

/** So many files of a folder tell whether it is the one that was indexed. */
const COMPARED_ITEMS = 50;

const fileBelow = (root: string, id: string): string => join(folderOfRoot(root), id);

/** Whether at least half of the files below a folder have the bytes that were indexed. */
function holdsMost(root: string, items: ComparedItems): boolean {
  const versions = [...items].filter(([, { version }]) => version !== undefined);
  const same = versions.filter(([id, { version }]) => hashOf(fileBelow(root, id)) === version);
  return same.length > 0 && same.length * 2 >= versions.length;
}

const holdsAny = (root: string, ids: Iterable<string>): boolean =>
  [...ids].some((id) => presenceOf(fileBelow(root, id)) === 'there');

function hashOf(file: string): string | undefined {
  try {
    return contentHash(readRegularFileSync(file));
  } catch {
    return undefined;
  }
}

/** Where documents of a folder of the old kind may lie, seen from here. */
export const guessedRoot = (name: string, { projectRoot }: ResolvedConfig): string | undefined =>
  folderOfName(name, resolve(projectRoot));

/** What is said of a folder of which it is not known where it lies. */
export const unknownPlace = (name: string): string =>
  `An earlier version indexed "${name}" and kept no path to it, and it is not found from here. Index the folder by name once more where it was indexed, or remove what is left of it with \`ragstone index --prune-source ${name}\`.`;
