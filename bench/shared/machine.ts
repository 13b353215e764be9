import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { REPOSITORY } from './places.js';

/** Where and on what a benchmark ran. */
export interface Circumstances {
  readonly date: string;
  readonly commit: string;
  /** Source files differ from the commit. */
  readonly isModified: boolean;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly platform: string;
    readonly node: string;
    /** Mean of running processes over the minute before. Above one a core, times say little; ratios still hold. */
    readonly loadBefore: number;
  };
}

export function circumstances(): Circumstances {
  return {
    date: new Date().toISOString(),
    commit: git('rev-parse', '--short=12', 'HEAD'),
    isModified: git('status', '--porcelain', '--', 'src', 'models', 'bench') !== '',
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      platform: `${process.platform} ${process.arch}`,
      node: process.version,
      loadBefore: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    },
  };
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { cwd: REPOSITORY, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
