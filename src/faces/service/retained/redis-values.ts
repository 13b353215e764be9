import type { RedisConnection } from '../../../platform/redis/open-redis.js';
import { digestOf, RETENTION_LIMITS, type RetainedPlace, type RetainedValues } from './retained-values.js';

/** What is needed of the client of `ioredis`. */
interface RedisCommands {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, unit: 'PX', milliseconds: number): Promise<unknown>;
  set(key: string, value: string, unit: 'PX', milliseconds: number, when: 'NX'): Promise<'OK' | null>;
  del(key: string): Promise<number>;
}

/** One that went between two commands is asked for again so often. */
const ATTEMPTS = 3;

/**
 * Kept where services of several machines agree. While the server does not answer each keeps its values in `own`, as each counts its own
 * calls then; the health says so.
 */
export class RedisValues implements RetainedValues {
  readonly #connection: RedisConnection;
  readonly #own: RetainedValues;

  constructor(connection: RedisConnection, own: RetainedValues) {
    this.#connection = connection;
    this.#own = own;
  }

  get(place: RetainedPlace): Promise<string | undefined> {
    return this.#ask(
      async (commands) => (await commands.get(nameOf(place))) ?? undefined,
      () => this.#own.get(place),
    );
  }

  set(place: RetainedPlace, value: string, milliseconds: number): Promise<void> {
    if (value.length > RETENTION_LIMITS[place.kind].characters) return Promise.resolve();
    return this.#ask(
      async (commands) => void (await commands.set(nameOf(place), value, 'PX', milliseconds)),
      () => this.#own.set(place, value, milliseconds),
    );
  }

  claim(place: RetainedPlace, value: string, milliseconds: number): Promise<string | undefined> {
    const claim = async (commands: RedisCommands): Promise<string | undefined> => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        if ((await commands.set(nameOf(place), value, 'PX', milliseconds, 'NX')) === 'OK') return undefined;
        const known = await commands.get(nameOf(place));
        if (known !== null) return known;
      }
      return undefined;
    };
    return this.#ask(claim, () => this.#own.claim(place, value, milliseconds));
  }

  remove(place: RetainedPlace): Promise<void> {
    return this.#ask(
      async (commands) => void (await commands.del(nameOf(place))),
      () => this.#own.remove(place),
    );
  }

  /** The connection is not closed with it. */
  close(): void {
    this.#own.close();
  }

  async #ask<Outcome>(
    ask: (commands: RedisCommands) => Promise<Outcome>,
    otherwise: () => Promise<Outcome>,
  ): Promise<Outcome> {
    if (!this.#connection.isUp) return otherwise();
    try {
      return await ask(this.#connection.client as RedisCommands);
    } catch {
      return otherwise();
    }
  }
}

const nameOf = ({ kind, tenant, key }: RetainedPlace): string =>
  `ragstone:${kind}:${digestOf(tenant)}:${digestOf(key)}`;
