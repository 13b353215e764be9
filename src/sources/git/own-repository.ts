import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a repository stores its objects and its names, see `extensions` in git-config(1). */
export interface RepositoryFormat {
  readonly objects: 'sha1' | 'sha256';
  readonly names: 'files' | 'reftable';
}

const empty = new Map<string, Promise<string>>();

/**
 * A repository of ours that holds nothing, one for each hash of this process. It lies where no repository is around it, in a
 * folder that only this user may open, and goes with the process.
 */
export async function emptyRepository(objects: RepositoryFormat['objects'] = 'sha1'): Promise<string> {
  const known = await empty.get(objects);
  // A long process may outlive what is in the folder for temporary files.
  if (known !== undefined && existsSync(join(known, 'HEAD'))) return known;
  const made = makeEmpty(objects);
  empty.set(objects, made);
  return made;
}

async function makeEmpty(objects: RepositoryFormat['objects']): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ragstone-git-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await fillRepository(folder, { objects, names: 'files' });
  return folder;
}

/** Writes what makes an empty folder a repository. */
export async function fillRepository(folder: string, format: RepositoryFormat): Promise<void> {
  for (const part of ['objects', 'refs', ...(format.names === 'reftable' ? ['reftable'] : [])])
    await mkdir(join(folder, part));
  await writeFile(join(folder, 'config'), configText(format));
  await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
}

/** Puts our settings in place of those of a clone, which lies in a data folder that may have come from anywhere. */
export async function replaceSettings(folder: string, format: RepositoryFormat): Promise<void> {
  const draft = join(folder, `config.${process.pid}.tmp`);
  await rm(draft, { force: true });
  await writeFile(draft, configText(format), { flag: 'wx' });
  await rename(draft, join(folder, 'config'));
  // Both would have Git read settings from elsewhere.
  for (const name of ['commondir', 'config.worktree'])
    await rm(join(folder, name), { force: true, recursive: true });
}

const configText = ({ objects, names }: RepositoryFormat): string =>
  [
    '[core]',
    '\trepositoryformatversion = 1',
    '\tbare = true',
    '[extensions]',
    ...(objects === 'sha256' ? ['\tobjectformat = sha256'] : []),
    ...(names === 'reftable' ? ['\trefstorage = reftable'] : []),
    '',
  ].join('\n');
