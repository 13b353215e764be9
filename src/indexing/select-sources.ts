import type { ResolvedConfig } from '../config/resolved-config.js';
import { assertLedgerTrusted, foldersOutside } from '../config/trust/index-reach.js';
import { RAGError } from '../core/errors.js';
import type { Ledger } from '../ledger/ledger.js';
import type { IndexRequest } from '../operations/engine.js';
import type { EngineResources } from '../resources/engine-resources.js';
import { type AbandonedSource, abandonedSources, abandonments } from './abandoned-sources.js';
import {
  configuredSources,
  pathSource,
  pushedSource,
  selectSources,
  unplacedSource,
} from './configured-sources.js';
import { pathsOf } from './document-paths.js';
import { isPathSource, isPushSource } from './folder-names.js';
import { isClosed, presenceOf } from './folder-presence.js';
import { isOfOldKind, linksAmong, type NamedFolder, namedFolders } from './named-folders.js';
import { isRedundant, withoutOverlaps } from './overlapping-sources.js';
import { type Ownership, readOwnership, recordOwnership } from './source-owners.js';
import type { ConfiguredSource } from './source-task.js';

/** What the work of an engine is done with. */
export interface EngineHost {
  /** Throws once the engine is closed. */
  readonly resources: EngineResources;
  readonly config: ResolvedConfig;
  /** Folder that relative paths of a call start from. */
  readonly cwd: string;
}

/** What a request brings in step, and what it gives up. */
export interface SelectedSources {
  readonly sources: readonly ConfiguredSource[];
  /** Names of indexed sources whose documents are deleted. */
  readonly givenUp: ReadonlySet<string>;
  /** What a person should know of other configurations that share the index. */
  readonly notices: readonly string[];
}

/** What is indexed already, and by whom. */
export interface IndexedSources {
  /** Sources of which anything is indexed or remembered, in name order. */
  readonly names: readonly string[];
  /** Those that calls named by their paths. */
  readonly folders: readonly NamedFolder[];
  readonly ownership: Ownership;
}

/** What a request brings in step, and what it gives up: with `prune`, what no configuration states or names, or what it is told. */
export async function selectSourcesOf(
  request: IndexRequest,
  project: string | undefined,
  { names: indexed, folders, ownership: { own, elsewhere } }: IndexedSources,
  host: EngineHost,
): Promise<SelectedSources> {
  const all = await configuredSources(host.config);
  const { paths, documents } = request;
  const isOpen = request.sources === undefined && paths === undefined && documents === undefined;
  const prune = request.options?.prune ?? false;
  // A folder that another host named may have the name of another one here.
  const isLeft = (name: string): boolean => Array.isArray(prune) && prune.includes(name);
  const here = folders.filter(({ name }) => (own.has(name) || !elsewhere.has(name)) && !isLeft(name));
  const remembered = here.flatMap(({ root }) => root ?? []);
  if (isOpen) assertLedgerTrusted(foldersOutside(remembered, host.config), host.config);
  // A remembered folder that is gone is no failure of each later run: what was indexed of it is kept and said.
  const chosenPaths = paths ?? (isOpen ? remembered.filter((path) => presenceOf(path) !== 'gone') : []);
  const chosen = isOpen ? [...all] : selectSources(all, request.sources ?? []);
  for (const path of chosenPaths) {
    const named = await pathSource(path, host.config, host.cwd);
    if (!isOpen) assertOwnName(named.source.name, folders);
    if (!chosen.some(({ source }) => source.name === named.source.name)) chosen.push(named);
  }
  // What is read, not what was looked at before: a link may have come to stand there.
  const named = chosen.flatMap(({ source, root }) => (isPathSource(source.name) ? (root ?? []) : []));
  if (isOpen) assertLedgerTrusted(foldersOutside(named, host.config), host.config);
  for (const { name, root } of isOpen ? here : [])
    if (root === undefined) chosen.push(await unplacedSource(name, host.config));
  if (documents !== undefined)
    chosen.push(await pushedSource({ documents, deleted: request.deleted, project }, host.config));
  const pathSourceOf = (path: string) => pathSource(path, host.config, host.cwd);
  // What `prune` gives up shares its files with nobody.
  const others = prune === true || isOpen ? [] : await Promise.all(remembered.map(pathSourceOf));
  const findPath = pathsOf('items', host.config);
  const sources = withoutOverlaps(chosen, [...all, ...others], findPath);
  const stated = new Set([...all, ...sources].map(({ source }) => source.name));
  const isKept = (name: string): boolean =>
    folders.some((folder) => folder.name === name && !isToPrune(folder));
  const unnamed = indexed.filter((name) => !stated.has(name) && !isPushSource(name));
  const unstated = unnamed.filter((name) => !elsewhere.has(name) && !isKept(name));
  const givenUp = Array.isArray(prune)
    ? namedToPrune(prune, indexed, stated)
    : prune === true
      ? unstated
      : [];
  const spared = prune === true ? unnamed.filter((name) => elsewhere.has(name)) : [];
  const twice = sources.flatMap(({ source: { name } }) =>
    isPathSource(name) && elsewhere.has(name) ? [name] : [],
  );
  const ownersOf = (name: string): string => (elsewhere.get(name) ?? []).join(', ');
  return {
    sources,
    givenUp: new Set(givenUp),
    notices: [
      ...spared.map(
        (name) =>
          `"${name}" is kept, because it is indexed by ${ownersOf(name)}. Where that one is gone, \`ragstone index --prune-source ${name}\` removes it.`,
      ),
      ...twice.map(
        (name) =>
          `"${name}" is also indexed by ${ownersOf(name)}. If these are two folders, each run deletes what the other one wrote: configure sources with names of their own (rag.sources).`,
      ),
    ],
  };
}

