import { RAGError } from '../../core/errors.js';
import { loadDriver } from '../../core/load-driver.js';

/** A connection to a Redis or Valkey server that several processes share. */
export interface RedisConnection {
  /** The client of `ioredis`. */
  readonly client: unknown;
  /** The server answers now. */
  readonly isUp: boolean;
  close(): void;
}

export interface RedisOptions {
  /** `redis://` or `rediss://`, with user and password where it asks for them. */
  readonly url: string;
  /** The setting that holds the address, for messages. @default rag.server.redis */
  readonly setting?: string | undefined;
  /** Told when the server is lost, and when it is back. */
  readonly onChange: (isUp: boolean) => void;
}

const CONNECT_MS = 2_000;
/** Who waits for a count waits no longer. A server that hangs is taken for lost then, so that nobody else waits for it. */
const COMMAND_MS = 500;
const MOST_PAUSE_MS = 5_000;

/**
 * Connects to a server, and again whenever it is lost or says nothing more. A command that finds no server fails at once, and none is kept
 * for later.
 * Resolves when it is known whether the server answers.
 *
 * @throws RAGError `PACKAGE_MISSING` without `ioredis`, `CONFIG_INVALID` for an address that is none
 */
export async function openRedis({
  url,
  setting = 'rag.server.redis',
  onChange,
}: RedisOptions): Promise<RedisConnection> {
  if (!/^rediss?:\/\/[^/]/.test(url) || !URL.canParse(url))
    throw new RAGError(
      'CONFIG_INVALID',
      `\`${setting}\` must be an address such as redis://127.0.0.1:6379 or rediss://user:password@host:6380.`,
    );
  const { Redis } = await loadDriver(() => import('ioredis'), { store: 'Redis', install: 'ioredis@6.0.0' });
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: CONNECT_MS,
    commandTimeout: COMMAND_MS,
    socketTimeout: COMMAND_MS,
    retryStrategy: (attempt) => Math.min(100 * attempt, MOST_PAUSE_MS),
  });
  let isUp = false;
  const change = (now: boolean): void => {
    if (now === isUp) return;
    isUp = now;
    onChange(now);
  };
  client.on('ready', () => change(true));
  client.on('close', () => change(false));
  // What is wrong is told by the state alone: the words of a driver may hold the address.
  client.on('error', () => undefined);
  await client.connect().catch(() => undefined);
  if (!isUp) onChange(false);
  return {
    client,
    get isUp() {
      return isUp;
    },
    close: () => {
      client.removeAllListeners('close');
      client.disconnect();
    },
  };
}
