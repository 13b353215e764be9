import type { ResolvedConfig } from '../config/resolved-config.js';
import { runtime } from '../core/runtime.js';
import { configuredSources } from '../indexing/configured-sources.js';
import type { ConfiguredSource } from '../indexing/source-task.js';

/** How long an opened source is used, in milliseconds: what it may reach is looked at again after that. */
const KEEP_MS = 5 * 60_000;

interface Opened {
  readonly configured: ConfiguredSource;
  /** By the clock that is never set. */
  readonly at: number;
}

/**
 * The configured sources, opened on first use and kept for the next one: to open a repository or a service takes longer than
 * to read a few documents of it. Each is used by one at a time. What failed is not used again.
 */
export class CachedSources {
  readonly #config: ResolvedConfig;
  readonly #free = new Map<string, Opened[]>();
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(config: ResolvedConfig) {
    this.#config = config;
  }

  /** Does work with a source; undefined where none is configured by that name. */
  async use<Result>(
    name: string,
    work: (configured: ConfiguredSource) => Promise<Result>,
  ): Promise<Result | undefined> {
    const opened = this.#take(name) ?? (await this.#open(name));
    if (opened === undefined) return undefined;
    const result = await work(opened.configured);
    this.#keep(name, opened);
    return result;
  }

  /** Closes all that are not in use, and keeps none from now on. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#free.clear();
  }

  #take(name: string): Opened | undefined {
    this.#forgetOld();
    return this.#free.get(name)?.pop();
  }

  async #open(name: string): Promise<Opened | undefined> {
    const at = runtime().elapsed();
    const configured = (await configuredSources(this.#config)).find(({ source }) => source.name === name);
    return configured && { configured, at };
  }

  #keep(name: string, opened: Opened): void {
    if (this.#isClosed) return;
    this.#free.set(name, [...(this.#free.get(name) ?? []), opened]);
    this.#cancelTimer ??= runtime().setTimer(
      () => {
        this.#cancelTimer = undefined;
        this.#forgetOld();
      },
      KEEP_MS,
      { isBackground: true },
    );
  }

  #forgetOld(): void {
    const since = runtime().elapsed() - KEEP_MS;
    for (const [name, opened] of this.#free) {
      const young = opened.filter(({ at }) => at > since);
      if (young.length > 0) this.#free.set(name, young);
      else this.#free.delete(name);
    }
  }
}
