import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PLACES } from './places.js';

/** `ragstone serve` as a process of its own. */
export interface RunningService {
  readonly url: string;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  /** Lets requests under way finish. */
  stop(): Promise<void>;
}

/** The command of the package that is installed here. */
function ragstoneCommand(): string {
  const require = createRequire(import.meta.url);
  const { bin } = require('ragstone/package.json') as { readonly bin: { readonly ragstone: string } };
  return join(dirname(require.resolve('ragstone/package.json')), bin.ragstone);
}

/**
 * Starts the service and waits until it listens. What it says goes to standard error.
 *
 * @throws Error where it ends before: a port that is taken, a setting that is wrong
 */
export async function runService(
  env: Readonly<Record<string, string>>,
  { port = 0 }: { readonly port?: number | undefined } = {},
): Promise<RunningService> {
  const options = ['--quiet', '--config', PLACES.config, '--data', PLACES.index, '--port', String(port)];
  const child = spawn(process.execPath, [ragstoneCommand(), 'serve', ...options], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // A second signal would end it at once.
  const end = (): void => {
    if (!child.killed) child.kill('SIGTERM');
  };
  // Also before it listens. A terminal sends Ctrl-C to this program and to npm, which passes it on.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);
  const ended = once(child, 'exit').then(() => child.exitCode);
  const url = await Promise.race([addressOf(child), ended.then(() => undefined)]);
  if (url === undefined) throw new Error('The service did not start; it says why above.');
  return {
    url,
    ended,
    stop: async () => {
      end();
      await ended;
    },
  };
}

/** Its first output is where it listens. */
async function addressOf({ stdout }: ChildProcess): Promise<string | undefined> {
  let text = '';
  for await (const part of stdout ?? []) {
    text += String(part);
    const url = / listens at (\S+)\. /.exec(text)?.[1];
    if (url !== undefined) return url;
  }
  return undefined;
}
