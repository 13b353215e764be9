import { RAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import type { Secret } from '../../core/secret.js';
import { audited, engineOver } from '../../engine/create-engine.js';
import type { Engine } from '../../operations/engine.js';
import { EngineResources } from '../../resources/engine-resources.js';
import { placeOf } from './deployment-config.js';
import type { DeploymentRecord } from './deployment-records.js';
import { type DeploymentParts, secretOf, settingsOf } from './deployment-settings.js';

/** An index that is open: the engine over it, and what the engine works with. */
export interface OpenIndex {
  readonly engine: Engine;
  readonly resources: EngineResources;
}

export interface IndexLimits {
  /** Indexes beside the shared one that stay open while nobody uses them. */
  readonly mostOpen: number;
  /** How long one stays open that nobody uses, in milliseconds. */
  readonly idleMs: number;
}

interface Entry {
  readonly opening: Promise<
    OpenIndex & { readonly secret: Secret | undefined; readonly close: () => Promise<void> }
  >;
  users: number;
  /** When the secret was last looked at, by the clock of `runtime().elapsed()`. */
  secretReadAt: number;
  cancelIdle: () => void;
}

/** A secret is not looked at more often, however often signing in fails. */
const SECRET_READ_MS = 1_000;

/** What decides whether an index that is open still is the one that is meant. */
export type MeantIndex = Pick<DeploymentRecord, 'deployment' | 'revision'>;

const keyOf = ({ deployment, revision }: MeantIndex): string => `${placeOf(deployment)} ${revision}`;

/** Indexes of deployments, opened when they are used and closed when nobody uses them. */
export class DeploymentIndexes {
  readonly #parts: () => Promise<DeploymentParts>;
  readonly #limits: IndexLimits;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  /** Opened with a secret that was changed since; closed when nobody uses them any more. */
  readonly #outdated = new Set<Entry>();
  readonly #closing = new Set<Promise<void>>();

  constructor(parts: () => Promise<DeploymentParts>, limits: IndexLimits) {
    this.#parts = parts;
    this.#limits = limits;
  }

  /** How many are open. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Works with an index, which stays open as long. Where it fails for a setting, and the secret is another one by now, it is opened
   * again and the work done once more: a customer has changed the key.
   */
  async use<Result>(meant: MeantIndex, work: (index: OpenIndex) => Promise<Result>): Promise<Result> {
    const lease = this.#lease(meant);
    try {
      return await work(await lease.entry.opening);
    } catch (error) {
      if (!(await this.#isOutdated(meant, lease.entry, error))) throw error;
      this.#replace(keyOf(meant), lease.entry);
    } finally {
      lease.release();
    }
    const again = this.#lease(meant);
    try {
      return await work(await again.entry.opening);
    } finally {
      again.release();
    }
  }

  /** The same for work that gives its result bit by bit; what was given is not done again. */
  async *stream<Part>(
    meant: MeantIndex,
    work: (index: OpenIndex) => AsyncIterable<Part>,
  ): AsyncGenerator<Part> {
    const lease = this.#lease(meant);
    let hasBegun = false;
    try {
      for await (const part of work(await lease.entry.opening)) {
        hasBegun = true;
        yield part;
      }
      return;
    } catch (error) {
      if (hasBegun || !(await this.#isOutdated(meant, lease.entry, error))) throw error;
      this.#replace(keyOf(meant), lease.entry);
    } finally {
      lease.release();
    }
    const again = this.#lease(meant);
    try {
      yield* work(await again.entry.opening);
    } finally {
      again.release();
    }
  }

  /** Closes all; what is under way is stopped. */
  async close(): Promise<void> {
    for (const key of [...this.#entries.keys()]) this.#shut(key);
    for (const entry of this.#outdated) this.#end(entry);
    await Promise.all(this.#closing);
  }

  #lease(meant: MeantIndex): { readonly entry: Entry; readonly release: () => void } {
    const key = keyOf(meant);
    const entry = this.#entries.get(key) ?? this.#open(meant, key);
    entry.cancelIdle();
    entry.users += 1;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return { entry, release: () => this.#release(key, entry) };
  }

  #open(meant: MeantIndex, key: string): Entry {
    const opening = this.#opened(meant);
    const entry: Entry = { opening, users: 0, secretReadAt: -Infinity, cancelIdle: () => undefined };
    // What failed may succeed the next time: a secret is put in place.
    opening.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry;
  }

  async #opened({ deployment }: MeantIndex): Promise<Awaited<Entry['opening']>> {
    const parts = await this.#parts();
    const { config, store, secret } = await settingsOf(deployment, parts);
    // Another process loads the model by itself.
    const own = { ...config.own, embedder: parts.config.own?.embedder };
    const resources = new EngineResources(config, { remote: parts.processes?.index({ ...config, own }) });
    const { keepsNoText } = config;
    // One log for all, in the data folder of the shared index.
    const engine = await audited(engineOver(resources, config.projectRoot), { ...parts.config, keepsNoText });
    const close = async (): Promise<void> => {
      await engine.close();
      await store?.close();
    };
    return { engine, resources, secret, close };
  }

  #release(key: string, entry: Entry): void {
    entry.users -= 1;
    if (entry.users === 0 && this.#outdated.has(entry)) this.#end(entry);
    if (entry.users > 0 || this.#entries.get(key) !== entry) return;
    entry.cancelIdle = runtime().setTimer(() => this.#shut(key), this.#limits.idleMs, { isBackground: true });
    const idle = [...this.#entries].filter(([, { users }]) => users === 0).map(([name]) => name);
    const excess = this.#entries.size - this.#limits.mostOpen;
    for (const name of idle.slice(0, Math.max(0, excess))) this.#shut(name);
  }

  #shut(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.cancelIdle();
    this.#entries.delete(key);
    this.#end(entry);
  }

  /** Takes an index out of use, so that the next one who wants it opens it anew. */
  #replace(key: string, entry: Entry): void {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.#outdated.add(entry);
  }

  #end(entry: Entry): void {
    this.#outdated.delete(entry);
    const closing = entry.opening
      .then(({ close }) => close())
      // One that never opened has nothing to close; one whose server is gone is gone.
      .catch(() => undefined)
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** Whether a failure may be one of signing in with a secret that is no longer the one. */
  async #isOutdated({ deployment }: MeantIndex, entry: Entry, error: unknown): Promise<boolean> {
    if (deployment.apiKeySecretName === undefined) return false;
    if (!RAGError.isInstance(error) || error.category !== 'config') return false;
    const opened = await entry.opening.catch(() => undefined);
    if (opened === undefined || runtime().elapsed() - entry.secretReadAt < SECRET_READ_MS) return false;
    entry.secretReadAt = runtime().elapsed();
    const { config } = await this.#parts();
    const now = await secretOf(deployment, config).catch(() => undefined);
    return now !== undefined && now.reveal() !== opened.secret?.reveal();
  }
}
