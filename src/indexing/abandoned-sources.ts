import { join, relative } from 'node:path';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { GenerationReader, Ledger, LedgerItem } from '../ledger/ledger.js';
import { isPathInside, realPathOf } from '../platform/security/path-containment.js';
import { deleteItems } from './delete-documents.js';
import { isPathSource, isPushSource } from './folder-names.js';
import { presenceOf } from './folder-presence.js';
import type { IndexRun } from './index-run.js';
import { isOfOldKind, namedFolders, rememberedPaths, unknownPlace } from './named-folders.js';
import { folderOfRoot } from './root-folder.js';
import { allowingIt, DEFAULT_MAX_SHRINK, isShrunk, mayShrink } from './shrink-guard.js';
import { configuredNames, readOwnership } from './source-owners.js';
import type { ConfiguredSource, IndexSourceOptions } from './source-task.js';
import type { WriteTargets } from './write-batch.js';

/** A source that no run of any configuration reads any more under its name, and of which documents are indexed. */
export interface AbandonedSource {
  readonly name: string;
  /** Where its files lay, where that is known. */
  readonly root: string | undefined;
  /**
   * Its configuration is gone, or its folder; or the next run names the folder otherwise (an earlier version named it, its project moved,
   * a link stands there now); or an earlier version named it and nobody knows where it lies.
   */
  readonly why: 'unconfigured' | 'gone' | 'renamed' | 'unplaced';
}

/** Sources of a tenant that no run reads any more. */
export async function abandonedSources(
  reader: Pick<GenerationReader, 'sourceNames' | 'items'>,
  ledger: Pick<Ledger, 'sourceRoots' | 'sourceOwners'>,
  { tenant, config }: { readonly tenant: string; readonly config: ResolvedConfig },
): Promise<AbandonedSource[]> {
  const configured = configuredNames(config);
  const others = (await reader.sourceNames(tenant)).filter(
    (name) => !configured.has(name) && !isPushSource(name),
  );
  if (others.length === 0) return [];
  const { elsewhere } = await readOwnership(ledger, tenant, config);
  const names = others.filter((name) => !elsewhere.has(name));
  const roots = (await ledger.sourceRoots?.(tenant)) ?? new Map<string, string>();
  const folders = await namedFolders(names, { ledger, reader, tenant, config });
  return [
    ...folders.flatMap((folder) => {
      const { name, root } = folder;
      const isGone = root !== undefined && presenceOf(root) === 'gone';
      const why = root === undefined ? 'unplaced' : isGone ? 'gone' : 'renamed';
      return isGone || isOfOldKind(folder) ? [{ name, root, why } as const] : [];
    }),
    ...names.flatMap((name) => {
      const [root] = rememberedPaths([roots.get(name) ?? ''], config);
      return isPathSource(name) ? [] : [{ name, root, why: 'unconfigured' } as const];
    }),
  ];
}

/** What is said of a source that holds documents still; undefined where it holds none. */
export async function abandonmentOf(
  { name, root, why }: AbandonedSource,
  tenant: string,
  reader: Pick<GenerationReader, 'documentCounts'>,
): Promise<string | undefined> {
  const counts = (await reader.documentCounts(tenant, name)).values();
  const documents = [...counts].reduce((sum, count) => sum + count, 0);
  if (documents === 0) return undefined;
  if (why === 'unplaced') return unknownPlace(name);
  if (why === 'renamed')
    return `What is indexed as "${name}" is read from ${realPathOf(root ?? name)} by the next \`ragstone index\`, under the name of that path.`;
  const what =
    why === 'unconfigured'
      ? `The source "${name}" is no longer configured`
      : `${root}, which was indexed by name, is not there any more`;
  const held = documents === 1 ? 'its document is' : `its ${documents} documents are`;
  return `${what}; ${held} kept and still found. \`ragstone index --prune\` removes what no source holds any more.`;
}

/** What is said of each source that no run reads any more and that holds documents still. */
export async function abandonments(
  reader: Pick<GenerationReader, 'sourceNames' | 'items' | 'documentCounts'>,
  ledger: Pick<Ledger, 'sourceRoots' | 'sourceOwners'>,
  context: { readonly tenant: string; readonly config: ResolvedConfig },
): Promise<string[]> {
  const sources = await abandonedSources(reader, ledger, context);
  const said = await Promise.all(sources.map((source) => abandonmentOf(source, context.tenant, reader)));
  return said.flatMap((problem) => problem ?? []);
}

/**
 * Removes the files of an abandoned source that another source of this run holds now: the same file by its path (or deleted
 * there), or, where the folder was renamed, a file with the same name in it and the same text. So no file is found twice, once as it was.
 */
