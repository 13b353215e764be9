import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { DIST } from './run-ragstone.js';
import { sharedFolder } from './temporary-folder.js';

/** A program with a command line of its own. */
const PROGRAM = `
import { Command } from ${JSON.stringify(import.meta.resolve('commander'))};
import { ragCommands } from ${JSON.stringify(new URL('backlog/index.js', DIST).href)};
const program = new Command('backlog-chef');
const rag = program.command('rag');
for (const command of Object.values(ragCommands)) rag.addCommand(command);
await program.parseAsync();
`;

describe('commands that another program mounts', () => {
  const cwd = sharedFolder({
    'docs/logins.md': '# Logins\n\nA login needs an OAuth token.\n',
    'chef.mjs': PROGRAM,
  });

  const chef = (...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, ['chef.mjs', ...args], {
        cwd,
        env: { PATH: process.env.PATH, NO_COLOR: '1' },
      });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (data: Buffer) => {
        stdout += data.toString();
      });
      child.stderr.on('data', (data: Buffer) => {
        stderr += data.toString();
      });
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
    });

  test('index, search, status, config and clear work as those of their name, options and exit codes included', async () => {
    expect(await chef('rag', 'index', 'docs', '--quiet')).toMatchObject({ code: 0 });
    const found = await chef('rag', 'search', 'what does a login need', '--json', '--top-k', '1');
    expect(JSON.parse(found.stdout)).toMatchObject({
      results: [{ content: expect.stringContaining('OAuth') }],
    });
    expect(JSON.parse((await chef('rag', 'status', '--json')).stdout)).toMatchObject({ documents: 1 });
    expect(JSON.parse((await chef('rag', 'config', 'check', '--json')).stdout)).toMatchObject({ ok: true });
    expect(await chef('rag', 'search', 'x', '--no-such-option')).toMatchObject({ code: 2 });
    expect((await chef('rag', 'search', '--help')).stdout).toContain('--top-k');
    expect(await chef('rag', 'clear')).toMatchObject({ code: 2 });
    expect(await chef('rag', 'clear', '--yes')).toMatchObject({ code: 0 });
  });
});
