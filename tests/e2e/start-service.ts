import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable } from 'node:stream';
import { finished, type Outcome, openRagstone, type RunOptions, startRagstone } from './run-ragstone.js';

interface RunningService {
  readonly url: string;
  readonly ended: Promise<Outcome>;
}

/** A service in this process. */
export interface Service extends RunningService {
  /** Ends it as SIGTERM does, and resolves when it has ended. */
  readonly stop: () => Promise<Outcome>;
}

/** A service in a process of its own. */
export interface SpawnedService extends RunningService {
  readonly process: ChildProcessWithoutNullStreams;
}

const serveOnFreePort = (args: readonly string[]): string[] => ['serve', '--port', '0', '--json', ...args];

/** Opens a service on a free port in this process, and waits until it says where it listens. The caller stops it. */
export async function openService(
  cwd: string,
  args: readonly string[] = [],
  env: RunOptions['env'] = {},
): Promise<Service> {
  const { stdout, stop, ended } = openRagstone(serveOnFreePort(args), { cwd, env });
  const stopped = (): Promise<Outcome> => {
    stop();
    return ended;
  };
  return { url: await addressIn(stdout, ended), stop: stopped, ended };
}

/** Starts a service on a free port, and waits until it says where it listens. The caller kills it. */
export async function startService(
  cwd: string,
  args: readonly string[] = [],
  env: RunOptions['env'] = {},
): Promise<SpawnedService> {
  const process = startRagstone(serveOnFreePort(args), { cwd, env });
  const ended = finished(process);
  return { url: await addressIn(process.stdout, ended), process, ended };
}

function addressIn(stdout: Readable, ended: Promise<Outcome>): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stdout.on('data', (part: Buffer | string) => {
      text += part.toString();
      const found = /"url": "([^"]+)"/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(({ stderr }) => reject(new Error(`it ended: ${stderr}`)));
  });
}
