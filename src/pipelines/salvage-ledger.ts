import { LOCAL_SCOPE } from '../core/scope.js';
import type { IndexFacts, Ledger } from '../ledger/ledger.js';

/** What could still be read of a damaged ledger before it is discarded. */
export interface SalvagedLedger {
  /** Names its collection, which must not stay in the store for ever. */
  readonly facts?: IndexFacts;
  /** Names of the sources, perhaps not all: among them the folders that were indexed by name. */
  readonly sources: readonly string[];
  /** For people. */
  readonly notices: readonly string[];
}

/** Reads what is left; whatever fails is taken as lost, and said. */
export function salvageLedger(ledger: () => Ledger | undefined): SalvagedLedger {
  const facts = attempt(() => ledger()?.facts());
  const sources = attempt(() => ledger()?.sources()) ?? [];
  const remembered = attempt(() => ledger()?.rememberedSources(LOCAL_SCOPE.tenant)) ?? [];
  const lost = facts === undefined ? [COLLECTION_LOST] : [];
  return {
    ...(facts === undefined ? {} : { facts }),
    sources: [...new Set([...sources.map(({ source }) => source), ...remembered])],
    notices: [LEDGER_LOST, ...lost],
  };
}

const LEDGER_LOST =
  'The ledger was damaged and is begun anew. Documents that were handed in by a program, and folders indexed by name that could not be read from it, must be indexed again.';
const COLLECTION_LOST =
  'The name of its collection could not be read. A store with files or a server of its own may still hold that collection; it is no longer used and can be removed.';

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
