import { Redis } from 'ioredis';
import pg from 'pg';

/** `run.sh COMMAND` in the place of a start script: the server has a network of its own, on a fixed port. */
export interface CommandWrapper {
  readonly port: number;
  /** Where the version is told. */
  readonly versionPath: string;
  readonly readVersion: (answer: string) => string;
}

/** A server that a store is tested against. */
export interface ServerUnderTest {
  /** Folder of its start script. */
  readonly folder: string;
  /** The folder is one of this repository: a server of our own. */
  readonly isOwn?: boolean;
  /** Variable that names a running one to the tests; where it is set already, that one is used and left alone. */
  readonly variable: string;
  readonly urlOf: (port: number) => string;
  /** Arguments of the start script. */
  readonly startArguments: (workFolder: string, port: number) => readonly string[];
  readonly versionOf: (url: string) => Promise<string>;
  readonly wrapsCommand?: CommandWrapper;
  /** Needs minutes to build: tested where it is named, with `--all`, or where its variable is set. */
  readonly isSlow?: boolean;
}

interface HttpServer extends Pick<ServerUnderTest, 'folder' | 'variable' | 'isSlow' | 'isOwn'> {
  /** The fixed port of a server that wraps a command. */
  readonly wrapperPort?: number;
  readonly versionPath: string;
  readonly readVersion: (body: string) => string;
}

const httpServer = ({ versionPath, readVersion, wrapperPort, ...server }: HttpServer): ServerUnderTest => ({
  ...server,
  ...(wrapperPort === undefined ? {} : { wrapsCommand: { port: wrapperPort, versionPath, readVersion } }),
  urlOf: (port) => `http://127.0.0.1:${port}`,
  startArguments: (workFolder, port) => [workFolder, String(port)],
  versionOf: async (url) => readVersion(await (await fetch(new URL(versionPath, url))).text()),
});

/** Version of a search node; `GET /` is missing from a bare core node. */
const nodeVersion = (body: string): string => /"version"\s*:\s*"([^"]+)"/.exec(body)?.[1] ?? '?';

export const postgres: ServerUnderTest = {
  folder: 'pgvector',
  variable: 'RAGSTONE_TEST_POSTGRES_URL',
  urlOf: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
  // The script hands on to the server what follows the port. Suites at once are as many hosts, of ten connections a tenant and part.
  startArguments: (workFolder, port) => [workFolder, `${port} -c max_connections=400`],
  versionOf: postgresVersion,
};

export const redis: ServerUnderTest = {
  folder: 'redis',
  variable: 'RAGSTONE_TEST_REDIS_URL',
  urlOf: (port) => `redis://127.0.0.1:${port}`,
  startArguments: (workFolder, port) => [workFolder, String(port)],
  versionOf: redisVersion,
};

export const chroma = httpServer({
  folder: 'chroma',
  variable: 'RAGSTONE_TEST_CHROMA_URL',
  versionPath: '/api/v2/version',
  readVersion: (body) => body.replaceAll('"', ''),
});

export const qdrant = httpServer({
  folder: 'qdrant',
  variable: 'RAGSTONE_TEST_QDRANT_URL',
  isOwn: true,
  versionPath: '/',
  readVersion: (body) => `interface of ${nodeVersion(body)} over qdrant-edge-py`,
});

async function postgresVersion(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const server = await client.query<{ version: string }>(
      "SELECT current_setting('server_version') AS version",
    );
    const extension = await client.query<{ version: string }>(
      "SELECT default_version AS version FROM pg_available_extensions WHERE name = 'vector'",
    );
    return `${server.rows[0]?.version ?? '?'} + pgvector ${extension.rows[0]?.version ?? '?'}`;
  } finally {
    await client.end();
  }
}

async function redisVersion(url: string): Promise<string> {
  const client = new Redis(url, { maxRetriesPerRequest: 1 });
  client.on('error', () => undefined);
  try {
    return /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? '?';
  } finally {
    client.disconnect();
  }
}

const searchServer = (folder: string): ServerUnderTest =>
  httpServer({
    folder,
    variable: `RAGSTONE_TEST_${folder.toUpperCase()}_URL`,
    versionPath: '/_nodes?filter_path=nodes.*.version',
    readVersion: nodeVersion,
  });

export const elasticsearch = searchServer('elasticsearch');
export const opensearch = searchServer('opensearch');

export const weaviate = httpServer({
  folder: 'weaviate',
  variable: 'RAGSTONE_TEST_WEAVIATE_URL',
  isSlow: true,
  wrapperPort: 58_080,
  versionPath: '/v1/meta',
  readVersion: nodeVersion,
});

export const pinecone = httpServer({
  folder: 'pinecone',
  variable: 'RAGSTONE_TEST_PINECONE_URL',
  isOwn: true,
  versionPath: '/',
  readVersion: (body) => `API ${nodeVersion(body)}, a server of our own`,
});

export const s3: ServerUnderTest = {
  folder: 's3',
  variable: 'RAGSTONE_TEST_S3_URL',
  urlOf: (port) => `http://127.0.0.1:${port}`,
  startArguments: (_, port) => ['moto', String(port)],
  versionOf: async (url) => `moto (${(await fetch(url)).headers.get('server') ?? '?'})`,
};
