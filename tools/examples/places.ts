import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Example } from './example.js';
import { runShell } from './run-tests.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What a command of an example sees of the environment: nothing that a person has set for something else. */
export const PLAIN_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  NO_COLOR: '1',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
};

/** Packs Ragstone into a folder as it would be published, built anew. Returns the path of the tarball. */
export async function packRagstone(folder: string): Promise<string> {
  await run(`npm pack --silent --pack-destination "${folder}"`, ROOT);
  const [tarball] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack has left no tarball.');
  return join(folder, tarball);
}

/**
 * An example as a stranger gets it: the command line of the tarball writes it into a new folder, and npm installs what it names.
 */
export async function installExample({ name }: Example, tarball: string, folder: string): Promise<void> {
  const tool = `${folder}-tool`;
  await mkdir(folder, { recursive: true });
  await mkdir(tool, { recursive: true });
  await writeFile(join(tool, 'package.json'), '{"private":true}');
  await run(`npm install "${tarball}"`, tool);
  await run(`"${tool}/node_modules/.bin/ragstone" init --example ${name}`, folder);
  await run('npm install', folder);
}

/** An example beside the packages of this repository and the build that is there: quick, and without a registry. */
export async function linkExample({ folder: from, packageJson }: Example, folder: string): Promise<void> {
  await cp(from, folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
  const modules = join(folder, 'node_modules');
  for (const name of Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies })) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(name === 'ragstone' ? ROOT : join(ROOT, 'node_modules', name), join(modules, name));
  }
  await symlink(join(ROOT, 'node_modules', '.bin'), join(modules, '.bin'));
}

async function run(command: string, folder: string): Promise<void> {
  const { code, report } = await runShell(command, { folder, env: PLAIN_ENVIRONMENT });
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${report}`);
}
