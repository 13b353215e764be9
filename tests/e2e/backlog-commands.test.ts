import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { DIST, finished } from './run-ragstone.js';
import { sharedFolder } from './temporary-folder.js';

/** A program with a command line of its own, which it is given several times. After each it prints a line with how that ended. */
const PROGRAM = `
import { Command } from ${JSON.stringify(import.meta.resolve('commander'))};
import { ragCommands } from ${JSON.stringify(new URL('compat/backlog/index.js', DIST).href)};
for (const args of JSON.parse(process.argv[2])) {
  const program = new Command('backlog-chef');
  const rag = program.command('rag');
  for (const command of Object.values(ragCommands)) rag.addCommand(command);
  process.exitCode = 0;
  await program.parseAsync(args, { from: 'user' });
  console.log('== exit ' + process.exitCode);
}
`;

describe('commands that another program mounts', () => {
  const cwd = sharedFolder({
    'docs/logins.md': '# Logins\n\nA login needs an OAuth token.\n',
    'chef.mjs': PROGRAM,
  });

  /** What each command printed, and its exit code. */
  async function chef(...lines: readonly string[][]): Promise<{ code: number; stdout: string }[]> {
    const env = { PATH: process.env.PATH, NO_COLOR: '1' };
    const child = spawn(process.execPath, ['chef.mjs', JSON.stringify(lines)], { cwd, env, stdio: 'pipe' });
    const { stdout } = await finished(child);
    return [...stdout.matchAll(/(.*?)== exit (\d+)\n/gs)].map(([, printed = '', code]) => ({
      code: Number(code),
      stdout: printed,
    }));
  }

  test('index, search, status, config and clear work as those of their name, options and exit codes included', async () => {
    const [indexed, found, status, checked, refused, help, unconfirmed, cleared] = await chef(
      ['rag', 'index', 'docs', '--quiet'],
      ['rag', 'search', 'what does a login need', '--json', '--top-k', '1'],
      ['rag', 'status', '--json'],
      ['rag', 'config', 'check', '--json'],
      ['rag', 'search', 'x', '--no-such-option'],
      ['rag', 'search', '--help'],
      ['rag', 'clear'],
      ['rag', 'clear', '--yes'],
    );
    expect(indexed?.code).toBe(0);
    expect(JSON.parse(found?.stdout ?? '')).toMatchObject({
      results: [{ content: expect.stringContaining('OAuth') }],
    });
    expect(JSON.parse(status?.stdout ?? '')).toMatchObject({ documents: 1 });
    expect(JSON.parse(checked?.stdout ?? '')).toMatchObject({ ok: true });
    expect(refused?.code).toBe(2);
    expect(help?.stdout).toContain('--top-k');
    expect(unconfirmed?.code).toBe(2);
    expect(cleared?.code).toBe(0);
  });
});
