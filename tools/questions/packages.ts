import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { glob } from 'tinyglobby';
import type { DocPackage } from './doc-sets.js';

const run = promisify(execFile);

/** The package's archive in `folder`, fetched by the registry's own client unless it is there. Throws when the integrity is another. */
export async function fetchArchive(pack: DocPackage, folder: string): Promise<string> {
  const archive = join(folder, `${pack.registry}-${pack.name.replace('/', '-')}-${pack.version}.tgz`);
  if (await matches(archive, pack.integrity)) return archive;
  await mkdir(folder, { recursive: true });
  const incoming = await mkdtemp(join(folder, 'incoming-'));
  try {
    await (pack.registry === 'npm' ? fetchFromNpm(pack, incoming) : fetchFromPypi(pack, incoming));
    const [file] = (await readdir(incoming)).filter((name) => /\.(tgz|tar\.gz)$/.test(name));
    if (file === undefined) throw new Error(`The client left no archive of ${pack.name} ${pack.version}.`);
    if (!(await matches(join(incoming, file), pack.integrity)))
      throw new Error(
        `${file} does not have the integrity that doc-sets.json names; nothing of it was read.`,
      );
    await rename(join(incoming, file), archive);
    return archive;
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
}

/** Copies the files of the archive that the globs name to `to`; links and devices are left. Returns how many. */
export async function extractFiles(pack: DocPackage, archive: string, to: string): Promise<number> {
  const unpacked = await mkdtemp(join(tmpdir(), 'ragstone-questions-'));
  try {
    // tar refuses paths that lead out of the folder; owners and modes of the archive are not wanted.
    await run('tar', ['-xzf', archive, '-C', unpacked, '--strip-components=1', '--no-same-owner']);
    const paths = await glob(pack.files, {
      cwd: unpacked,
      followSymbolicLinks: false,
      expandDirectories: false,
    });
    const plain = await Promise.all(paths.map(async (path) => (await lstat(join(unpacked, path))).isFile()));
    const files = paths.filter((_, i) => plain[i]);
    for (const path of files) {
      await mkdir(dirname(join(to, path)), { recursive: true });
      await copyFile(join(unpacked, path), join(to, path));
    }
    return files.length;
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
}

async function fetchFromNpm({ name, version }: DocPackage, to: string): Promise<void> {
  await run('npm', ['pack', `${name}@${version}`, '--pack-destination', to, '--silent'], { cwd: to });
}

/** pip asks the build backend of a source archive for its metadata; with a hash named it checks that one first. */
async function fetchFromPypi({ name, version, integrity }: DocPackage, to: string): Promise<void> {
  const [algorithm, digest] = digestOf(integrity);
  const list = join(to, 'requirements.txt');
  await writeFile(list, `${name}==${version} --hash=${algorithm}:${digest.toString('hex')}\n`);
  const options = ['--quiet', '--no-deps', '--no-binary', name, '--require-hashes', '--dest', to];
  await run('python3', ['-m', 'pip', 'download', ...options, '-r', list], { cwd: to });
}

async function matches(file: string, integrity: string): Promise<boolean> {
  const [algorithm, digest] = digestOf(integrity);
  const content = await readFile(file).catch(() => undefined);
  return content !== undefined && createHash(algorithm).update(content).digest().equals(digest);
}

function digestOf(integrity: string): [algorithm: string, digest: Buffer] {
  const dash = integrity.indexOf('-');
  return [integrity.slice(0, dash), Buffer.from(integrity.slice(dash + 1), 'base64')];
}
