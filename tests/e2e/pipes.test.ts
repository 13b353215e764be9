import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DIST, finished, startRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

const plantPipe = (path: string): void => {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('mkfifo', [path]);
};

const CONFIG = `rag:
  provider: libsql
  answering: { instructions: docs/rules.txt }
  sources:
    - { name: notes, type: files, root: docs }
    - { name: code, type: git }
`;
const FILES = {
  'docs/a.md': '# Logs\n\nLogs are kept for a week.\n',
  'docs/rules.txt': 'Be brief.',
  'ragstone.yaml': CONFIG,
};

const DATA_FOLDER = [
  ...[
    'ledger.db',
    'ledger.db-wal',
    'ledger.db-shm',
    'ledger.db-journal',
    'writer.lock',
    'writer.lock-journal',
  ],
  ...['writer.json', 'models.json', 'store', 'store/x.lance/data/a.lance', 'lexical/store.db'],
  ...['cache/embeddings/live.log', 'git/a.git/objects/pack/pack-a.idx'],
];

/** Runs many commands one after the other in one process, and prints what each left behind as a line. */
const RUN_MANY = `
const { runCli } = await import(${JSON.stringify(new URL('faces/cli/run-cli.js', DIST).href)});
const { PassThrough } = await import('node:stream');
const { signal } = new AbortController();
for (const { args, cwd } of JSON.parse(process.argv[1])) {
  const [stdin, stdout, stderr] = [new PassThrough().end(), new PassThrough().resume(), new PassThrough()];
  const said = stderr.toArray();
  const code = await runCli(args, { cwd, stdin, stdout, stderr, signal });
  stderr.end();
  console.log(JSON.stringify({ code, stderr: Buffer.concat(await said).toString() }));
}
`;

interface Line {
  readonly args: readonly string[];
  readonly cwd: string;
}

// Each command would wait for ever; `timeout` ends all with 137 then, for one can be in a read that hears no signal.
async function runMany(lines: readonly Line[]): Promise<{ code: number; stderr: string }[]> {
  const program = ['-s', 'KILL', '120', process.execPath, '--input-type=module', '--eval', RUN_MANY];
  const child = spawn('timeout', [...program, '--', JSON.stringify(lines)], { stdio: 'pipe' });
  const { stdout } = await finished(child);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { code: number; stderr: string });
}

/** What a folder asks for, the command that is run there, and the exit code that it ends with. */
const COMMANDS = [
  ['ragstone.yaml', 'status', 2],
  ['config/rag-config.yaml', 'index', 2],
  ['docs/a.md', 'index', 0],
  ['docs/.gitignore', 'index', 0],
  ['.git', 'index', 1],
  ['.git/HEAD', 'index', 1],
  ['.git/shallow', 'index', 1],
  ['.git/objects/info/alternates', 'index', 1],
  ['package.json', 'init --force --lancedb', 2],
  ['ragstone.yaml', 'init --force', 0],
] as const;

// Invariant: what came with a folder is opened only where it is a regular file. Kept by src/platform/security/regular-file.ts, and for what
// drivers open by src/config/trust/odd-entries.ts.
describe.skipIf(process.platform === 'win32')('a pipe in the place of a file', () => {
  it('holds up no command in a data folder, and the message names it', async () => {
    const folders = DATA_FOLDER.map((path) => {
      const cwd = temporaryFolder(FILES);
      plantPipe(join(cwd, '.ragstone', path));
      return { path, cwd };
    });
    const outcomes = await runMany(folders.map(({ cwd }) => ({ args: ['status'], cwd })));
    expect(outcomes.map(({ code }) => code)).toEqual(folders.map(() => 1));
    for (const [at, { path }] of folders.entries())
      expect(outcomes[at]?.stderr).toContain(join('.ragstone', path));
  });

  it('holds up no command elsewhere', async () => {
    const lines = COMMANDS.map(([path, command]) => {
      const cwd = temporaryFolder(FILES);
      execFileSync('git', ['init', '-q'], { cwd });
      const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
      execFileSync('git', [...author, 'commit', '-q', '--allow-empty', '-m', 'first'], { cwd });
      plantPipe(join(cwd, path));
      return { args: command.split(' '), cwd };
    });
    const outcomes = await runMany(lines);
    expect(outcomes.map(({ code }, at) => [...(COMMANDS[at] ?? []).slice(0, 2), code])).toEqual(COMMANDS);
  });

  it('that the user names is waited for, and a signal ends that', async () => {
    const cwd = temporaryFolder({});
    plantPipe(join(cwd, 'named.yaml'));
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const child = startRagstone(['status', '--config', 'named.yaml', '--log-level', 'debug'], { cwd });
      child.stderr.on('data', (text: string) => {
        if (text.includes('opening the engine')) child.kill(signal);
      });
      expect(await finished(child)).toMatchObject({ code: null, signal });
    }
  });
});
