import { existsSync } from 'node:fs';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { type AbandonedSource, abandonedSources, abandonments } from '../indexing/abandoned-sources.js';
import {
  configuredSources,
  isPathSource,
  isPushSource,
  pathSource,
  pushedSource,
  rememberedPaths,
  selectSources,
} from '../indexing/configured-sources.js';
import { pathsOf } from '../indexing/document-paths.js';
import { isRedundant, withoutOverlaps } from '../indexing/overlapping-sources.js';
import type { ConfiguredSource } from '../indexing/source-task.js';
import type { Ledger } from '../ledger/ledger.js';
import type { IndexRequest } from './engine.js';
import type { EngineResources } from './engine-resources.js';
import { assertOwnPaths } from './own-index.js';

/** What the work of an engine is done with. */
export interface EngineHost {
  /** Throws once the engine is closed. */
  readonly resources: EngineResources;
  readonly config: ResolvedConfig;
  /** Folder that relative paths of a call start from. */
  readonly cwd: string;
}

/** What a request brings in step, and the names of all sources that still count. */
export interface SelectedSources {
  readonly sources: readonly ConfiguredSource[];
  readonly known: ReadonlySet<string>;
}

/** What a request brings in step, and which sources still count. */
export async function selectSourcesOf(
  request: IndexRequest,
  project: string | undefined,
  indexed: readonly string[],
  host: EngineHost,
): Promise<SelectedSources> {
  const all = await configuredSources(host.config);
  const { paths, documents } = request;
  const isOpen = request.sources === undefined && paths === undefined && documents === undefined;
  const prune = request.options?.prune === true;
  const remembered = rememberedPaths(indexed, host.config);
  if (isOpen) assertOwnPaths(remembered, host.config);
  // A remembered folder that is gone is no failure of each later run: what was indexed of it is kept and said.
  const chosenPaths = paths ?? (isOpen ? remembered.filter((path) => existsSync(path)) : []);
  const chosen = isOpen ? [...all] : selectSources(all, request.sources ?? []);
  for (const path of chosenPaths) chosen.push(await pathSource(path, host.config, host.cwd));
  if (documents !== undefined)
    chosen.push(await pushedSource({ documents, deleted: request.deleted, project }, host.config));
  const pathSourceOf = (path: string) => pathSource(path, host.config, host.cwd);
  // What `prune` gives up shares its files with nobody.
  const others = prune || isOpen ? [] : await Promise.all(remembered.map(pathSourceOf));
  const findPath = pathsOf('items', host.config);
  const sources = withoutOverlaps(chosen, [...all, ...others], findPath);
  const named = [...all, ...sources].map(({ source }) => source.name);
  return { sources, known: new Set([...named, ...indexed.filter(isPushSource)]) };
}

/** Sources of which anything is indexed or remembered, in name order. */
export async function knownSources(ledger: Ledger, tenant: string): Promise<string[]> {
  const live = await ledger.live();
  const held = live === undefined ? [] : await ledger.reader(live.generation).sourceNames(tenant);
  return [...new Set([...held, ...(await ledger.rememberedSources(tenant))])].sort();
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
 * Makes named paths known before anything is read, so that a run that is killed is gone on with. A path that names nothing is
 * not remembered: each later run would report it.
 */
export async function rememberPaths(
  ledger: Ledger,
  {
    tenant,
    selected: { sources, known },
    prune,
  }: { readonly tenant: string; readonly selected: SelectedSources; readonly prune: boolean },
): Promise<void> {
  const paths = sources.filter(({ source, root }) => isPathSource(source.name) && isThere(root));
  await ledger.rememberSources(
    tenant,
    paths.map(({ source }) => source.name),
  );
  if (!prune) return;
  const dropped = (await ledger.rememberedSources(tenant)).filter((name) => !known.has(name));
  await ledger.forgetSources(tenant, dropped);
}

/** A folder whose files all belong to another source holds nothing: naming it again in each run would only repeat that. */
export async function forgetRedundant(
  ledger: Ledger,
  { tenant, selected: { sources } }: { readonly tenant: string; readonly selected: SelectedSources },
): Promise<void> {
  const redundant = sources.filter(({ source }) => isRedundant(source)).map(({ source }) => source.name);
  await ledger.forgetSources(tenant, redundant);
}

const isThere = (path: string | undefined): boolean => path !== undefined && existsSync(path);
