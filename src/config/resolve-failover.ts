import { join } from 'node:path';
import type { ConfigPath } from './config-path.js';
import type { RAGSettings } from './schema/index.js';
import type { BuiltProvider } from './schema/storage.js';

/** The second store of an index, with every setting. */
export interface SecondStore {
  readonly provider: BuiltProvider;
  readonly name: string;
  readonly storage: RAGSettings['storage'] & {
    readonly local: RAGSettings['storage']['local'] & { readonly path: string };
  };
}

/** `rag.failover`, complete: the first store is `rag.provider` with `rag.storage`. */
export interface ResolvedFailover {
  /** What the first store is called. @default its provider */
  readonly primaryName: string | undefined;
  readonly secondary: SecondStore;
  readonly dualWrite: boolean;
  readonly maxJournalMb: number;
}

/** What `rag.provider` and `rag.storage` come down to, and the second store. */
export interface ResolvedStores {
  readonly provider: RAGSettings['provider'];
  readonly storage: RAGSettings['storage'];
  readonly failover: ResolvedFailover | undefined;
}

type Refuse = (path: ConfigPath, message: string) => void;

/** @param resolvePath makes a path of the configuration absolute; without one, the place of that name in the data folder */
export function resolveFailover(
  rag: RAGSettings,
  resolvePath: (stated: string | undefined, usual: string) => string,
  refuse: Refuse,
): ResolvedStores {
  const { failover, provider, storage } = rag;
  if (failover === undefined) return { provider, storage, failover: undefined };
  const primary = typeof failover.primary === 'string' ? { provider: failover.primary } : failover.primary;
  const second =
    typeof failover.secondary === 'string' ? { provider: failover.secondary } : failover.secondary;
  if (primary !== undefined && provider !== 'auto' && provider !== primary.provider)
    refuse(
      ['rag', 'failover', 'primary'],
      `rag.failover.primary is "${primary.provider}" and rag.provider is "${provider}": state one of the two, or the same.`,
    );
  const name = second.name ?? second.provider;
  const primaryName = primary?.name;
  const first = primary?.provider ?? provider;
  if (name === (primaryName ?? first))
    refuse(
      ['rag', 'failover', 'secondary'],
      `Both stores of rag.failover are called "${name}". Give the second one a name: secondary: { provider: ${second.provider}, name: second, storage: ... }.`,
    );
  if (rag.ledger.type === 'postgres')
    refuse(
      ['rag', 'failover'],
      'rag.failover keeps its journal in the data folder of one host, and rag.ledger.type is `postgres`, for hosts that share one index: one host could not know what another one has written. Leave one of the two out.',
    );
  if (first === 'memory' || !storage.local.persist)
    refuse(
      ['rag', 'failover'],
      'rag.failover needs stores that keep what they hold; the first one is in memory.',
    );
  const given = second.storage ?? NO_STORAGE;
  return {
    provider: first,
    storage: primary?.storage ?? storage,
    failover: {
      primaryName,
      secondary: {
        provider: second.provider,
        name,
        storage: {
          ...given,
          local: { ...given.local, path: resolvePath(given.local.path, join('failover', name)) },
        },
      },
      dualWrite: failover.dualWrite,
      maxJournalMb: failover.maxJournalMb,
    },
  };
}

const NO_STORAGE: RAGSettings['storage'] = {
  local: { persist: true, collection: 'ragstone' },
  server: undefined,
  s3: undefined,
  cloud: undefined,
};
