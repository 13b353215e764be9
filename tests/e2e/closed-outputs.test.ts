import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { DIST, runRagstone } from './run-ragstone.js';
import { sharedFolder } from './temporary-folder.js';

const MAIN = fileURLToPath(new URL('faces/cli/main.js', DIST));
const RAGSTONE = `"${process.execPath}" "${MAIN}"`;

describe.skipIf(process.platform === 'win32')('a command', () => {
  const part = 'Logs are kept for thirty days and deleted then. '.repeat(40);
  const text = Array.from({ length: 120 }, (_, at) => `## Part ${at}\n\n${part}\n`).join('\n');
  const cwd = sharedFolder({ 'ragstone.yaml': 'rag: { provider: libsql }\n', 'docs/logs.md': text });
  beforeAll(async () => {
    expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
  });

  /** What a shell says of a line, and the exit code of the command that is first in it. */
  function shell(line: string) {
    const { stdout, stderr } = spawnSync('sh', ['-c', line.replaceAll('ragstone', RAGSTONE)], {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: cwd, XDG_STATE_HOME: cwd, RAGSTONE_TRUST: '1', NO_COLOR: '1' },
    });
    return { stdout, stderr };
  }

  it.each(['search "logs kept" --top-k 100', 'search "logs kept" --top-k 100 --json', 'status', '--help'])(
    'whose reader goes early ends quietly, and well: %s',
    (command) => {
      const { stdout, stderr } = shell(`{ ragstone ${command}; echo "exit $?" >&2; } | head -1`);
      expect(stdout.split('\n')).toHaveLength(2);
      expect(stderr).toBe('exit 0\n');
      expect(shell(`{ ragstone ${command} 2>&1; } | true`).stderr).toBe('');
    },
  );

  it
    .skipIf(!existsSync('/dev/full'))
    .each([
      'search "logs kept"',
      'search "logs kept" --json',
      'status --json',
      '--help',
      '--version',
      'index --help',
      'help search',
      'config check',
    ])('that cannot write says so in a line, and fails: %s', (command) => {
    const { stderr } = shell(`ragstone ${command} > /dev/full; echo "exit $?" >&2`);
    expect(stderr).toMatch(/^error: The output could not be written: ENOSPC.*\nexit 1\n$/);
  });
});
