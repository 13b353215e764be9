import { runtime } from '../../core/runtime.js';
import { slicesOf } from '../../core/slices.js';
import type { RedisConnection } from './open-redis.js';

/** Bytes by key on a server that several processes share. Losing them costs time and nothing else, so no method throws. */
export interface RedisShelf {
  /** What stands under the keys, in order. */
  get(keys: readonly string[]): Promise<(Buffer | undefined)[]>;
  set(entries: readonly (readonly [key: string, value: Buffer])[], lifeSeconds: number): Promise<void>;
  /** Undefined where the server did not do it. */
  remove(keys: readonly string[]): Promise<number | undefined>;
  /**
   * Everything whose key begins so. Undefined where the server did not do it.
   *
   * @param isMeant of the value. @default all
   */
  removeAll(prefix: string, isMeant?: (value: Buffer) => boolean): Promise<number | undefined>;
  /** That the server does not answer, in words; once a minute at most. */
  warnings(): string[];
  close(): void;
}

/** What is needed of the client of `ioredis`. */
interface Commands {
  mgetBuffer(...keys: string[]): Promise<(Buffer | null)[]>;
  set(key: string, value: Buffer, unit: 'EX', seconds: number): Promise<unknown>;
  unlink(...keys: string[]): Promise<number>;
  scan(
    cursor: string,
    match: 'MATCH',
    pattern: string,
    count: 'COUNT',
    many: number,
  ): Promise<[string, string[]]>;
}

const KEYS_AT_ONCE = 256;
/** After a command that a server failed which answers all the same: it loads its data, or may not be written to. */
const PAUSE_MS = 5_000;
const WARNING_MS = 60_000;

/** @param what is kept there, for the warning: `the cache of vectors` */
export const redisShelf = (connection: RedisConnection, what: string): RedisShelf =>
  new GuardedShelf(connection, what);

class GuardedShelf implements RedisShelf {
  readonly #connection: RedisConnection;
  readonly #what: string;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #failed = false;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(connection: RedisConnection, what: string) {
    this.#connection = connection;
    this.#what = what;
  }

  async get(keys: readonly string[]): Promise<(Buffer | undefined)[]> {
    const found: (Buffer | undefined)[] = [];
    for (const some of slicesOf(keys, KEYS_AT_ONCE)) {
      const values = await this.#attempt((commands) => commands.mgetBuffer(...some));
      found.push(...some.map((_, i) => values?.[i] ?? undefined));
    }
    return found;
  }

  async set(entries: readonly (readonly [string, Buffer])[], lifeSeconds: number): Promise<void> {
    for (const some of slicesOf(entries, KEYS_AT_ONCE))
      await this.#attempt((commands) =>
        Promise.all(some.map(([key, value]) => commands.set(key, value, 'EX', lifeSeconds))),
      );
  }

  async remove(keys: readonly string[]): Promise<number | undefined> {
    let removed = 0;
    for (const some of slicesOf(keys, KEYS_AT_ONCE)) {
      const count = await this.#attempt((commands) => commands.unlink(...some));
      if (count === undefined) return undefined;
      removed += count;
    }
    return removed;
  }

  async removeAll(prefix: string, isMeant?: (value: Buffer) => boolean): Promise<number | undefined> {
    const pattern = `${prefix.replaceAll(/[*?[\]\\]/g, '\\$&')}*`;
    let removed = 0;
    for (let cursor = ''; cursor !== '0'; ) {
      const page = await this.#attempt((commands) =>
        commands.scan(cursor === '' ? '0' : cursor, 'MATCH', pattern, 'COUNT', 1_000),
      );
      if (page === undefined) return undefined;
      const keys = isMeant === undefined ? page[1] : await this.#keysOf(page[1], isMeant);
      const count = keys === undefined ? undefined : await this.remove(keys);
      if (count === undefined) return undefined;
      removed += count;
      [cursor] = page;
    }
    return removed;
  }

  /** Undefined where the server did not say. */
  async #keysOf(
    keys: readonly string[],
    isMeant: (value: Buffer) => boolean,
  ): Promise<readonly string[] | undefined> {
    const meant: string[] = [];
    for (const some of slicesOf(keys, KEYS_AT_ONCE)) {
      const values = await this.#attempt((commands) => commands.mgetBuffer(...some));
      if (values === undefined) return undefined;
      meant.push(...some.filter((_, at) => values[at] != null && isMeant(values[at])));
    }
    return meant;
  }

  warnings(): string[] {
    const now = runtime().elapsed();
    if (!this.#failed || now - this.#warnedAt < WARNING_MS) return [];
    this.#warnedAt = now;
    this.#failed = false;
    return [
      `The Redis server of ${this.#what} does not answer; searches go on without it and take longer. It is used again as soon as it answers.`,
    ];
  }

  close(): void {
    this.#connection.close();
  }

  async #attempt<Outcome>(ask: (commands: Commands) => Promise<Outcome>): Promise<Outcome | undefined> {
    const now = runtime().elapsed();
    if (!this.#connection.isUp) {
      this.#failed = true;
      return undefined;
    }
    if (now < this.#pausedUntil) return undefined;
    try {
      return await ask(this.#connection.client as Commands);
    } catch {
      this.#failed = true;
      this.#pausedUntil = runtime().elapsed() + PAUSE_MS;
      return undefined;
    }
  }
}
