import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AzureSearchService } from '../../tests/fakes/services/azure-search/azure-search-service.js';
import type { ServerUnderTest } from '../test-stores/servers.js';
import { type RunningServer, startServer } from '../test-stores/start-server.js';
import { STORES } from '../test-stores/stores.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPTS = resolve(ROOT, process.env.RAGSTONE_SERVERS ?? '../shared/servers');

const DATA = resolve(ROOT, '../shared/data');

/** The files of an example's evaluation data that are here, by the variables that name them. */
export function dataVariables(files: Readonly<Record<string, string>>): Record<string, string> {
  const places = Object.entries(files).map(([variable, file]) => [variable, join(DATA, file)] as const);
  return Object.fromEntries(places.filter(([, place]) => existsSync(place)));
}

/** What the tests of an example are told of a server. */
interface ToldServer {
  readonly variable: string;
  readonly told: (server: RunningServer) => string;
}

/** By the folder of its start script. */
const SERVERS = {
  pgvector: { variable: 'TEST_DATABASE_URL', told: ({ url }) => url },
  redis: { variable: 'TEST_REDIS_URL', told: ({ url }) => url },
  opensearch: { variable: 'TEST_OPENSEARCH_URL', told: ({ url }) => url },
  // An example starts its own: it is told the program.
  chroma: { variable: 'TEST_CHROMA_PROGRAM', told: programOf },
} satisfies Readonly<Record<string, ToldServer>>;

/** Services of ours in the place of hosted ones, in this process. */
const SERVICES = {
  'azure-search': { variable: 'TEST_AZURE_SEARCH_URL', start: () => AzureSearchService.start() },
} as const;

type StartedName = keyof typeof SERVERS;
export type ServerName = StartedName | keyof typeof SERVICES;

export const SERVER_NAMES = [...Object.keys(SERVERS), ...Object.keys(SERVICES)] as [
  ServerName,
  ...ServerName[],
];

const isService = (name: ServerName): name is keyof typeof SERVICES => Object.hasOwn(SERVICES, name);

/** The program that a start script has started, as its command line names it. */
function programOf({ process: started }: RunningServer): string {
  const args = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(started?.pid)], { encoding: 'utf8' });
  const program = args.split(/\s+/).find((argument) => argument.endsWith('/chroma'));
  if (program === undefined) throw new Error(`No program chroma in the command line: ${args}`);
  return program;
}

/** Starts servers from nothing, gives work the variables that name them, and stops them. */
export async function withServers<T>(
  names: readonly ServerName[],
  { say, work }: { say: (line: string) => void; work: (env: Readonly<Record<string, string>>) => Promise<T> },
): Promise<T> {
  const running: { stop(): Promise<void> }[] = [];
  const env: Record<string, string> = {};
  try {
    for (const name of names) {
      if (isService(name)) {
        const service = await SERVICES[name].start();
        running.push(service);
        env[SERVICES[name].variable] = service.url;
        say(`${name}, a service of ours`);
        continue;
      }
      const server = await startServer(serverOf(name), { scripts: SCRIPTS, say });
      running.push(server);
      const { variable, told } = SERVERS[name];
      env[variable] = told(server);
      say(`${name} ${server.version}`);
    }
    return await work(env);
  } finally {
    for (const server of running) await server.stop();
  }
}

function serverOf(name: StartedName): ServerUnderTest {
  const server = STORES.flatMap((store) => [store.server, ...(store.beside ?? [])]).find(
    (known) => known?.folder === name,
  );
  if (server === undefined) throw new Error(`No store is tested against the server ${name}.`);
  return server;
}
