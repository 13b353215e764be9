import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningServer, startServer } from '../test-stores/start-server.js';
import { type ServerUnderTest, STORES } from '../test-stores/stores.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPTS = resolve(ROOT, process.env.RAGSTONE_SERVERS ?? '../shared/servers');

const DATA = resolve(ROOT, '../shared/data');

/** The files of an example's evaluation data that are here, by the variables that name them. */
export function dataVariables(files: Readonly<Record<string, string>>): Record<string, string> {
  const places = Object.entries(files).map(([variable, file]) => [variable, join(DATA, file)] as const);
  return Object.fromEntries(places.filter(([, place]) => existsSync(place)));
}

/** The variable by which the tests of an example know each server, by the folder of its start script. */
const VARIABLES = { pgvector: 'TEST_DATABASE_URL' } as const;

export type ServerName = keyof typeof VARIABLES;

export const SERVER_NAMES = Object.keys(VARIABLES) as [ServerName, ...ServerName[]];

/** Starts servers from nothing, gives work the variables that name them, and stops them. */
export async function withServers<T>(
  names: readonly ServerName[],
  { say, work }: { say: (line: string) => void; work: (env: Readonly<Record<string, string>>) => Promise<T> },
): Promise<T> {
  const running: RunningServer[] = [];
  const env: Record<string, string> = {};
  try {
    for (const name of names) {
      const server = await startServer(serverOf(name), { scripts: SCRIPTS, say });
      running.push(server);
      env[VARIABLES[name]] = server.url;
      say(`${name} ${server.version}`);
    }
    return await work(env);
  } finally {
    for (const server of running) await server.stop();
  }
}

function serverOf(name: ServerName): ServerUnderTest {
  const server = STORES.map((store) => store.server).find((known) => known?.folder === name);
  if (server === undefined) throw new Error(`No store is tested against the server ${name}.`);
  return server;
}
