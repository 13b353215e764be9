import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** What one command left behind. */
export interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Working folder. */
  readonly cwd: string;
  /** Variables beside those that a process needs; nothing else of the test's environment is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Called with the running process, to send it signals. */
  readonly onStart?: (process: {
    kill(signal: NodeJS.Signals): void;
    onStderr(listener: (text: string) => void): void;
  }) => void;
}

/** Runs the built command line as a person's shell would. */
export function runRagstone(args: readonly string[], options: RunOptions): Promise<Outcome> {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is not built: run "npm run build".`);
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', NO_COLOR: '1', ...options.env };
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: options.cwd, env, stdio: 'pipe' });
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
    child.stdin.end(options.input ?? '');
    options.onStart?.({
      kill: (signal) => child.kill(signal),
      onStderr: (listener) => child.stderr.on('data', listener),
    });
  });
}

/** The one JSON document that a command printed. */
export function jsonOf({ stdout }: Outcome): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>;
}
