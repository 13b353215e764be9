import { readFileSync } from 'node:fs';
import {
  chroma,
  elasticsearch,
  opensearch,
  pinecone,
  postgres,
  qdrant,
  redis,
  type ServerUnderTest,
  s3,
  weaviate,
} from './servers.js';

/** One line of the report. */
export interface StoreUnderTest {
  readonly name: string;
  /** Else a run takes it where what it is about changed since it was tested, or it is asked for. */
  readonly when?: 'always' | 'npm test';
  /** Takes minutes: run where it is named, and with `--all`. */
  readonly isSlow?: boolean;
  /** Test files, or folders of them. */
  readonly tests: string | readonly string[];
  /** Runs the proofs among them, else all but these. */
  readonly isProof?: boolean;
  /** What it tests beside the folders of its tests: a change of it calls for another run. */
  readonly about?: readonly string[];
  /** Packages whose version belongs to it. */
  readonly packages?: readonly string[];
  /** `fake`: a server that only behaves like the real one. */
  readonly kind: 'real' | 'fake';
  readonly server?: ServerUnderTest;
  /** Further servers that its tests need. */
  readonly beside?: readonly ServerUnderTest[];
  /** Of an embedded store. */
  readonly version?: () => string;
}

const packageVersion = (name: string) => (): string => {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), 'utf8'),
  );
  const isVersioned = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isVersioned ? String(manifest.version) : '?';
};

const POSTGRES = 'src/stores/postgres/';
const CHROMA = 'src/stores/chroma/';
const ELASTICSEARCH = 'src/stores/elasticsearch/';
const LIBSQL = 'src/stores/libsql/';
const FAILOVER = 'src/stores/failover/';
const LEDGER_TESTS = ['src/ledger/postgres/', 'tests/ledger/postgres/'];
const KNOWLEDGE_STORE = {
  tests: 'src/compat/knowledge-store/servers.contract.test.ts',
  about: 'src/compat/knowledge-store/',
} as const;
const HOSTED_STORES = 'src/engine/hosted-stores.test.ts';

