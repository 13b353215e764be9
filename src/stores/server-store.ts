import { assertCollectionName, assertSameSpec, assertSpec } from './store-checks.js';
import type { StoreConnection } from './store-connection.js';
import type { CollectionSpec, StoreCapabilities, VectorCollection, VectorStore } from './vector-store.js';

/** What a server tells of a collection. */
export interface FoundCollection {
  readonly spec: CollectionSpec;
}

export interface StoreHealth {
  readonly ok: boolean;
  readonly detail: string;
}

/** What a server does for a store. */
export interface StoreServer<Found extends FoundCollection> {
  readonly connection: StoreConnection;
  find(name: string): Promise<Found | undefined>;
  /** Gives what is there then: another process, or a first attempt whose answer was lost, may have made it. */
  make(spec: CollectionSpec): Promise<Found>;
  collectionOf(found: Found): Promise<VectorCollection>;
  /** Quiet where there is none. */
  drop(name: string): Promise<void>;
  /** How it is, in words where it is well. */
  tell(): Promise<string | StoreHealth>;
  /** After the connection: present where the server was started for the store. */
  close?(): Promise<void>;
}

/** A store on a server: what every such store checks alike. */
export class ServerStore<Found extends FoundCollection> implements VectorStore {
  readonly name: string;
  readonly capabilities: StoreCapabilities;
  readonly #server: StoreServer<Found>;

  constructor(name: string, capabilities: StoreCapabilities, server: StoreServer<Found>) {
    this.name = name;
    this.capabilities = capabilities;
    this.#server = server;
  }

  async open(spec: CollectionSpec): Promise<VectorCollection> {
    this.#server.connection.begin();
    assertSpec(spec);
    const found = (await this.#server.find(spec.name)) ?? (await this.#server.make(spec));
    assertSameSpec(found.spec, spec);
    return this.#server.collectionOf(found);
  }

  async describe(name: string): Promise<CollectionSpec | undefined> {
    this.#server.connection.begin();
    assertCollectionName(name);
    return (await this.#server.find(name))?.spec;
  }

  async drop(name: string): Promise<void> {
    this.#server.connection.begin();
    assertCollectionName(name);
    await this.#server.drop(name);
  }

  async health(): Promise<StoreHealth> {
    if (this.#server.connection.closing.aborted) return { ok: false, detail: 'closed' };
    try {
      const told = await this.#server.tell();
      return typeof told === 'string' ? { ok: true, detail: told } : told;
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async close(): Promise<void> {
    await this.#server.connection.close();
    await this.#server.close?.();
  }
}
