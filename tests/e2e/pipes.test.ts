import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { finished, runRagstone, startRagstone } from './run-ragstone.js';
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

// Invariant: what came with a folder is opened only where it is a regular file. Kept by src/security/regular-file.ts, and for what
// drivers open by src/config/trust/odd-entries.ts.
describe.skipIf(process.platform === 'win32')('a pipe in the place of a file', () => {
  // Each command would wait for ever; `timeout` ends it with 137 then, for it can be in a read that hears no signal.
  const under = ['timeout', '-s', 'KILL', '60'];
  const codeOf = async (command: string, cwd: string): Promise<number | null> =>
    (await runRagstone(command.split(' '), { cwd, under })).code;

  it('holds up no command in a data folder, and the message names it', async () => {
    const cwd = temporaryFolder(FILES);
    for (const path of DATA_FOLDER) {
      plantPipe(join(cwd, '.ragstone', path));
      const { code, stderr } = await runRagstone(['status'], { cwd, under });
      expect([path, code]).toEqual([path, 1]);
      expect(stderr).toContain(join('.ragstone', path));
      rmSync(join(cwd, '.ragstone'), { recursive: true });
    }
  });

  it.each([
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
  ])('%s holds up no %s', async (path, command, code) => {
    const cwd = temporaryFolder(FILES);
    execFileSync('git', ['init', '-q'], { cwd });
    const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    execFileSync('git', [...author, 'commit', '-q', '--allow-empty', '-m', 'first'], { cwd });
    plantPipe(join(cwd, path));
    expect(await codeOf(command, cwd)).toBe(code);
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
