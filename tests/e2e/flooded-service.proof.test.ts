import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { startService } from './start-service.js';
import { temporaryFolder } from './temporary-folder.js';

const TIMEOUT_MS = 300_000;
const MIB = 1_048_576;
/** What ten connections with 1,500 answers each held before was 2.5 GB. */
const MOST_GROWTH = 150 * MIB;

const residentBytes = (pid: number | undefined): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;

it.skipIf(process.platform !== 'linux')(
  'a service whose answers nobody reads keeps its size, and answers the health',
  async () => {
    const service = await startService(temporaryFolder());
    const { hostname, port } = new URL(service.url);
    const isHealthy = async () => (await fetch(`${service.url}/health/rag/live`)).status === 200;
    const flood = async (requests: number): Promise<Socket> => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      await once(socket, 'connect');
      socket.pause();
      socket.write('GET /docs HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(requests));
      return socket;
    };
    try {
      expect((await fetch(`${service.url}/docs`)).status).toBe(200);
      const before = residentBytes(service.process.pid);
      const sockets: Socket[] = [];
      // Some that are cut off for it, and some that stay below what closes a connection.
      for (let turn = 0; turn < 10; turn += 1) {
        sockets.push(await flood(1_500), await flood(30));
        expect(await isHealthy()).toBe(true);
      }
      for (let turn = 0; turn < 20; turn += 1) expect(await isHealthy()).toBe(true);
      expect(residentBytes(service.process.pid) - before).toBeLessThan(MOST_GROWTH);
      for (const socket of sockets) socket.destroy();
    } finally {
      service.process.kill('SIGTERM');
      await service.ended;
    }
  },
  TIMEOUT_MS,
);
