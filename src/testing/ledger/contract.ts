import type { Generation, GenerationWriter, Ledger } from '../../ledger/ledger.js';
import type { TestRunner } from '../vector-store/contract.js';

/** What a ledger under test must be made with. */
export interface LedgerSettings {
  /** Milliseconds since 1970: the only clock by which leases may be measured. */
  readonly now: () => number;
  /** Indexed revisions of a document whose text is kept. */
  readonly keepRevisions: number;
  /** Whether it keeps history. A ledger that cannot (`Ledger.history` is absent) leaves it out. */
  readonly keepsHistory: boolean;
}

/** One fresh, empty place for a ledger, for one test. */
export interface LedgerFixture {
  /** Opens the ledger for writing, each time as another process would. The suite closes it. */
  readonly open: () => Promise<Ledger>;
  /** Opens the ledger for reading only. The suite closes it. */
  readonly openForReading: () => Promise<Ledger>;
  /** Removes what `create` made; called after every ledger was closed. */
  readonly cleanup?: (() => Promise<void>) | undefined;
}

export interface LedgerContractOptions {
  /** Shown in the titles. */
  readonly name: string;
  /** Makes a fresh, empty place. Called once per test. */
  readonly create: (settings: LedgerSettings) => Promise<LedgerFixture>;
  readonly runner: TestRunner;
  /** Per test. @default 60_000 */
  readonly timeoutMs?: number | undefined;
  /** Random histories of runs and deaths. @default 30 */
  readonly randomHistories?: number | undefined;
}

/** What a test works with. */
export interface LedgerContext {
  readonly options: LedgerContractOptions;
  readonly ledger: Ledger;
  /** A generation that was just begun, and its writer. */
  readonly facts: Generation;
  readonly writer: GenerationWriter;
  /** The ledger as another process has it. */
  readonly reopen: () => Promise<Ledger>;
  readonly openForReading: () => Promise<Ledger>;
  /** Moves the clock on. */
  readonly pass: (ms: number) => void;
}

/** Registers one test of the contract. */
export type LedgerTest = (title: string, run: (context: LedgerContext) => Promise<void>) => void;

/** A part of the contract: tests about one concern. */
export type LedgerPart = (test: LedgerTest) => void;
