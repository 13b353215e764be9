import { resolve } from 'node:path';
import { type RunningServer, startServer } from '../../tools/test-stores/start-server.js';
import { STORES } from '../../tools/test-stores/stores.js';
import { REPOSITORY } from '../shared/places.js';

const SCRIPTS = resolve(REPOSITORY, process.env.RAGSTONE_SERVERS ?? '../shared/servers');

/** Addresses of the servers that workers share. */
export interface Servers {
  readonly postgres: string;
  readonly redis: string;
}

/** Starts a PostgreSQL and a Redis, or takes those that the variables of the tests name, and stops what it started. */
export async function withServers<T>(work: (servers: Servers) => Promise<T>): Promise<T> {
  const { server, beside = [] } = STORES.find(({ name }) => name === 'workers') ?? {};
  const running: RunningServer[] = [];
  try {
    for (const one of [server, ...beside])
      if (one !== undefined)
        running.push(await startServer(one, { scripts: SCRIPTS, say: (text) => console.error(text) }));
    const [postgres = '', redis = ''] = running.map(({ url }) => url);
    return await work({ postgres, redis });
  } finally {
    for (const { stop } of running) await stop();
  }
}
