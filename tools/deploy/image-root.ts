import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ImageSettings, parseDockerfile, type Stage, settingsOf } from './dockerfile.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Folder of what is deployed. */
export const DEPLOY = join(ROOT, 'deploy');

const USER_ID = 1000;

/** Why no image can be imitated here; undefined where it can. */
export const noImageReason: string | undefined =
  process.getuid?.() !== 0 || spawnSync('unshare', ['--mount', 'chroot', '/', 'true']).status !== 0
    ? 'it takes root and namespaces of Linux (unshare, chroot, setpriv)'
    : undefined;

/** How a command of an image is run. */
export interface RunInImage {
  /** As root, with the file system of the image open for writing: what a build does. @default false */
  readonly isBuild?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Folders and files of this machine by their place in the container. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** @default that of the image */
  readonly workdir?: string;
}

export interface ImageOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The file system of the image without a container engine: a folder with the programs of this machine below it, read only, that processes
 * have for their root. What runs in it sees the paths, the user and the variables of the Dockerfile, and can write to mounts alone.
 */
export class ImageRoot {
  readonly stages: readonly Stage[];
  readonly settings: ImageSettings;
  readonly folder: string;
  /** What every command has mounted: parts of a working copy in place of an installation. */
  readonly #links: Readonly<Record<string, string>>;
  readonly #started = new Set<ChildProcess>();
  readonly #volumes: string[] = [];

  private constructor(folder: string, stages: readonly Stage[], links: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.stages = stages;
    this.#links = links;
    const last = stages.at(-1);
    if (last === undefined) throw new Error('The Dockerfile has no stage.');
    this.settings = settingsOf(last);
  }

  /** @param isLinked the build and the packages of this working copy stand for what npm would install */
  static async make({ isLinked }: { readonly isLinked: boolean }): Promise<ImageRoot> {
    const folder = await mkdtemp(join(tmpdir(), 'ragstone-image-'));
    await chmod(folder, 0o755);
    for (const path of ['usr', 'proc', 'dev', 'etc/ssl', 'opt/ragstone', 'layer', 'documents', 'keys'])
      await mkdir(join(folder, path), { recursive: true });
    await mkdir(join(folder, 'tmp'), { mode: 0o777 });
    await chmod(join(folder, 'tmp'), 0o1777);
    for (const name of ['bin', 'lib', 'lib64', 'sbin']) await symlink(`usr/${name}`, join(folder, name));
    for (const name of ['resolv.conf', 'hosts', 'nsswitch.conf'])
      await copyFile(join('/etc', name), join(folder, 'etc', name)).catch(() => undefined);
    await writeFile(
      join(folder, 'etc/passwd'),
      `root:x:0:0::/root:/bin/sh\nnode:x:${USER_ID}:${USER_ID}::/home/node:/bin/sh\n`,
    );
    await writeFile(join(folder, 'etc/group'), `root:x:0:\nnode:x:${USER_ID}:\n`);
    await writeFile(join(folder, 'layer/node'), '');
    const stages = parseDockerfile(await readFile(join(DEPLOY, 'Dockerfile'), 'utf8'));
    const links = isLinked ? await linkPackage(join(folder, 'opt/ragstone/node_modules')) : {};
    return new ImageRoot(folder, stages, links);
  }

  /** What the first stage does, with a package of this working copy. @throws Error with what the command said */
  async install(tarball: string): Promise<void> {
    const folder = join(this.folder, 'opt/ragstone');
    await copyFile(join(DEPLOY, 'package.json'), join(folder, 'package.json'));
    await copyFile(tarball, join(folder, 'ragstone.tgz'));
    const [first] = this.stages;
    for (const { text } of first?.instructions.filter(({ name }) => name === 'RUN') ?? []) {
      const options = { isBuild: true, workdir: '/opt/ragstone', env: { HOME: '/tmp/home' } };
      const { code, stdout, stderr } = await this.run(['sh', '-c', text], options);
      if (code !== 0) throw new Error(`${text} ended with ${code}:\n${stdout}${stderr}`);
    }
  }

