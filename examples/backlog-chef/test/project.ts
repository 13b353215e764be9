import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Issue, readIssues, SAMPLE } from '../src/issues.js';
import { makeRuns } from '../src/runs.js';
import { PROJECT } from '../src/settings.js';

/** A folder as `npm start` works in: the example's documents and configuration, and the runs of a history. */
export interface Project {
  readonly folder: string;
  readonly output: string;
  /** What the pipeline has still before it. */
  readonly waiting: readonly Issue[];
}

/** Makes one in a new folder, which is removed when the process ends. */
export function makeProject(issues: string | URL = SAMPLE): Project {
  const folder = mkdtempSync(join(tmpdir(), 'backlog-chef-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const part of ['config', 'docs', 'README.md'])
    cpSync(join(fileURLToPath(PROJECT), part), join(folder, part), { recursive: true });
  const output = join(folder, 'output');
  return { folder, output, waiting: makeRuns(readIssues(issues), { folder: output }) };
}
