import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { ResolvedConfig } from '../config/resolved-config.js';
import type { GenerationReader, Ledger } from '../ledger/ledger.js';
import { isPathInside } from '../security/path-containment.js';
import { isPathSource, isPushSource, rememberedPaths } from './configured-sources.js';
import { deleteItems } from './delete-documents.js';
import type { IndexRun } from './index-run.js';
import { configuredNames, readOwnership } from './source-owners.js';
import type { ConfiguredSource } from './source-task.js';
import type { WriteTargets } from './write-batch.js';

/** A source that no run of any configuration reads any more, and of which documents are indexed: its configuration is gone, or its folder. */
export interface AbandonedSource {
  readonly name: string;
  /** Where its files lay, where that is known. */
  readonly root: string | undefined;
  readonly isConfigured: boolean;
}

/** Sources of a tenant that no run reads any more. */
export async function abandonedSources(
  reader: Pick<GenerationReader, 'sourceNames'>,
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
  return names.flatMap((name) => {
    const place = isPathSource(name) ? name : roots.get(name);
    const root = place === undefined ? undefined : rememberedPaths([place], config)[0];
    const isRead = isPathSource(name) && root !== undefined && existsSync(root);
    return isRead ? [] : [{ name, root, isConfigured: !isPathSource(name) }];
  });
}

/** What is said of a source that holds documents still; undefined where it holds none. */
export async function abandonmentOf(
  { name, root, isConfigured }: AbandonedSource,
  tenant: string,
  reader: Pick<GenerationReader, 'documentCounts'>,
): Promise<string | undefined> {
  const counts = (await reader.documentCounts(tenant, name)).values();
  const documents = [...counts].reduce((sum, count) => sum + count, 0);
  if (documents === 0) return undefined;
  const what = isConfigured
    ? `The source "${name}" is no longer configured`
    : `${root ?? name}, which was indexed by name, is not there any more`;
  const held = documents === 1 ? 'its document is' : `its ${documents} documents are`;
  return `${what}; ${held} kept and still found. \`ragstone index --prune\` removes what no source holds any more.`;
}

/** What is said of each source that no run reads any more and that holds documents still. */
export async function abandonments(
  reader: Pick<GenerationReader, 'sourceNames' | 'documentCounts'>,
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
  { owners, targets, tenant }: MovedFilesContext,
  run: IndexRun,
): Promise<void> {
  const { name, root } = abandoned;
  if (root === undefined) return;
  const { ledger } = targets;
  const left = new Set((await ledger.items(tenant, name)).keys());
  for (const { source, root: ownRoot } of owners) {
    const isListed = !run.errors.some((error) => error.source === source.name && error.item === undefined);
    if (ownRoot === undefined || !isListed || left.size === 0) continue;
    const own = await ledger.items(tenant, source.name);
    const moved: string[] = [];
    for (const itemId of left) {
      const path = join(folderOf(root), itemId);
      const ownId = idBelow(ownRoot, path);
      const isSameFile = ownId !== undefined && (own.get(ownId)?.status === 'indexed' || !existsSync(path));
      const isCopy = !existsSync(root) && own.get(itemId)?.status === 'indexed';
      if (isSameFile || (isCopy && (await holdsSameText(itemId, [name, source.name], { tenant, ledger }))))
        moved.push(itemId);
    }
    if (moved.length === 0) continue;
    await deleteItems({ tenant, source: name, itemIds: moved, dryRun: false }, targets, run);
    for (const itemId of moved) left.delete(itemId);
    run.notice(
      `The source "${source.name}" now holds ${moved.length === 1 ? 'a file' : `${moved.length} files`} of "${name}", which ${abandoned.isConfigured ? 'is no longer configured' : 'is not there any more'}; each file is indexed once.`,
    );
  }
}

export interface MovedFilesContext {
  /** Sources that were brought in step in this run. */
  readonly owners: readonly ConfiguredSource[];
  readonly targets: WriteTargets;
  readonly tenant: string;
}

/** The id of a file in a source of files; undefined where it is not below its root. */
function idBelow(root: string, path: string): string | undefined {
  const [folder, file] = [canonical(folderOf(root)), canonical(path)];
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

function folderOf(root: string): string {
  return statSync(root, { throwIfNoEntry: false })?.isFile() === true ? dirname(root) : root;
}

/** Without links in its folders, as far as it exists. */
function canonical(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(canonical(parent), relative(parent, path));
  }
}
