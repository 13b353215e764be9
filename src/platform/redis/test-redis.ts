import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { openRedis } from './open-redis.js';

/** Whether this machine has the program. Tests that need it are reported as skipped where it has not. */
export const hasRedis = (): boolean => spawnSync('redis-server', ['--version']).status === 0;

/** A port where nobody listens, a moment later. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

/** A server of this test, ready. */
export async function startRedis(port: number): Promise<ChildProcess> {
  const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', temporaryFolder()];
  const server = spawn('redis-server', ['--port', String(port), ...options]);
  onTestFinished(() => void server.kill('SIGKILL'));
  await new Promise<void>((ready, failed) => {
    server.once('error', failed);
    server.stdout.on('data', (part: Buffer) => {
      if (part.includes('Ready to accept connections')) ready();
    });
  });
  return server;
}

/** A connection, with whether the server answers as it was told of. */
export async function connectedRedis(port: number) {
  const told: boolean[] = [];
  const redis = await openRedis({ url: `redis://127.0.0.1:${port}`, onChange: (isUp) => told.push(isUp) });
  onTestFinished(() => redis.close());
  return { redis, told };
}
