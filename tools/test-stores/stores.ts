import { readFileSync } from 'node:fs';
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
  /** Needs minutes to build: tested with `RAGSTONE_SLOW=1`, or where its variable is set. */
  readonly isSlow?: boolean;
}

/** One line of the report. */
export interface StoreUnderTest {
  readonly name: string;
  /** Takes minutes: run where it is named, and with `RAGSTONE_SLOW=1`. */
  readonly isSlow?: boolean;
  /** Test files, as vitest's filter takes them. */
  readonly tests: string | readonly string[];
  /** `fake`: a server that only behaves like the real one. */
  readonly kind: 'real' | 'fake';
  readonly server?: ServerUnderTest;
  /** Further servers that its tests need. */
  readonly beside?: readonly ServerUnderTest[];
  /** Of an embedded store. */
  readonly version?: () => string;
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

const postgres: ServerUnderTest = {
  folder: 'pgvector',
  variable: 'RAGSTONE_TEST_POSTGRES_URL',
  urlOf: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
  startArguments: (workFolder, port) => [workFolder, String(port)],
  versionOf: postgresVersion,
};

const redis: ServerUnderTest = {
  folder: 'redis',
  variable: 'RAGSTONE_TEST_REDIS_URL',
  urlOf: (port) => `redis://127.0.0.1:${port}`,
  startArguments: (workFolder, port) => [workFolder, String(port)],
  versionOf: redisVersion,
};

const chroma = httpServer({
  folder: 'chroma',
  variable: 'RAGSTONE_TEST_CHROMA_URL',
  versionPath: '/api/v2/version',
  readVersion: (body) => body.replaceAll('"', ''),
});

const qdrant = httpServer({
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

const packageVersion = (name: string) => (): string => {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), 'utf8'),
  );
  const isVersioned = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isVersioned ? String(manifest.version) : '?';
};

const searchServer = (folder: string): ServerUnderTest =>
  httpServer({
    folder,
    variable: `RAGSTONE_TEST_${folder.toUpperCase()}_URL`,
    versionPath: '/_nodes?filter_path=nodes.*.version',
    readVersion: nodeVersion,
  });

const elasticsearch = searchServer('elasticsearch');
const opensearch = searchServer('opensearch');

/** Every store there is, in the order of the report. */
export const STORES: readonly StoreUnderTest[] = [
  { name: 'memory', tests: 'src/stores/memory/', kind: 'real', version: () => 'built in' },
  { name: 'libsql', tests: 'src/stores/libsql/', kind: 'real', version: packageVersion('libsql') },
  {
    name: 'lancedb',
    tests: 'src/stores/lancedb/',
    kind: 'real',
    version: packageVersion('@lancedb/lancedb'),
  },
  { name: 'usearch', tests: 'src/stores/usearch/', kind: 'real', version: packageVersion('usearch') },
  { name: 'postgres', tests: 'src/stores/postgres/', kind: 'real', server: postgres },
  // The ledger too, and its writers that are killed in `tests/ledger/postgres/`.
  { name: 'postgres-ledger', tests: 'ledger/postgres/', kind: 'real', server: postgres },
  // Redis is emptied by them.
  { name: 'workers', tests: 'tests/workers/', kind: 'real', server: postgres, beside: [redis] },
  {
    // With RAGSTONE_SLOW=1 pairs of faults and 20 kills too, which take half an hour.
    name: 'faults',
    tests: 'tests/faults/',
    kind: 'real',
    server: postgres,
    beside: [redis, chroma],
  },
  { name: 'deployments', tests: 'src/deployments/', kind: 'real', server: postgres },
  { name: 'knowledge-store-postgres', tests: 'src/knowledge-store/', kind: 'real', server: postgres },
  { name: 'chroma', tests: 'src/stores/chroma/', kind: 'real', server: chroma },
  // It starts and kills a PostgreSQL server of its own; 30 kills with RAGSTONE_SLOW=1.
  { name: 'failover', tests: 'tests/failover/', kind: 'real', server: chroma },
  {
    name: 'migration',
    tests: 'src/migration/killed-migration.test.ts',
    kind: 'real',
    server: postgres,
    beside: [chroma],
  },
  { name: 'import-chroma', tests: 'src/importing/', kind: 'real', server: chroma },
  { name: 'import-postgres', tests: 'src/importing/', kind: 'real', server: postgres },
  { name: 'knowledge-store-chroma', tests: 'src/knowledge-store/', kind: 'real', server: chroma },
  {
    name: 'elasticsearch',
    tests: 'src/stores/elasticsearch/',
    kind: 'real',
    server: elasticsearch,
  },
  {
    name: 'knowledge-store-elasticsearch',
    isSlow: true,
    tests: 'src/knowledge-store/',
    kind: 'real',
    server: elasticsearch,
  },
  {
    name: 'opensearch',
    tests: 'src/stores/elasticsearch/',
    kind: 'real',
    server: opensearch,
  },
  {
    name: 'knowledge-store-opensearch',
    isSlow: true,
    tests: 'src/knowledge-store/',
    kind: 'real',
    server: opensearch,
  },
  {
    name: 'weaviate',
    tests: 'src/stores/weaviate/',
    kind: 'real',
    server: httpServer({
      folder: 'weaviate',
      variable: 'RAGSTONE_TEST_WEAVIATE_URL',
      isSlow: true,
      wrapperPort: 58_080,
      versionPath: '/v1/meta',
      readVersion: nodeVersion,
    }),
  },
  {
    // They start a service of ours themselves.
    name: 'azure-ai-search',
    tests: 'src/stores/azure-ai-search/',
    kind: 'fake',
    isSlow: true,
    version: () => 'a service of ours, by the public documentation',
  },
  {
    name: 'vertex-ai-search',
    tests: 'src/stores/vertex-ai-search/',
    kind: 'fake',
    isSlow: true,
    version: () => 'a service of ours, by the public documentation',
  },
  {
    // Qdrant's own engine in process, behind a server of our own.
    name: 'qdrant',
    tests: ['src/stores/qdrant/', 'src/engine/hosted-stores.test.ts'],
    kind: 'fake',
    isSlow: true,
    server: qdrant,
  },
  {
    name: 'pinecone',
    tests: ['src/stores/pinecone/', 'src/engine/hosted-stores.test.ts'],
    kind: 'fake',
    isSlow: true,
    server: httpServer({
      folder: 'pinecone',
      variable: 'RAGSTONE_TEST_PINECONE_URL',
      isOwn: true,
      versionPath: '/',
      readVersion: (body) => `API ${nodeVersion(body)}, a server of our own`,
    }),
  },
  {
    name: 'knowledge-store-qdrant',
    tests: 'src/knowledge-store/',
    kind: 'fake',
    isSlow: true,
    server: qdrant,
  },
  {
    name: 'lancedb-s3',
    tests: 'src/stores/lancedb/lancedb-s3.test.ts',
    kind: 'fake',
    server: {
      folder: 's3',
      variable: 'RAGSTONE_TEST_S3_URL',
      urlOf: (port) => `http://127.0.0.1:${port}`,
      startArguments: (_, port) => ['moto', String(port)],
      versionOf: async (url) => `moto (${(await fetch(url)).headers.get('server') ?? '?'})`,
    },
  },
];
