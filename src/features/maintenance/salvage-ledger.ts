import { LOCAL_SCOPE } from '../../core/scope.js';
import type { Generation, Ledger } from '../../ledger/ledger.js';

/** What could still be read of a damaged ledger before it is discarded. */
export interface SalvagedLedger {
  /** Names its collection, which must not stay in the store for ever. */
  readonly facts?: Generation | undefined;
  /** Names of the sources, perhaps not all: among them the folders that were indexed by name. */
  readonly sources: readonly string[];
  /** For people. */
  readonly notices: readonly string[];
}

/** Reads what is left; whatever fails is taken as lost, and said. */
export async function salvageLedger(ledger: () => Promise<Ledger | undefined>): Promise<SalvagedLedger> {
  const facts = await attempt(async () => (await ledger())?.live());
  const { tenant } = LOCAL_SCOPE;
  const held =
    facts && (await attempt(async () => (await ledger())?.reader(facts.generation).sourceNames(tenant)));
  const remembered = await attempt(async () => (await ledger())?.rememberedSources(tenant));
  const lost = facts === undefined ? [COLLECTION_LOST] : [];
  return {
    facts,
    sources: [...new Set([...(held ?? []), ...(remembered ?? [])])],
    notices: [LEDGER_LOST, ...lost],
  };
}

const LEDGER_LOST =
  'The ledger was damaged and is begun anew. Documents that were handed in by a program, and folders indexed by name that could not be read from it, must be indexed again.';
const COLLECTION_LOST =
  'The name of its collection could not be read. A store with files or a server of its own may still hold that collection; it is no longer used and can be removed.';

async function attempt<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
