import type { ResolvedConfig } from '../../config/resolved-config.js';
import type { Embedder } from '../../embedding/embedder.js';
import type { EmbeddingCache } from '../../embedding/embedding-cache.js';
import type { Generation, Ledger } from '../../ledger/ledger.js';
import type { LockSubject } from '../../ledger/lock.js';
import type { ActiveQueries } from '../../resources/active-queries.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import type { VectorCollection } from '../../stores/vector-store.js';

/** What an upgrade works with. */
export interface UpgradeHost {
  readonly config: ResolvedConfig;
  readonly resources: EngineResources;
  /** Folder that relative paths of a call start from. */
  readonly cwd: string;
  /** Questions that are being answered by this engine. */
  readonly activeQueries: ActiveQueries;
  /** Does work while this process may write the index; between two pieces of it others may. */
  readonly alone: <Outcome>(
    subject: LockSubject,
    work: (ledger: Ledger) => Promise<Outcome>,
  ) => Promise<Outcome>;
  readonly signal: AbortSignal;
}

/** The model of an upgrade. */
export interface UpgradeModel {
  /** As it was named. */
  readonly setting: string;
  readonly fingerprint: string;
  /** Makes vectors of documents behind everything else. */
  readonly embedder: Embedder;
  readonly cache?: EmbeddingCache | undefined;
}

/** A generation, opened. */
export interface OpenGeneration {
  readonly facts: Generation;
  readonly collection: VectorCollection;
}

/** From which generation to which vectors are made. */
export interface GenerationPair {
  readonly live: OpenGeneration;
  readonly target: OpenGeneration;
}
