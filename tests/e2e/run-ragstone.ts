import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { runCli } from '../../src/faces/cli/run-cli.js';

/** Folder of the built package. */
export const DIST = new URL('../../dist/', import.meta.url);

const MAIN = fileURLToPath(new URL('faces/cli/main.js', DIST));

export interface RunOptions {
  /** Working folder. */
  readonly cwd: string;
  /** Variables beside those that a process needs; nothing else of the test's environment is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** A command that runs Node.js under its conditions, such as `prlimit --fsize=60000`. */
  readonly under?: readonly string[];
  /** What is piped into it. @default nothing */
  readonly input?: string;
  /** Leave its stdin open after the input. @default false */
  readonly open?: boolean;
}

/** What one command left behind. */
export interface Outcome {
  /** Exit code; null where a signal ended the process. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command prints with `--json` where it fails as a whole. */
export interface ErrorDocument {
  readonly error: {
    readonly code: string;
    readonly reason: string;
    readonly category: string;
    readonly message: string;
  };
}

const variablesOf = (env: RunOptions['env']): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  XDG_STATE_HOME: process.env.XDG_STATE_HOME ?? '',
  // Tests write configurations with hosts into folders of their own; those of trust say so.
  RAGSTONE_TRUST: '1',
  NO_COLOR: '1',
  ...env,
});

/** Starts the built command line as a person's shell would; its stdin ends after the input unless it is to stay open. */
export function startRagstone(
  args: readonly string[],
  { cwd, env, under = [], input, open = false }: RunOptions,
): ChildProcessWithoutNullStreams {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is not built: run "npm run build".`);
  const [command = process.execPath, ...rest] = [...under, process.execPath, MAIN, ...args];
  const child = spawn(command, rest, { cwd, env: variablesOf(env), stdio: 'pipe' });
  if (!open) child.stdin.end(input);
  else if (input !== undefined) child.stdin.write(input);
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  return child;
}

/** Resolves when a started command has ended, however it ended. */
export function finished(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** Runs a command in a process of its own to its end. */
export const spawnRagstone = (args: readonly string[], options: RunOptions): Promise<Outcome> =>
  finished(startRagstone(args, options));

/** A command that runs in this process. */
export interface OpenCommand {
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  /** Asks it to end, as SIGTERM does. */
  readonly stop: () => void;
  readonly ended: Promise<Outcome>;
}

/** Begins the built command in this process; its stdin ends after the input unless it is to stay open. */
export function openRagstone(
  args: readonly string[],
  { cwd, env, input, open = false }: Omit<RunOptions, 'under'>,
): OpenCommand {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  if (input !== undefined) stdin.write(input);
  if (!open) stdin.end();
  const [printed, told] = [stdout, stderr].map(heard);
  const ending = new AbortController();
  const run = async (): Promise<Outcome> => {
    const built = (await import(new URL('faces/cli/run-cli.js', DIST).href)) as {
      readonly runCli: typeof runCli;
    };
    const { signal } = ending;
    const code = await built.runCli(args, { cwd, env: variablesOf(env), stdin, stdout, stderr, signal });
    return { code, signal: null, stdout: printed?.() ?? '', stderr: told?.() ?? '' };
  };
  return { stdin, stdout, stderr, stop: () => ending.abort(new Error('interrupted')), ended: run() };
}

/** What a stream was given so far. */
function heard(stream: PassThrough): () => string {
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  return () => Buffer.concat(parts).toString();
}

/** Runs a command to its end; what needs a process of its own (`under`) gets one. */
export const runRagstone = (args: readonly string[], options: RunOptions): Promise<Outcome> =>
  options.under === undefined ? openRagstone(args, options).ended : spawnRagstone(args, options);

/** The one JSON document that a command printed with `--json`. */
export function documentOf<T = Readonly<Record<string, unknown>>>({ stdout, stderr }: Outcome): T {
  try {
    return JSON.parse(stdout) as T;
  } catch (error) {
    throw new Error(
      `stdout is not one JSON document: ${stdout.slice(0, 500)}\nstderr: ${stderr.slice(0, 2000)}`,
      {
        cause: error,
      },
    );
  }
}

/** Runs a command with `--json` to its end. */
export async function ragstoneJson<T>(
  args: readonly string[],
  options: RunOptions,
): Promise<Outcome & { readonly document: T }> {
  const outcome = await runRagstone([...args, '--json'], options);
  return { ...outcome, document: documentOf<T>(outcome) };
}
