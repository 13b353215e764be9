import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import type { Example } from './example.js';

/** What the tests of an example came to. */
export interface TestOutcome {
  readonly passed: readonly string[];
  readonly skipped: readonly string[];
  readonly failed: readonly string[];
  /** Everything that was printed, for debugging. */
  readonly report: string;
}

const RESULT = /^ *(not ok|ok) \d+ - (.*?)(?: # (SKIP|TODO)\b.*)?$/gm;

/** Runs the script `test` of an example where it is installed, so that each test says how it ended. */
export async function runTests(
  { packageJson }: Pick<Example, 'packageJson'>,
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
): Promise<TestOutcome> {
  const command = packageJson.scripts.test.replace(' --test ', ' --test --test-reporter=tap ');
  const PATH = [join(folder, 'node_modules', '.bin'), env.PATH].join(delimiter);
  const { code, report } = await runShell(command, { folder, env: { ...env, PATH } });
  const results = [...report.matchAll(RESULT)].map(([, verdict, title = '', directive]) => ({
    title: title.replaceAll(String.raw`\#`, '#'),
    kind: directive !== undefined ? 'skipped' : verdict === 'ok' ? 'passed' : 'failed',
  }));
  const titlesOf = (kind: string): string[] =>
    results.filter((result) => result.kind === kind).map(({ title }) => title);
  const failed = titlesOf('failed');
  const outcome = { passed: titlesOf('passed'), skipped: titlesOf('skipped'), report };
  const isUnexplained = code !== 0 || outcome.passed.length === 0;
  return {
    ...outcome,
    failed: failed.length === 0 && isUnexplained ? [`"${command}" ended with ${code}`] : failed,
  };
}

/** Runs a command of a shell to its end; both of its outputs are one. */
export function runShell(
  command: string,
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
): Promise<{ readonly code: number | null; readonly report: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', `exec 2>&1; ${command}`], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let report = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      report += part;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, report }));
  });
}
