import { spawn } from 'node:child_process';

export interface ProcessOutcome {
  readonly stdout: string;
  /** From spawning to the end, in milliseconds. */
  readonly ms: number;
}

export interface ProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Runs a program to its end. Rejects, with what it wrote to stderr, where it does not exit with 0. */
export function runProcess(
  command: string,
  args: readonly string[],
  { env, cwd }: ProcessOptions = {},
): Promise<ProcessOutcome> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
      cwd,
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      const ms = performance.now() - start;
      if (code === 0) resolve({ stdout: Buffer.concat(stdout).toString('utf8'), ms });
      else
        reject(
          new Error(
            `${command} ${args.join(' ')} ended with ${code}: ${Buffer.concat(stderr).toString('utf8')}`,
          ),
        );
    });
  });
}