/** Refuses a folder under whose name another one is still indexed: its documents would be deleted as gone. */
function assertOwnName(name: string, folders: readonly NamedFolder[]): void {
  const other = folders.find((folder) => folder.name === name && folder.presentName !== name);
  if (other?.root === undefined) return;
  throw new RAGError(
    'USAGE',
    `What is indexed as "${name}" lies in ${other.root}, which is another folder. Run \`ragstone index\` without a folder first: it names that one by its path. Or give it up with \`ragstone index --prune-source ${name}\`. Then index this one.`,
  );
}

/** Whether it may be given up without being named: what cannot be read, or is not known to be the folder that it was, is kept. */
const isToPrune = (folder: NamedFolder): boolean =>
  !isOfOldKind(folder) && folder.root !== undefined && !isClosed(folder.root);

/** Sources that a request gives up by name. Throws `USAGE` where that would be undone by the next run, or nothing has the name. */
function namedToPrune(
  prune: readonly string[],
  indexed: readonly string[],
  stated: ReadonlySet<string>,
): readonly string[] {
  for (const name of prune) {
    if (stated.has(name))
      throw new RAGError(
        'USAGE',
        `The source "${name}" is configured or named here, so it is not given up. Take it out of the configuration first.`,
      );
    if (!indexed.includes(name))
      throw new RAGError(
        'USAGE',
        `Nothing is indexed of a source "${name}". Indexed sources: ${indexed.join(', ') || 'none'}.`,
      );
  }
  return prune;
}

/** What is indexed of a tenant's sources, and by whom; beside it what a damaged ledger still said. */
export async function indexedSources(
  ledger: Ledger,
  tenant: string,
  { config }: EngineHost,
  salvaged: readonly string[] = [],
): Promise<IndexedSources> {
  const live = await ledger.live();
  const held = live === undefined ? [] : await ledger.reader(live.generation).sourceNames(tenant);
  const names = [...new Set([...held, ...salvaged, ...(await ledger.rememberedSources(tenant))])].sort();
  const reader = live && ledger.reader(live.generation);
  return {
    names,
    folders: await namedFolders(names, { ledger, reader, tenant, config }),
    ownership: await readOwnership(ledger, tenant, config),
  };
}

/** Sources that no run reads any more. */
export async function abandonedSourcesOf(
  ledger: Ledger,
  tenant: string,
  { config }: EngineHost,
): Promise<AbandonedSource[]> {
  const live = await ledger.live();
  if (live === undefined) return [];
  return abandonedSources(ledger.reader(live.generation), ledger, { tenant, config });
}