export async function giveUpMovedFiles(
  abandoned: AbandonedSource,
  { owners, targets, options }: MovedFilesContext,
  run: IndexRun,
): Promise<void> {
  const { name, root, why } = abandoned;
  if (root === undefined && why !== 'unplaced') return;
  const { ledger } = targets;
  const { tenant } = options.scope;
  const left = new Set((await ledger.items(tenant, name)).keys());
  for (const { source, root: ownRoot, maxShrink = DEFAULT_MAX_SHRINK } of owners) {
    const isListed = !run.errors.some((error) => error.source === source.name && error.item === undefined);
    if (ownRoot === undefined || !isListed || left.size === 0) continue;
    const own = await ledger.items(tenant, source.name);
    const { held, gone } = await movedFiles(abandoned, left, {
      own,
      ownRoot,
      source: source.name,
      tenant,
      ledger,
    });
    const known = held.length + gone.length;
    const isSuspicious =
      !mayShrink(source.name, options) &&
      isShrunk({ known, lost: gone.length, added: own.size - held.length, maxShrink });
    if (isSuspicious) {
      run.errors.push({
        source: source.name,
        reason: 'SOURCE_SHRUNK',
        message: `${gone.length} of ${known} files of "${name}", which ${WHY[why]}, are not in the source "${source.name}", which is read instead: more than rag.indexing.maxShrink (${maxShrink}) allows. They are kept and still found. ${allowingIt(source.name)}`,
      });
    }
    const itemIds = isSuspicious ? held : [...held, ...gone];
    if (itemIds.length === 0) continue;
    await deleteItems({ tenant, source: name, itemIds, dryRun: false }, targets, run);
    for (const itemId of itemIds) left.delete(itemId);
    if (held.length > 0)
      run.notice(
        `The source "${source.name}" now holds ${countOf(held)} of "${name}", which ${WHY[why]}; each file is indexed once.`,
      );
    if (gone.length > 0 && !isSuspicious)
      run.notice(
        `${countOf(gone)} of "${name}", which ${WHY[why]}, ${gone.length === 1 ? 'is' : 'are'} not in the source "${source.name}", which is read instead, and ${gone.length === 1 ? 'was' : 'were'} deleted from the index.`,
      );
  }
}

interface OwnFiles {
  readonly own: ReadonlyMap<string, LedgerItem>;
  readonly ownRoot: string;
  readonly source: string;
  readonly tenant: string;
  readonly ledger: GenerationReader;
}

/** Of the items of an abandoned source: those that another source holds, and those that are deleted where they would be its. */
async function movedFiles(
  { name, root }: AbandonedSource,
  itemIds: Iterable<string>,
  { own, ownRoot, source, tenant, ledger }: OwnFiles,
): Promise<{ readonly held: readonly string[]; readonly gone: readonly string[] }> {
  const held: string[] = [];
  const gone: string[] = [];
  const isAway = root === undefined || presenceOf(root) === 'gone';
  for (const itemId of itemIds) {
    const path = root === undefined ? undefined : join(folderOfRoot(root), itemId);
    const ownId = path === undefined ? undefined : idBelow(ownRoot, path);
    const isBelow = path !== undefined && ownId !== undefined;
    const isCopy = isAway && own.get(itemId)?.status === 'indexed';
    if (
      (isBelow && own.get(ownId)?.status === 'indexed') ||
      (isCopy && (await holdsSameText(itemId, [name, source], { tenant, ledger })))
    )
      held.push(itemId);
    else if (isBelow && presenceOf(path) === 'gone') gone.push(itemId);
  }
  return { held, gone };
}

const countOf = (files: readonly string[]): string =>
  files.length === 1 ? 'a file' : `${files.length} files`;

const WHY: Readonly<Record<AbandonedSource['why'], string>> = {
  unconfigured: 'is no longer configured',
  gone: 'is not there any more',
  renamed: 'is read by another path now',
  unplaced: 'an earlier version named so',
};

export interface MovedFilesContext {
  /** Sources that were brought in step in this run. */
  readonly owners: readonly ConfiguredSource[];
  readonly targets: WriteTargets;
  readonly options: Pick<IndexSourceOptions, 'scope' | 'allowShrink'>;
}

/** The id of a file in a source of files; undefined where it is not below its root. */
function idBelow(root: string, path: string): string | undefined {
  const [folder, file] = [realPathOf(folderOfRoot(root)), realPathOf(path)];
  return isPathInside(folder, file) ? relative(folder, file).replaceAll('\\', '/') : undefined;
}

async function holdsSameText(
  itemId: string,
  sources: readonly [string, string],
  { tenant, ledger }: { readonly tenant: string; readonly ledger: GenerationReader },
): Promise<boolean> {
  const [before, now] = await Promise.all(
    sources.map(async (source) => {
      const documents = await ledger.documentsOfItems(tenant, source, [itemId]);
      return documents.map(({ externalId, revision }) => `${externalId} ${revision}`).join('\n');
    }),
  );
  return before === now;
}
