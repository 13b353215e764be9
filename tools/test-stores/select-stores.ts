import type { StoreUnderTest } from './stores.js';

/** Hashes of what was tested by the last run that passed, by the name of a suite. */
export type Tested = Readonly<Record<string, string>>;

export interface Asked {
  readonly names: readonly string[];
  readonly all: boolean;
  readonly tested: Tested;
  readonly hashOf: (store: StoreUnderTest) => string;
  /** The server is named by its variable already. */
  readonly hasServer: (store: StoreUnderTest) => boolean;
}

export interface Selection {
  readonly chosen: readonly StoreUnderTest[];
  /** Each with why. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** The suites that a run takes. What is named, or everything, is taken whatever it was tested with. */
export function selectStores(stores: readonly StoreUnderTest[], asked: Asked): Selection {
  const wanted = stores.filter(({ name }) => asked.names.length === 0 || asked.names.includes(name));
  if (asked.names.length > 0 || asked.all) return { chosen: wanted, leftOut: [] };
  const judged = wanted.map((store) => ({ store, reason: reasonToLeaveOut(store, asked) }));
  return {
    chosen: judged.flatMap(({ store, reason }) => (reason === undefined ? [store] : [])),
    leftOut: judged.flatMap(({ store: { name }, reason }) =>
      reason === undefined ? [] : [{ name, reason }],
    ),
  };
}

function reasonToLeaveOut(store: StoreUnderTest, { tested, hashOf, hasServer }: Asked): string | undefined {
  if (store.when === 'always') return undefined;
  if (store.when === 'npm test') return '`npm test` tests it';
  if (tested[store.name] === hashOf(store)) return 'unchanged since it was tested';
  const isSlow = store.isSlow ?? store.server?.isSlow ?? false;
  return isSlow && !hasServer(store)
    ? 'NOT TESTED though it changed, for it takes minutes: name it, or --all'
    : undefined;
}

/** What is recorded after a suite: nothing of one that did not pass, or that no run looks up. */
export const withPassed = (
  tested: Tested,
  { name, when }: StoreUnderTest,
  hash: string,
  passed: boolean,
): Tested =>
  !passed || when !== undefined
    ? tested
    : Object.fromEntries(Object.entries({ ...tested, [name]: hash }).sort(([a], [b]) => (a < b ? -1 : 1)));
