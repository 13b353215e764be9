import type { Environment } from '../../config/expand-variables.js';
import type { FillProgress } from '../../features/upgrading/fill-pace.js';
import type { CreateEngineOptions } from '../../operations/engine-options.js';

/** Which index: what `createEngine` takes for it. */
export type MigrationPlace = Omit<CreateEngineOptions, 'searchProcesses' | 'cwd' | 'env'>;

/** What is copied where. */
export interface MigrateRequest {
  /** The index that is copied. It stays as it is. */
  readonly from: MigrationPlace;
  /** Where it is copied to: another store, in the same data folder or ledger or in another one. */
  readonly to: MigrationPlace;
  /** Folder that relative paths start from. @default process.cwd() */
  readonly cwd?: string | undefined;
  /** Variables for `${NAME}`. @default process.env */
  readonly env?: Environment | undefined;
  /** Questions in JSONL that both indexes are asked. @default some made of the indexed documents */
  readonly questions?: string | undefined;
  /** Least share of results that both indexes must have in common for the switch, from 0 to 1. @default 0.8 */
  readonly minOverlap?: number | undefined;
  /** Copy, check and compare, and leave the switch to a later call. @default true */
  readonly switch?: boolean | undefined;
  /** Takes the place of an index that is there already, which is kept to go back to. @default false: it is refused */
  readonly replace?: boolean | undefined;
  /** Only says what would be copied. @default false */
  readonly dryRun?: boolean | undefined;
  readonly onProgress?: ((progress: MigrationProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How far a migration is: chunks copied or checked, or questions asked. */
export interface MigrationProgress extends FillProgress {
  readonly stage: 'copying' | 'checking' | 'comparing' | 'switching';
}

/** One end of a migration. */
export interface MigrationEnd {
  /** Provider of the store. */
  readonly store: string;
  /** Absent where none is begun yet. */
  readonly generation?: number | undefined;
  /** The configuration file, where there is one. */
  readonly configFile?: string | undefined;
  /** The data folder. */
  readonly dataDir: string;
}

/** What was found to be the same in both indexes. */
export interface CopyCheck {
  readonly documents: number;
  /** Chunks whose content, metadata and access rules were compared by their hashes. */
  readonly chunks: number;
  /** Of them those whose vectors were compared. */
  readonly vectors: number;
}

/** What both indexes answer to the same questions. */
export interface ResultComparison {
  /** Questions that found anything in the index that is copied. */
  readonly questions: number;
  /** Where they are from: the file, or `made of the indexed documents`. */
  readonly questionsFrom: string;
  /** Results that are compared of each question. */
  readonly topK: number;
  /** Share of the results of the old index that the new one finds too, on average: 0 to 1. */
  readonly overlap: number;
  /** Questions with the same results, in any order. */
  readonly same: number;
  /** The question with the least overlap. */
  readonly worst?: { readonly question: string; readonly overlap: number } | undefined;
}

/** What came of a migration. */
export interface MigrationResult {
  /**
   * `switched`: the new index is live. `kept`: it is complete and checked, and not live, because its results differ too much or the switch was
   * not asked for. `already`: it was live before this call. `dry-run`: nothing was done.
   */
  readonly outcome: 'switched' | 'kept' | 'already' | 'dry-run';
  readonly from: MigrationEnd;
  readonly to: MigrationEnd;
  readonly embedder: string;
  readonly documents: number;
  readonly chunks: number;
  /** Chunks that this call copied; the others were there from an earlier one. */
  readonly copied: number;
  /** Milliseconds of copying, by this call. */
  readonly copyMs: number;
  /** Milliseconds of this call. */
  readonly tookMs: number;
  /** Absent where nothing was copied. */
  readonly check?: CopyCheck | undefined;
  /** Absent where nothing was compared. */
  readonly comparison?: ResultComparison | undefined;
  /** In words: how to go back, and how to remove the old index. Absent where nothing was switched. */
  readonly wayBack?: string | undefined;
  readonly notices: readonly string[];
}
