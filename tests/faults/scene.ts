import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { stringify } from 'yaml';
import { loadConfig } from '../../src/config/load-config.js';
import type { RAGSettingsInput } from '../../src/config/schema/index.js';
import { KeyStore } from '../../src/faces/service/authentication/key-store.js';
import { FaultyProxy, type ProxyMode } from '../../src/testing/faulty-proxy.js';
import { type SpawnedService, startService } from '../e2e/start-service.js';
import { sharedFolder } from '../e2e/temporary-folder.js';
import type { Caller } from './known-documents.js';

/** Variables that name the servers, which the test finds running. */
export const VARIABLES = [
  'RAGSTONE_TEST_POSTGRES_URL',
  'RAGSTONE_TEST_REDIS_URL',
  'RAGSTONE_TEST_CHROMA_URL',
] as const;
const [postgres, redis, chroma] = VARIABLES.map((name) => process.env[name] ?? '') as [
  string,
  string,
  string,
];
export const HAS_SERVERS = ![postgres, redis, chroma].includes('');

/** What may be out. */
export const FAULTY = ['ledger', 'store', 'embedder', 'reranker', 'redis', 'llm'] as const;
export type Faulty = (typeof FAULTY)[number];

/** Where the index is: ledger and store on a server that hosts share, or the store on a server and the ledger in the data folder. */
export type Form = 'postgres' | 'chroma';

/** So quickly that a test need not wait. */
const LIMITS = { failures: 2, retryAfterMs: 300, slowStoreMs: 400, laneMs: 1_500, rerankMs: 1_500 } as const;
/** By how much an answer is late: of a store less than a lane takes and of a reranker far more, for on a busy machine limits come late too. */
const SLOW_MS: Readonly<Record<Faulty, number>> = {
  ledger: 1_300,
  store: 1_300,
  embedder: 4_500,
  reranker: 4_500,
  redis: 1_300,
  llm: 1_300,
};
/** Of a request, in milliseconds. No search may need it: its parts have limits of their own. */
export const TIMEOUT_MS = 20_000;
export const STATIC = 'The search is out of order. Call the service desk.';

export interface SceneOptions {
  /** @default none */
  readonly sources?: NonNullable<RAGSettingsInput['sources']>;
  /** Vectors are kept in Redis, also of questions that were asked before. @default true */
  readonly keepsVectors?: boolean;
}

/** A service over servers that can be killed, slowed and brought back, and hosts beside it that start later. */
export class Scene {
  readonly form: Form;
  readonly #proxies: Readonly<Partial<Record<Faulty, FaultyProxy>>>;
  readonly #folder: string;
  readonly #services: SpawnedService[] = [];
  readonly #dropSchemas: () => Promise<void>;

  private constructor(
    form: Form,
    {
      proxies,
      folder,
      dropSchemas,
    }: { proxies: Scene['faults']; folder: string; dropSchemas: () => Promise<void> },
  ) {
    this.form = form;
    this.#proxies = proxies;
    this.#folder = folder;
    this.#dropSchemas = dropSchemas;
  }

  /** Proxies by what is behind them. */
  get faults(): Readonly<Partial<Record<Faulty, FaultyProxy>>> {
    return this.#proxies;
  }

  /** Goes with the group of tests that asks for it. */
  static async make(
    form: Form,
    /** Port of the models. */
    models: number,
    { sources = [], keepsVectors = true }: SceneOptions = {},
  ): Promise<Scene> {
    const addresses: Readonly<Partial<Record<Faulty, URL>>> = {
      ...(form === 'postgres' ? { ledger: new URL(postgres) } : {}),
      store: new URL(form === 'postgres' ? postgres : chroma),
      embedder: modelsAt(models),
      reranker: modelsAt(models),
      redis: new URL(redis),
      llm: modelsAt(models),
    };
    const started = await Promise.all(
      Object.entries(addresses).map(async ([name, { hostname, port }]) => {
        const delayMs = SLOW_MS[name as Faulty];
        const proxy = await FaultyProxy.start({ host: hostname, port: Number(port) }, { delayMs });
        return [name, proxy] as const;
      }),
    );
    const proxies = Object.fromEntries(started) as Scene['faults'];
    const through = (name: Faulty): string => {
      const address = new URL(addresses[name] ?? modelsAt(models));
      address.hostname = '127.0.0.1';
      address.port = String(proxies[name]?.port);
      return address.href;
    };
    const namespace = `faults_${randomUUID().slice(0, 8)}`;
    const folder = sharedFolder({
      'ragstone.yaml': stringify({ rag: settings(form, { namespace, through, sources, keepsVectors }) }),
    });
    const dropSchemas = async (): Promise<void> => {
      const client = new pg.Client({ connectionString: postgres });
      await client.connect();
      for (const schema of [namespace, `${namespace}_l`])
        await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
      await client.end();
    };
    return new Scene(form, { proxies, folder, dropSchemas });
  }

