import type { CollectionSpec } from '../vector-store.js';
import type { StoreWrite } from './store-write.js';

/** Number and token of a write: how far a store is. */
export interface Mark {
  readonly seq: number;
  readonly token: number;
}

/** How the journal sees one store. */
export interface StoreRecord {
  /** `current`: it has every write that was acknowledged. `behind`: it lacks some, which the journal keeps. */
  readonly status: 'current' | 'behind';
  /** The last write that it was known to have, when it fell behind. */
  readonly seq: number;
  /** Why it is behind, in words. */
  readonly why?: string | undefined;
  /** Since when. ISO-8601 UTC */
  readonly since?: string | undefined;
  /** Collections of which it holds nothing that could be trusted: they are copied. */
  readonly stale: readonly string[];
}

/** What the journal says of the stores; nothing of it changes but by a record of the journal. */
export interface JournalState {
  /** Of this journal alone. */
  readonly id: string;
  /** The store that is asked first. */
  readonly active: string;
  /** The last write that the journal no longer holds. */
  readonly base: Mark;
  readonly stores: Readonly<Record<string, StoreRecord>>;
  /** By name: what the stores are to hold. */
  readonly collections: Readonly<Record<string, CollectionSpec>>;
  /** The journal knows every collection that there is; before, the first store may have others. */
  readonly isComplete: boolean;
  /** Writes that no store took, which are not repeated. */
  readonly voided: readonly number[];
}

/** A change of the state that is no write. */
export type JournalEvent =
  | {
      readonly kind: 'behind';
      readonly store: string;
      readonly seq: number;
      readonly why: string;
      readonly since: string;
    }
  | { readonly kind: 'current'; readonly store: string; readonly seq: number }
  /** What a store holds is not to be trusted; from here on it has every write. */
  | { readonly kind: 'reset'; readonly store: string; readonly seq: number }
  | { readonly kind: 'copied'; readonly store: string; readonly collection: string }
  | { readonly kind: 'stale'; readonly store: string; readonly collection: string }
  /** A collection that a store had before there was a journal; the others lack it. */
  | { readonly kind: 'adopted'; readonly store: string; readonly spec: CollectionSpec }
  | { readonly kind: 'complete' }
  /** Nothing of what was written is left anywhere. */
  | { readonly kind: 'lost'; readonly seq: number }
  | { readonly kind: 'active'; readonly store: string }
  | { readonly kind: 'void'; readonly seq: number };

export const withEvent = (state: JournalState, event: JournalEvent): JournalState => {
  switch (event.kind) {
    case 'behind': {
      const { store, seq, why, since } = event;
      const known = state.stores[store];
      const kept = known?.status === 'behind' ? known.since : undefined;
      return withStore(state, store, { status: 'behind', seq, why, since: kept ?? since });
    }
    case 'current':
      return withStore(state, event.store, CURRENT(event.seq));
    case 'reset':
      return withStore(state, event.store, {
        ...CURRENT(event.seq),
        stale: Object.keys(state.collections),
      });
    case 'copied':
      return withStore(state, event.store, {
        stale: staleOf(state, event.store).filter((name) => name !== event.collection),
      });
    case 'stale':
      return withStore(state, event.store, {
        stale: [...new Set([...staleOf(state, event.store), event.collection])],
      });
    case 'adopted': {
      const { name } = event.spec;
      const known = { ...state, collections: { ...state.collections, [name]: event.spec } };
      return Object.keys(state.stores)
        .filter((store) => store !== event.store)
        .reduce((all, store) => withEvent(all, { kind: 'stale', store, collection: name }), known);
    }
    case 'lost':
      return Object.keys(state.stores).reduce(
        (all, store) => withStore(all, store, { ...CURRENT(event.seq), stale: [] }),
        { ...state, collections: {} },
      );
    case 'complete':
      return { ...state, isComplete: true };
    case 'active':
      return { ...state, active: event.store };
    case 'void':
      return { ...state, voided: [...state.voided, event.seq] };
    default:
      return event satisfies never;
  }
};

/** What a write changes of the collections. */
export function withWrite(state: JournalState, write: StoreWrite): JournalState {
  if (write.kind === 'create')
    return { ...state, collections: { ...state.collections, [write.spec.name]: write.spec } };
  if (write.kind !== 'drop') return state;
  const { [write.name]: _, ...collections } = state.collections;
  const copied = Object.keys(state.stores).reduce(
    (all, store) => withEvent(all, { kind: 'copied', store, collection: write.name }),
    state,
  );
  return { ...copied, collections };
}

const CURRENT = (seq: number): Partial<StoreRecord> => ({
  status: 'current',
  seq,
  why: undefined,
  since: undefined,
});

const staleOf = (state: JournalState, store: string): readonly string[] => state.stores[store]?.stale ?? [];

const NEW: StoreRecord = { status: 'behind', seq: -1, stale: [] };

const withStore = (state: JournalState, store: string, change: Partial<StoreRecord>): JournalState => ({
  ...state,
  stores: { ...state.stores, [store]: { ...(state.stores[store] ?? NEW), ...change } },
});
