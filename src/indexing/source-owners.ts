import { hostname } from 'node:os';
import { relative, resolve } from 'node:path';
import { isLedgerElsewhere } from '../config/find-project.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { SourceOwners } from '../ledger/source-state.js';
import { presenceOf } from './folder-presence.js';

/** Which sources of a ledger are this configuration's, and which are others'. A source may be both. */
export interface Ownership {
  /** Sources that this configuration was recorded with. */
  readonly own: ReadonlySet<string>;
  /** Who else indexes a source, for people, by source. */
  readonly elsewhere: ReadonlyMap<string, readonly string[]>;
}

/** An owner whose file or folder on this host is gone indexes nothing any more. */
export async function readOwnership(
  ledger: Pick<SourceOwners, 'sourceOwners'>,
  tenant: string,
  config: ResolvedConfig,
): Promise<Ownership> {
  const self = ownerOf(config);
  const own = new Set<string>();
  const elsewhere = new Map<string, readonly string[]>();
  for (const [source, owners] of await ledger.sourceOwners(tenant)) {
    if (owners.includes(self)) own.add(source);
    const others = owners.flatMap((owner) => (owner === self ? [] : (placeOf(owner, config) ?? [])));
    if (others.length > 0) elsewhere.set(source, others);
  }
  return { own, elsewhere };
}

/**
 * Records which sources this configuration indexes: those that it states, and, where hosts share the ledger, the folders that were
 * named here. On one machine a folder is there or it is not.
 */
export async function recordOwnership(
  ledger: Pick<SourceOwners, 'ownSources'>,
  { tenant, paths, config, before }: RecordedOwnership,
): Promise<void> {
  const sources = new Set([...configuredNames(config), ...(isLedgerElsewhere(config) ? paths : [])]);
  const isSame = before.size === sources.size && [...sources].every((source) => before.has(source));
  if (!isSame) await ledger.ownSources(tenant, ownerOf(config), [...sources]);
}

export interface RecordedOwnership {
  readonly tenant: string;
  /** Path sources of this configuration. */
  readonly paths: readonly string[];
  readonly config: ResolvedConfig;
  readonly before: ReadonlySet<string>;
}

/** Takes a source from what this configuration indexes. */
export async function disownSource(
  ledger: Pick<SourceOwners, 'sourceOwners' | 'ownSources'>,
  {
    tenant,
    source,
    config,
  }: { readonly tenant: string; readonly source: string; readonly config: ResolvedConfig },
): Promise<void> {
  const self = ownerOf(config);
  const owners = await ledger.sourceOwners(tenant);
  if (owners.get(source)?.includes(self) !== true) return;
  const others = [...owners].flatMap(([name, by]) => (name !== source && by.includes(self) ? [name] : []));
  await ledger.ownSources(tenant, self, others);
}

/** Names of the sources that a configuration states, switched off or not. */
export const configuredNames = ({ rag, own }: ResolvedConfig): Set<string> =>
  new Set([...rag.sources, ...(own?.sources ?? [])].map(({ name }) => name));

/**
 * What this configuration is called: the name that it states, or its place. A place has a colon, which no name has:
 * `HOST:/path`, or `:` and a path from the data folder, so that an index may move with its project.
 */
function ownerOf(config: ResolvedConfig): string {
  const { rag, file, projectRoot, dataDir } = config;
  const place = file ?? projectRoot;
  const placed = isLedgerElsewhere(config) ? `${hostname()}:${place}` : `:${relative(dataDir, place)}`;
  return rag.ledger.owner ?? placed;
}

/** An owner for people; undefined where its place is on this host and gone. */
function placeOf(owner: string, { dataDir }: ResolvedConfig): string | undefined {
  const [host, ...path] = owner.split(':');
  const isHere = path.length > 0 && (host === '' || host === hostname());
  if (!isHere) return owner;
  const place = resolve(dataDir, path.join(':'));
  return presenceOf(place) === 'gone' ? undefined : place;
}
