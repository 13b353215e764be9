import { cp, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RAGError } from '../../../core/errors.js';
import { readRegularText } from '../../../platform/security/regular-file.js';

const PACKAGE = fileURLToPath(new URL('../../../../', import.meta.url));
const MANIFEST = 'package.json';

/**
 * Copies an example of the package into a folder and lets its `package.json` name the Ragstone that wrote it. Returns the names of what
 * was written.
 *
 * @throws RAGError `USAGE` where there is no such example, or the folder is not empty (`.git` aside).
 */
export async function writeExample(
  name: string,
  folder: string,
  packageFolder: string = PACKAGE,
): Promise<readonly string[]> {
  const examples = join(packageFolder, 'examples');
  const names = await foldersIn(examples);
  if (!names.includes(name))
    throw new RAGError(
      'USAGE',
      `There is no example ${JSON.stringify(name)}. Examples: ${names.join(', ')}.`,
    );
  const found = (await readdir(folder)).filter((entry) => entry !== '.git');
  if (found.length > 0)
    throw new RAGError(
      'USAGE',
      `${folder} is not empty: it has ${JSON.stringify(found[0])}. Make a new folder, and run this in it.`,
    );
  const from = join(examples, name);
  await cp(from, folder, { recursive: true, filter: (path) => isPartOf(relative(from, path)) });
  const manifest = join(folder, MANIFEST);
  await writeFile(manifest, withRagstone(await readRegularText(manifest), await ownSpecifier(packageFolder)));
  return (await readdir(folder)).filter((entry) => entry !== '.git').sort();
}

/** What running an example in a clone leaves behind is no part of it. */
const LEFT_BEHIND = ['node_modules', 'package-lock.json', '.ragstone', 'output', 'vector-db'];

const isPartOf = (path: string): boolean => !path.split(sep).some((part) => LEFT_BEHIND.includes(part));

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

function withRagstone(text: string, specifier: string): string {
  const manifest = JSON.parse(text) as { readonly dependencies: Readonly<Record<string, string>> };
  const dependencies = { ...manifest.dependencies, ragstone: specifier };
  return `${JSON.stringify({ ...manifest, dependencies }, null, 2)}\n`;
}

/** What `npm install` needs to get this very package: its version, or the tarball that it was installed from, or the clone. */
async function ownSpecifier(packageFolder: string): Promise<string> {
  const modules = dirname(resolve(packageFolder));
  if (basename(modules) !== 'node_modules') return fileSpecifier(resolve(packageFolder));
  const { version } = JSON.parse(await readRegularText(join(packageFolder, MANIFEST))) as { version: string };
  const tarball = await installedFrom(modules);
  return tarball === undefined ? version : fileSpecifier(tarball);
}

/** The tarball that npm put the package of a folder there from, where it was one of this machine. */
async function installedFrom(modules: string): Promise<string | undefined> {
  const lock = await readRegularText(join(modules, '.package-lock.json')).catch(() => undefined);
  if (lock === undefined) return undefined;
  const { packages } = JSON.parse(lock) as {
    packages?: Readonly<Record<string, { readonly resolved?: string }>>;
  };
  const resolved = packages?.['node_modules/ragstone']?.resolved;
  if (resolved === undefined || !resolved.startsWith('file:')) return undefined;
  return resolve(dirname(modules), resolved.slice('file:'.length));
}

const fileSpecifier = (path: string): string => `file:${path.replaceAll(sep, '/')}`;
