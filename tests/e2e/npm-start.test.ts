import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../wait-for.js';
import { temporaryFolder } from './temporary-folder.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const EXAMPLES = ['asdlc', 'backlog-chef', 'bug-bot', 'career-chatbot', 'spaarke'];

/** Listens, and says when it was told to end. */
const MAIN = `import { createServer } from 'node:http';
const server = createServer().listen(0, '127.0.0.1', () => console.log(\`main \${process.pid}\`));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    console.log('stopped');
    server.close();
  });
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function scriptsOf(example: string): { readonly start: string } {
  const text = readFileSync(join(ROOT, 'examples', example, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly scripts: { readonly start: string } }).scripts;
}

/** A folder with the start script of an example, and another main. */
function withScriptOf(example: string): string {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'src'));
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ type: 'module', scripts: scriptsOf(example) }));
  writeFileSync(join(cwd, 'src/main.ts'), MAIN);
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
  return cwd;
}

test.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM'] as const)(
  '%s of "npm start" ends what it started',
  async (signal) => {
    const npm = spawn('npm', ['start'], {
      cwd: withScriptOf('bug-bot'),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    npm.stdout.on('data', (part) => (said += String(part)));
    const main = await waitFor(() => {
      const pid = Number(/main (\d+)/.exec(said)?.[1]);
      expect(pid).toBeGreaterThan(0);
      return pid;
    });
    onTestFinished(() => {
      if (isAlive(main)) process.kill(main, 'SIGKILL');
    });
    npm.kill(signal);
    await waitFor(() => expect(isAlive(main)).toBe(false));
    await waitFor(() => expect(npm.exitCode ?? npm.signalCode).not.toBeNull());
    expect(said).toContain('stopped');
  },
);

test.each(EXAMPLES)('the start script of %s leaves no shell between', (example) => {
  expect(scriptsOf(example).start).toBe('exec node --import tsx src/main.ts');
});