  /** Starts a command; end it by a signal to the process, which the command gets. */
  start(
    command: readonly string[],
    { isBuild = false, env = {}, mounts = {}, workdir = this.settings.workdir }: RunInImage = {},
  ): ChildProcess {
    const all = Object.entries({ ...this.#links, ...mounts });
    const binds = all.map(([place, from]) => `mount --rbind ${quoted(from)} "$R"${quoted(place)}`);
    const points = all.map(
      ([place, from]) =>
        `[ -e "$R"${quoted(place)} ] || if [ -d ${quoted(from)} ]; then mkdir -p "$R"${quoted(place)}; else touch "$R"${quoted(place)}; fi`,
    );
    // Written outside of the mounts below them: a file that is mounted into a mounted folder comes after it.
    const steps = points.flatMap((point, i) => [point, binds[i] ?? '']);
    const script = [
      'set -e',
      `R=${quoted(this.folder)}`,
      'mount --bind "$R" "$R"',
      'mount --rbind /usr "$R/usr"',
      'mount -o remount,bind,ro "$R/usr"',
      `mount --bind ${quoted(process.execPath)} "$R/layer/node"`,
      'mount --rbind "$R/layer" "$R/usr/local/bin"',
      'mount --rbind /proc "$R/proc"; mount --rbind /dev "$R/dev"; mount --bind /etc/ssl "$R/etc/ssl"',
      'mount --bind "$R/tmp" "$R/tmp"',
      ...steps,
      isBuild ? '' : 'mount -o remount,bind,ro "$R"; mount -o remount,bind,ro "$R/usr/local/bin"',
      `exec chroot "$R" ${isBuild ? '' : `setpriv --reuid ${USER_ID} --regid ${USER_ID} --clear-groups --no-new-privs --bounding-set -all`} env -i -C ${quoted(workdir)} "$@"`,
    ].join('\n');
    const variables = {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      ...(isBuild ? {} : this.settings.env),
      ...env,
    };
    const stated = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    const child = spawn(
      'unshare',
      ['--mount', '--propagation', 'private', 'bash', '-c', script, 'bash', ...stated, ...command],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.#started.add(child);
    child.once('close', () => this.#started.delete(child));
    return child;
  }

  run(command: readonly string[], options: RunInImage = {}): Promise<ImageOutcome> {
    return outcomeOf(this.start(command, options));
  }

  /** A folder that a container mounts, with the owner and the mode that its volume has. */
  async volume({ owner, mode }: { readonly owner: number; readonly mode: number }): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'ragstone-volume-'));
    await chown(folder, owner, USER_ID);
    await chmod(folder, mode);
    this.#volumes.push(folder);
    return folder;
  }

  /** Ends what was left running, and removes the image with its volumes. */
  async remove(): Promise<void> {
    const ends = [...this.#started].map((child) => once(child, 'close'));
    for (const child of this.#started) child.kill('SIGKILL');
    await Promise.all(ends);
    for (const volume of this.#volumes) await rm(volume, { recursive: true, force: true });
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Resolves when a started command has ended. */
export function outcomeOf(child: ChildProcess): Promise<ImageOutcome> {
  return new Promise((done, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      stdout += part;
    });
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      stderr += part;
    });
    child.once('error', reject);
    child.once('close', (code) => done({ code, stdout, stderr }));
  });
}

async function linkPackage(modules: string): Promise<Readonly<Record<string, string>>> {
  await mkdir(join(modules, '.bin'), { recursive: true });
  await mkdir(join(modules, 'ragstone'), { recursive: true });
  await copyFile(join(ROOT, 'package.json'), join(modules, 'ragstone/package.json'));
  await symlink('../ragstone/dist/faces/cli/main.js', join(modules, '.bin/ragstone'));
  const place = '/opt/ragstone/node_modules/ragstone';
  return {
    [`${place}/dist`]: join(ROOT, 'dist'),
    [`${place}/models`]: join(ROOT, 'models'),
    [`${place}/node_modules`]: resolve(ROOT, 'node_modules'),
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