/** Every suite there is, in the order of the report. */
export const STORES: readonly StoreUnderTest[] = [
  {
    name: 'memory',
    when: 'npm test',
    tests: 'src/stores/memory/',
    kind: 'real',
    version: () => 'built in',
  },
  { name: 'libsql', when: 'npm test', tests: LIBSQL, kind: 'real', version: packageVersion('libsql') },
  {
    name: 'lancedb',
    tests: 'src/stores/lancedb/',
    about: [LIBSQL],
    packages: ['@lancedb/lancedb', 'apache-arrow'],
    kind: 'real',
    version: packageVersion('@lancedb/lancedb'),
  },
  {
    name: 'usearch',
    tests: 'src/stores/usearch/',
    about: [LIBSQL],
    packages: ['usearch'],
    kind: 'real',
    version: packageVersion('usearch'),
  },
  {
    // What stands around a store: a prefix, an index of words, a second store; and the store that docs/own-parts.md writes.
    name: 'wrappers',
    tests: [
      'src/stores/wrappers.contract.test.ts',
      FAILOVER,
      'src/testing/vector-store/suite.contract.test.ts',
      'tests/docs/own-parts.contract.test.ts',
    ],
    about: [LIBSQL, 'src/stores/memory/', 'docs/own-parts.md'],
    kind: 'real',
    version: () => 'built in',
  },
  { name: 'postgres', when: 'always', tests: POSTGRES, kind: 'real', server: postgres },
  { name: 'postgres-ledger', when: 'always', tests: LEDGER_TESTS, kind: 'real', server: postgres },
  {
    // Whatever else asks a PostgreSQL server: outages, folders that hosts name, rows as documents.
    name: 'postgres-parts',
    when: 'always',
    tests: [
      'src/searching/degradation-postgres.test.ts',
      'src/indexing/source-owners.test.ts',
      'src/sources/sql/sql-source.test.ts',
    ],
    kind: 'real',
    server: postgres,
  },
  // Redis is emptied by them.
  {
    name: 'workers',
    when: 'always',
    tests: ['src/ledger/queue/bullmq-queue.contract.test.ts', 'tests/workers/'],
    kind: 'real',
    server: postgres,
    beside: [redis],
  },
  {
    name: 'deployments',
    when: 'always',
    tests: [
      'src/fleet/deployments/customer-postgres.test.ts',
      'src/fleet/deployments/customer-texts.contract.test.ts',
    ],
    kind: 'real',
    server: postgres,
  },
  {
    name: 'knowledge-store-postgres',
    when: 'always',
    tests: KNOWLEDGE_STORE.tests,
    kind: 'real',
    server: postgres,
  },
  {
    name: 'import-postgres',
    when: 'always',
    tests: 'src/fleet/importing/',
    kind: 'real',
    server: postgres,
  },
  {
    // Writers, workers and hosts that are killed, and the isolation of tenants; the long forms by RAGSTONE_SLOW=1.
    name: 'postgres-proofs',
    isProof: true,
    tests: ['tests/ledger/postgres/', 'tests/workers/', 'src/fleet/deployments/isolation.proof.test.ts'],
    about: [
      POSTGRES,
      'src/fleet/deployments/',
      'src/indexing/',
      'src/ledger/',
      'src/platform/postgres/',
      'src/ledger/queue/',
      'src/fleet/workers/',
    ],
    packages: ['pg', 'bullmq'],
    kind: 'real',
    server: postgres,
    beside: [redis],
  },
  {
    // With RAGSTONE_SLOW=1 pairs of faults and 20 kills too, which take half an hour.
    name: 'faults',
    isProof: true,
    tests: 'tests/faults/',
    about: [
      POSTGRES,
      CHROMA,
      'src/platform/degradation/',
      'src/retrieval/',
      'src/searching/',
      'src/faces/service/',
    ],
    packages: ['pg', 'chromadb', 'ioredis'],
    kind: 'real',
    server: postgres,
    beside: [redis, chroma],
  },
  {
    // It starts and kills a PostgreSQL server of its own; 30 kills with RAGSTONE_SLOW=1.
    name: 'failover',
    isProof: true,
    tests: 'tests/failover/',
    about: [FAILOVER, POSTGRES, CHROMA],
    packages: ['pg', 'chromadb'],
    kind: 'real',
    server: chroma,
  },
  {
    name: 'migration',
    isProof: true,
    tests: 'src/fleet/migration/',
    about: [POSTGRES, CHROMA],
    packages: ['pg', 'chromadb'],
    kind: 'real',
    server: postgres,
    beside: [chroma],
  },
  { name: 'chroma', tests: CHROMA, packages: ['chromadb'], kind: 'real', server: chroma },
  {
    name: 'import-chroma',
    tests: 'src/fleet/importing/',
    about: [CHROMA],
    packages: ['chromadb'],
    kind: 'real',
    server: chroma,
  },
  {
    name: 'knowledge-store-chroma',
    tests: KNOWLEDGE_STORE.tests,
    about: [KNOWLEDGE_STORE.about, CHROMA],
    packages: ['chromadb'],
    kind: 'real',
    server: chroma,
  },
  {
    name: 'elasticsearch',
    tests: ELASTICSEARCH,
    packages: ['@elastic/elasticsearch'],
    kind: 'real',
    server: elasticsearch,
  },
  {
    name: 'knowledge-store-elasticsearch',
    isSlow: true,
    tests: KNOWLEDGE_STORE.tests,
    about: [KNOWLEDGE_STORE.about, ELASTICSEARCH],
    packages: ['@elastic/elasticsearch'],
    kind: 'real',
    server: elasticsearch,
  },
  {
    name: 'opensearch',
    tests: ELASTICSEARCH,
    packages: ['@opensearch-project/opensearch'],
    kind: 'real',
    server: opensearch,
  },
  {
    name: 'knowledge-store-opensearch',
    isSlow: true,
    tests: KNOWLEDGE_STORE.tests,
    about: [KNOWLEDGE_STORE.about, ELASTICSEARCH],
    packages: ['@opensearch-project/opensearch'],
    kind: 'real',
    server: opensearch,
  },
  {
    name: 'weaviate',
    tests: 'src/stores/weaviate/',
    kind: 'real',
    server: weaviate,
  },
  {
    // They start a service of ours themselves.
    name: 'azure-ai-search',
    tests: 'src/stores/azure-ai-search/',
    about: ['tests/fakes/services/azure-search/'],
    packages: ['@azure/search-documents'],
    kind: 'fake',
    version: () => 'a service of ours, by the public documentation',
  },
  {
    name: 'vertex-ai-search',
    tests: ['src/stores/vertex-ai-search/', 'tests/e2e/vertex-ai-search.contract.test.ts'],
    about: ['tests/fakes/services/vertex-search/'],
    packages: ['@google-cloud/discoveryengine'],
    kind: 'fake',
    version: () => 'a service of ours, by the public documentation',
  },
  {
    // Azure AI Search, Vertex AI Search and usearch, without a server.
    name: 'knowledge-store',
    tests: 'src/compat/knowledge-store/services.contract.test.ts',
    about: [
      KNOWLEDGE_STORE.about,
      ...['src/stores/azure-ai-search/', 'src/stores/vertex-ai-search/', 'src/stores/usearch/'],
      ...['tests/fakes/services/azure-search/', 'tests/fakes/services/vertex-search/'],
    ],
    packages: ['@azure/search-documents', '@google-cloud/discoveryengine', 'usearch'],
    kind: 'fake',
    version: () => 'services of ours, by the public documentation',
  },
  {
    // Qdrant's own engine in process, behind a server of our own.
    name: 'qdrant',
    tests: ['src/stores/qdrant/', HOSTED_STORES],
    packages: ['@qdrant/js-client-rest'],
    kind: 'fake',
    server: qdrant,
  },
  {
    name: 'pinecone',
    tests: ['src/stores/pinecone/', HOSTED_STORES],
    packages: ['@pinecone-database/pinecone'],
    kind: 'fake',
    server: pinecone,
  },
  {
    name: 'knowledge-store-qdrant',
    tests: KNOWLEDGE_STORE.tests,
    about: [KNOWLEDGE_STORE.about, 'src/stores/qdrant/'],
    packages: ['@qdrant/js-client-rest'],
    kind: 'fake',
    server: qdrant,
  },
  {
    name: 'lancedb-s3',
    tests: 'src/stores/lancedb/lancedb-s3.contract.test.ts',
    about: ['src/stores/lancedb/', LIBSQL],
    packages: ['@lancedb/lancedb', 'apache-arrow'],
    kind: 'fake',
    server: s3,
  },
];
