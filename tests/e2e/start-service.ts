import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { finished, type Outcome, type RunOptions, startRagstone } from './run-ragstone.js';

export interface Service {
  readonly url: string;
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Outcome>;
}

/** Starts the service on a free port, and waits until it says where it listens. Whoever starts it kills it. */
export async function startService(
  cwd: string,
  args: readonly string[] = [],
  env: RunOptions['env'] = {},
): Promise<Service> {
  const process = startRagstone(['serve', '--port', '0', '--json', ...args], { cwd, env });
  const ended = finished(process);
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    process.stdout.on('data', (part: string) => {
      text += part;
      const found = /"url": "([^"]+)"/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(({ stderr }) => reject(new Error(`it ended: ${stderr}`)));
  });
  return { url, process, ended };
}
