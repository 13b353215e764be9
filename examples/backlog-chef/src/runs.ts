import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScoredPBI } from 'ragstone/backlog';
import type { Issue } from './issues.js';
import { type Pbi, pbiOf, type Scores, scoreOf } from './pbi.js';

/** How issues become runs of the pipeline. */
export interface RunOptions {
  /** Folder of the runs: `run-001`, `run-002`, … are made anew in it. */
  readonly folder: string;
  /** Items of one run. @default 6 */
  readonly size?: number;
  /** The newest issues, which no run holds: the pipeline has them still before it. @default 4 */
  readonly waiting?: number;
}

/**
 * What runs of the pipeline would have left behind for a history of issues: for each run the items, their scores, and the final output. So
 * every item stands in three files. Issues must be in their order in time.
 *
 * @returns the issues that wait
 */
export function makeRuns(issues: readonly Issue[], { folder, size = 6, waiting = 4 }: RunOptions): Issue[] {
  rmSync(folder, { recursive: true, force: true });
  const history = issues.slice(0, Math.max(0, issues.length - waiting));
  for (let start = 0; start < history.length; start += size) {
    const scored = history.slice(start, start + size).map(scoredPbi);
    const run = join(folder, runName(start / size + 1));
    writeStep(run, 'step-2-extract-pbis.json', { pbis: scored.map(({ pbi }) => pbi) });
    writeStep(run, 'step-3-score-confidence.json', { scored_pbis: scored });
    writeStep(run, 'final-output.json', { pbis: scored.map(({ pbi, scores }) => ({ ...pbi, ...scores })) });
  }
  return issues.slice(history.length);
}

/** Step 2 and 3 of the pipeline: an issue as an item, with how sure one may be of it. */
export function scoredPbi(issue: Issue): ScoredPBI<Pbi, Scores> & { readonly scores: Scores } {
  const pbi = pbiOf(issue);
  return { pbi, scores: scoreOf(pbi) };
}

export const runName = (number: number): string => `run-${String(number).padStart(3, '0')}`;

/** One file of a run. */
export function writeStep(run: string, name: string, content: object): void {
  mkdirSync(run, { recursive: true });
  writeFileSync(join(run, name), `${JSON.stringify(content, null, 2)}\n`);
}
