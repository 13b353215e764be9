import { spawnSync } from 'node:child_process';
import type { RunOptions } from './run-ragstone.js';

/**
 * How a command runs as somebody whom file permissions bind. Root keeps its files and loses the right to pass over their
 * modes; undefined where that cannot be arranged.
 */
export const UNPRIVILEGED: Pick<RunOptions, 'under'> | undefined = arrange();

function arrange(): Pick<RunOptions, 'under'> | undefined {
  if (process.getuid?.() !== 0) return process.platform === 'win32' ? undefined : {};
  const under = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'];
  const [command = '', ...rest] = [...under, 'true'];
  return spawnSync(command, rest).status === 0 ? { under } : undefined;
}

/** Whether a program of the system is there and runs. */
export const runs = (command: string, ...args: readonly string[]): boolean =>
  spawnSync(command, [...args]).status === 0;
