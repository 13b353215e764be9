import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Hooks of githooks(5) that any of Git's reading or fetching commands could start. */
const HOOKS = [
  'post-checkout',
  'post-index-change',
  'pre-auto-gc',
  'proc-receive',
  'fsmonitor-watchman',
  'reference-transaction',
  'post-update',
  'pre-receive',
  'update',
];

/** Keys of git-config(1) whose value is a command line, beside those with a form of their own. */
const COMMAND_KEYS = [
  'core.fsmonitor',
  'core.sshCommand',
  'core.gitProxy',
  'core.pager',
  'core.editor',
  'core.askPass',
  'core.alternateRefsCommand',
  'diff.external',
  'diff.trap.command',
  'diff.trap.textconv',
  'merge.trap.driver',
  'filter.trap.clean',
  'filter.trap.smudge',
  'filter.trap.process',
  'gpg.program',
  'gpg.ssh.program',
  'gpg.x509.program',
  'gpg.ssh.defaultKeyCommand',
  'interactive.diffFilter',
  'sequence.editor',
  'uploadpack.packObjectsHook',
  'gc.recentObjectsHook',
  'trailer.trap.command',
  'trailer.trap.cmd',
  'pager.log',
  'pager.ls-tree',
  'remote.origin.uploadpack',
  'remote.origin.receivepack',
  'difftool.trap.cmd',
  'mergetool.trap.cmd',
];

/** Keys whose value takes `!` before a shell command. */
const SHELL_KEYS = [
  'credential.helper',
  'credential.https://example.com.helper',
  'submodule.trap.update',
  ...['ls-tree', 'cat-file', 'log', 'rev-parse', 'merge-base', 'fetch', 'clone', 'config', 'show'].map(
    (command) => `alias.${command}`,
  ),
];

/** A repository that tries to run a program in every way that Git knows. */
export interface HostileRepository {
  readonly folder: string;
  /** Variables of a calling process that would direct Git elsewhere. */
  readonly environment: Readonly<Record<string, string>>;
  /** What has run. */
  ran(): string[];
}

/**
 * A partial clone that lacks one object of the files and one of the history, so that Git wants to fetch both from a remote of
 * the repository's choice; with every setting planted that makes Git start a program.
 */
export function plantHostileRepository(parent: string): HostileRepository {
  const folder = join(parent, 'hostile');
  const ran = join(parent, 'ran');
  for (const path of [folder, ran, join(parent, 'hooks')]) mkdirSync(path, { recursive: true });
  const touch = (name: string): string => `touch '${join(ran, name.replaceAll('/', '_'))}';`;
  const git = gitIn(folder, parent);
  commitFiles(folder, git);
  for (const hooks of [join(parent, 'hooks'), join(folder, '.git', 'hooks')])
    for (const hook of HOOKS) {
      mkdirSync(hooks, { recursive: true });
      writeFileSync(join(hooks, hook), `#!/bin/sh\n${touch(`hook ${hook}`)}\n`);
      chmodSync(join(hooks, hook), 0o755);
    }
  const included = join(parent, 'included.cfg');
  const settings: [string, string][] = [
    ['core.hooksPath', join(parent, 'hooks')],
    ['core.attributesFile', join(folder, '.gitattributes')],
    ['log.showSignature', 'true'],
    ['protocol.allow', 'always'],
    ['protocol.ext.allow', 'always'],
    ['safe.directory', '*'],
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.url', folder],
    ['remote.origin.promisor', 'true'],
    ['remote.second.url', `ext::sh -c ${JSON.stringify(touch('ext'))}`],
    ['remote.second.promisor', 'true'],
    ['remote.third.url', 'ssh://example.invalid/x'],
    ['remote.third.promisor', 'true'],
    ['filter.trap.required', 'true'],
    ...COMMAND_KEYS.map((key): [string, string] => [key, `${touch(key)} true`]),
    ...SHELL_KEYS.map((key): [string, string] => [key, `!${touch(key)} true`]),
    ['include.path', included],
  ];
  // Written without Git, which would obey them.
  writeFileSync(
    included,
    configText([
      ['core.fsmonitor', touch('included')],
      ['alias.log', `!${touch('included alias')}`],
    ]),
  );
  appendFileSync(join(folder, '.git', 'config'), configText(settings));
  return { folder, environment: hostileEnvironment(touch, folder), ran: () => readdirSync(ran).sort() };
}

function gitIn(folder: string, home: string): (...args: string[]) => string {
  return (...args) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, HOME: home },
    });
}

/** Three commits; the objects of `missing.md` now, and of `changed.md` before, are deleted. */
function commitFiles(folder: string, git: (...args: string[]) => string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  git('init', '-q', '-b', 'main');
  write('.gitattributes', '* filter=trap diff=trap merge=trap\n');
  write('docs/guide.md', '# Guide\n');
  write('kept.md', '# Kept\n\nThis file is here.\n');
  write('changed.md', '# Changed\n\nThe old text of a file with some words in it.\n');
  git('add', '-A');
  git('commit', '-qm', 'one');
  const before = git('rev-parse', 'HEAD:changed.md').trim();
  write('missing.md', '# Missing\n\nThis text is only at the remote.\n');
  write('changed.md', '# Changed\n\nThe new text of a file with some words in it.\n');
  git('add', '-A');
  git('commit', '-qm', 'two');
  const now = git('rev-parse', 'HEAD:missing.md').trim();
  for (const object of [before, now])
    rmSync(join(folder, '.git', 'objects', object.slice(0, 2), object.slice(2)), { force: true });
}

const configText = (settings: readonly (readonly [string, string])[]): string =>
  settings
    .map(([key, value]) => {
      const first = key.indexOf('.');
      const last = key.lastIndexOf('.');
      const section = key.slice(0, first);
      const middle = first === last ? '' : ` ${JSON.stringify(key.slice(first + 1, last))}`;
      return `[${section}${middle}]\n\t${key.slice(last + 1)} = ${JSON.stringify(value)}\n`;
    })
    .join('');

const hostileEnvironment = (touch: (name: string) => string, folder: string): Record<string, string> => ({
  GIT_SSH_COMMAND: touch('GIT_SSH_COMMAND'),
  GIT_EXTERNAL_DIFF: touch('GIT_EXTERNAL_DIFF'),
  GIT_PAGER: touch('GIT_PAGER'),
  GIT_ASKPASS: touch('GIT_ASKPASS'),
  GIT_PROXY_COMMAND: touch('GIT_PROXY_COMMAND'),
  GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${touch('GIT_CONFIG_PARAMETERS').replaceAll("'", '"')}'`,
  GIT_CONFIG_GLOBAL: join(folder, '.git', 'config'),
  GIT_DIR: join(folder, '.git'),
  GIT_EXEC_PATH: folder,
  GIT_TRACE2: join(folder, '..', 'ran', 'trace2'),
});
