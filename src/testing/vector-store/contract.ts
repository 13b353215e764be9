import type { CollectionSpec, VectorCollection, VectorStore } from '../../stores/vector-store.js';

/**
 * The functions of a test runner with the shape of Vitest's (Jest's and Mocha's fit too). They are passed in, so that
 * `ragstone/testing` needs no runner of its own and always registers with the caller's copy.
 */
export interface TestRunner {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly it: (name: string, run: () => Promise<void>, timeoutMs?: number) => unknown;
}

/** How a handle reaches its server, where that is not the usual way. */
export interface ServerRoute {
  readonly host: string;
  readonly port: number;
  /** Longest wait for one request, in milliseconds. */
  readonly timeoutMs: number;
}

/** One fresh, empty store for one test, and the levers that only its backend knows. */
export interface StoreFixture {
  readonly store: VectorStore;
  /**
   * Another handle on the same data, as a second process would open it; with a route, one that talks to its server there.
   * Required where `capabilities.persistent`. The suite closes it.
   */
  readonly reopen?: (route?: ServerRoute) => Promise<VectorStore>;
  /** Marks the stored collection as written by a newer version. Required where `capabilities.persistent`. */
  readonly makeSchemaNewer?: (collection: string) => Promise<void>;
  /** Removes what `create` made; called after `store.close()`. */
  readonly cleanup?: () => Promise<void>;
}

/**
 * A behaviour in which a store may differ. Each key names a real difference; the suite then asserts the other behaviour.
 * Abilities that `capabilities` declares (operators, lexical ranking, consistency, persistence) are no differences.
 */
export interface StoreDifferences {
  /**
   * BM25 statistics (document count, frequencies, average length) follow a write only at `optimize()`: before it the same
   * chunks match, with scores of older statistics. Give the reason.
   */
  readonly lexicalStatisticsAtOptimize?: string;
  /**
   * After `optimize()` vector search may miss a few of the nearest records, whatever their number: at least 95 % are found,
   * with their true scores. Only where `capabilities.exactVectorSearch` is false. Give the reason.
   */
  readonly approximateVectorSearch?: string;
}

export interface StoreContractOptions {
  /** Shown in the titles. */
  readonly name: string;
  /** Makes a fresh, empty store. Called once per test. */
  readonly create: () => Promise<StoreFixture>;
  readonly runner: TestRunner;
  readonly differences?: StoreDifferences;
  /**
   * URL of the store's server. Where it is given, the suite puts a proxy before the server that is dead, slow, half-dead or
   * loses answers, and asks `reopen` for handles through it.
   */
  readonly server?: string;
  /** Per test. @default 60_000 */
  readonly timeoutMs?: number;
  /** Random filters compared with the reference semantics. @default 150 */
  readonly randomFilters?: number;
}

/** What a test works with: the fixture and helpers that know the store's declared consistency. */
export interface ContractContext extends StoreFixture {
  readonly options: StoreContractOptions;
  /** Opens the collection that most tests use. */
  open(spec?: Partial<CollectionSpec>): Promise<VectorCollection>;
  /** Another handle's collection, whose writes `settle` waits for too. */
  follow(collection: VectorCollection): VectorCollection;
  /** Returns once everything written through `open` and `follow` can be read, or when the time that the store declares is over. */
  settle(): Promise<void>;
}

/** Registers one test of the contract. */
export type ContractTest = (title: string, run: (context: ContractContext) => Promise<void>) => void;

/** A part of the contract: tests about one concern. */
export type ContractPart = (test: ContractTest, options: StoreContractOptions) => void;
