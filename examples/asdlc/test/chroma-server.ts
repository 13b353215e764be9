import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from './environment.js';

/** A Chroma server of this test alone. */
export interface ChromaServer {
  readonly port: number;
  stop(): Promise<void>;
}

const START_MS = 60_000;

/** Starts a server in an empty folder, or in the one of an earlier server. */
export async function startChroma(
  program: string,
  { port, folder = temporaryFolder() }: { readonly port?: number; readonly folder?: string } = {},
): Promise<ChromaServer> {
  const at = port ?? (await freePort());
  const child = spawn(program, ['run', '--path', folder, '--host', '127.0.0.1', '--port', String(at)], {
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  for (const end = Date.now() + START_MS; Date.now() < end && child.exitCode === null; await sleep(100))
    if (await isUp(at)) return { port: at, stop };
  await stop();
  throw new Error(`${program} does not answer.`);
}

const isUp = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/api/v2/heartbeat`).then(
    ({ ok }) => ok,
    () => false,
  );

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