  get cwd(): string {
    return this.#folder;
  }

  async caller(name: string, tenant: string, groups: readonly string[]): Promise<Caller> {
    const permissions = ['read', 'write', 'maintain'] as const;
    const { key } = await new KeyStore(
      await loadConfig({ cwd: this.#folder, env: { ...process.env, RAGSTONE_TRUST: '1' } }),
    ).create({
      tenant,
      groups,
      permissions,
    });
    return { name, tenant, groups, key };
  }

  async serve(): Promise<SpawnedService> {
    const service = await startService(this.#folder);
    this.#services.push(service);
    return service;
  }

  /** A process that starts now: of another host where hosts share the index, else over the same data folder. */
  async startCold(): Promise<SpawnedService> {
    const folder = this.form === 'postgres' ? sharedFolderOf(this.#folder) : this.#folder;
    const service = await startService(folder);
    this.#services.push(service);
    return service;
  }

  set(faults: readonly Faulty[], mode: ProxyMode): void {
    for (const name of faults) {
      const proxy = this.#proxies[name];
      if (proxy !== undefined) proxy.mode = mode;
    }
  }

  async end(): Promise<void> {
    for (const { process, ended } of this.#services) {
      process.kill('SIGKILL');
      await ended;
    }
    for (const proxy of Object.values(this.#proxies)) await proxy.stop();
    if (this.form === 'postgres') await this.#dropSchemas();
  }
}

const modelsAt = (port: number): URL => new URL(`http://127.0.0.1:${port}/`);

/** Keys and configuration of another host. */
function sharedFolderOf(folder: string): string {
  const other = `${folder}-cold-${randomUUID().slice(0, 8)}`;
  mkdirSync(other);
  cpSync(join(folder, 'ragstone.yaml'), join(other, 'ragstone.yaml'));
  cpSync(join(folder, '.ragstone', 'keys'), join(other, '.ragstone', 'keys'), { recursive: true });
  writeFileSync(join(other, '.gitignore'), '*\n');
  return other;
}

interface Settings extends Required<SceneOptions> {
  readonly namespace: string;
  /** Address of a part by its proxy. */
  readonly through: (name: Faulty) => string;
}

function settings(form: Form, { namespace, through, sources, keepsVectors }: Settings): RAGSettingsInput {
  const redisAt = through('redis');
  const modelAt = (name: Faulty) => ({ baseUrl: `${through(name)}v1` });
  const isShared = form === 'postgres';
  return {
    provider: form,
    sources,
    ...(isShared
      ? { ledger: { type: 'postgres', url: through('ledger'), namespace: `${namespace}_l`, owner: 'faults' } }
      : {}),
    storage: { server: { url: through('store'), namespace } },
    embedding: {
      model: 'ollama:builtin',
      timeoutMs: 3_000,
      cache: keepsVectors ? { redis: redisAt } : { enabled: false },
    },
    modelProviders: { ollama: modelAt('embedder'), vllm: modelAt('reranker'), lmstudio: modelAt('llm') },
    chat: { model: 'lmstudio:test', maxRetries: 0, firstTokenTimeoutMs: 2_000, timeoutMs: 5_000 },
    retrieval: {
      laneDeadlineMs: LIMITS.laneMs,
      rerank: { model: 'vllm:test', deadlineMs: LIMITS.rerankMs },
      cache: { enabled: true, redis: redisAt },
    },
    degradation: {
      failures: LIMITS.failures,
      retryAfterMs: LIMITS.retryAfterMs,
      slowStoreMs: LIMITS.slowStoreMs,
      ...(isShared ? { static: [{ text: STATIC }] } : {}),
    },
    server: {
      redis: redisAt,
      timeoutMs: TIMEOUT_MS,
      requestsPerMinute: 100_000,
      // Both ways of searching are put to the test.
      searchProcesses: isShared ? 1 : 0,
      maxDelayMs: 0,
    },
  };
}