/** What is said of sources that no run reads any more. */
export async function abandonmentsOf(
  ledger: Ledger,
  tenant: string,
  { config }: EngineHost,
): Promise<string[]> {
  const live = await ledger.live();
  if (live === undefined) return [];
  return abandonments(ledger.reader(live.generation), ledger, { tenant, config });
}

/**
 * Makes known what is indexed by this configuration before anything is read, so that a run that is killed is gone on with, and no
 * other one gives it up. A path that names nothing is not remembered: each later run would report it.
 */
export async function rememberSelected(
  ledger: Ledger,
  { tenant, selected: { sources, givenUp }, folders, named, before, config }: RememberedSelection,
): Promise<void> {
  const roots = new Map(
    sources.flatMap(({ source: { name }, root }) =>
      isPathSource(name) && root !== undefined && presenceOf(root) === 'there' ? [[name, root] as const] : [],
    ),
  );
  const paths = [...roots.keys()];
  await ledger.rememberSources(tenant, paths);
  await ledger.recordSourceRoots?.(tenant, new Map([...roots, ...formerNames(folders, roots)]));
  const kept = [...before].filter((name) => isPathSource(name) && !givenUp.has(name));
  await recordOwnership(ledger, { tenant, paths: [...paths, ...kept], config, before });
  await ledger.forgetSources(tenant, [...givenUp]);
  const recorded = (await ledger.sourceRoots?.(tenant)) ?? new Map<string, string>();
  const links = [...linksAmong(named, recorded, config)];
  const isTurned = (key: string): boolean => folders.some(({ turnedLink }) => turnedLink === key);
  await ledger.recordSourceRoots?.(tenant, new Map(links.filter(([key]) => !isTurned(key))));
}

/** Records what links lead to that were turned, once nothing is indexed any more of what they led to. */
export async function followLinks(
  ledger: Ledger,
  { tenant, selected: { sources }, folders }: ReadFolders,
): Promise<void> {
  const live = await ledger.live();
  const reader = live && ledger.reader(live.generation);
  const read = new Set(sources.map(({ source }) => source.name));
  const followed = new Map<string, string>();
  for (const { name, presentName, turnedLink } of folders) {
    if (turnedLink === undefined || !read.has(presentName)) continue;
    if (((await reader?.items(tenant, name))?.size ?? 0) === 0) followed.set(turnedLink, presentName);
  }
  await ledger.recordSourceRoots?.(tenant, followed);
}

interface RememberedSelection {
  readonly tenant: string;
  readonly selected: SelectedSources;
  /** As they were named before. */
  readonly folders: readonly NamedFolder[];
  /** Paths that the call names, absolute. */
  readonly named: readonly string[];
  /** What this configuration was recorded with. */
  readonly before: ReadonlySet<string>;
  readonly config: ResolvedConfig;
}

/**
 * A folder whose files all belong to another source holds nothing, nor does the former name of one: naming them again in each run would
 * only repeat that.
 */
export async function forgetRedundant(
  ledger: Ledger,
  { tenant, selected: { sources }, folders }: ReadFolders,
): Promise<void> {
  const redundant = sources.filter(({ source }) => isRedundant(source)).map(({ source }) => source.name);
  const live = await ledger.live();
  const reader = live && ledger.reader(live.generation);
  const read = new Map(sources.map(({ source, root }) => [source.name, root ?? '']));
  const former = formerNames(folders, read);
  for (const name of former.keys()) if ((await reader?.items(tenant, name))?.size === 0) redundant.push(name);
  await ledger.forgetSources(tenant, redundant);
  // What failed of it would be told for ever: no run lists it again.
  const writer = live && ledger.writer(live.generation, 'forget-redundant');
  for (const name of redundant) await writer?.forgetSource(tenant, name);
  // What was forgotten under the former name stays out.
  await ledger.recordSourceRoots?.(tenant, former);
}

/** Former names of folders that are read now, with where they lie. */
const formerNames = (
  folders: readonly NamedFolder[],
  read: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> =>
  new Map(
    folders.flatMap((folder) => {
      const root = isOfOldKind(folder) && !read.has(folder.name) ? read.get(folder.presentName) : undefined;
      return root === undefined ? [] : [[folder.name, root] as const];
    }),
  );

interface ReadFolders {
  readonly tenant: string;
  readonly selected: SelectedSources;
  /** As they were named before. */
  readonly folders: readonly NamedFolder[];
}
