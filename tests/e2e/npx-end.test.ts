import { expect, onTestFinished, test } from 'vitest';
import { finished, startRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

/** What `npx` starts: a shell that runs the command, and tells it nothing when it is killed. */
const SHELL = ['sh', '-c', '"$@" & echo "pid $!" >&2; wait', 'sh'];

test('a service ends with the npx that started it', async () => {
  const shell = startRagstone(['serve', '--port', '0', '--json'], {
    cwd: temporaryFolder(),
    env: { npm_lifecycle_event: 'npx', npm_lifecycle_script: "'ragstone'" },
    under: SHELL,
  });
  const ended = finished(shell);
  const told = async (pattern: RegExp): Promise<string> => {
    let text = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (part: string) => {
        text += part;
      });
    await expect.poll(() => pattern.exec(text)?.[1]).toBeDefined();
    return pattern.exec(text)?.[1] ?? '';
  };
  const [url, pid] = await Promise.all([told(/"url": "([^"]+)"/), told(/pid (\d+)/)]);
  onTestFinished(() => {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It ended, as it should.
    }
  });
  expect((await fetch(`${url}/health/rag/live`)).status).toBeLessThan(600);
  shell.kill('SIGTERM');
  // Its pipes close with the service, not with the shell.
  await ended;
  await expect(fetch(`${url}/health/rag/live`)).rejects.toThrow();
});
