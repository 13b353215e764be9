import type { Chunker } from '../chunking/chunker.js';
import type { ChunkContextualiser } from '../chunking/contextual/chunk-contextualiser.js';
import type { Metadata } from '../core/metadata.js';
import type { Scope } from '../core/scope.js';
import type { Parser } from '../parsing/parser.js';
import type { Source } from '../sources/source.js';
import type { DocumentProtection } from './document-protection.js';
import type { IndexRun } from './index-run.js';
import type { WriteTargets } from './write-batch.js';

/** A source with everything that decides how its documents are processed. */
export interface ConfiguredSource {
  readonly source: Source;
  readonly sourceType: string;
  /** Absolute path of the folder or file that it reads; ids of its documents are relative to the folder. Absent: no files. */
  readonly root?: string;
  readonly metadata: Metadata;
  readonly chunker: Chunker;
  readonly parsers: ReadonlyMap<string, Parser>;
  /** Absent where neither redaction nor an access rule is configured. */
  readonly protection?: DocumentProtection;
  /** Changes whenever the same bytes would give other chunks. */
  readonly processingKey: string;
}

export interface IndexSourceOptions {
  readonly scope: Scope;
  readonly force: boolean;
  readonly dryRun: boolean;
  /** Chunks in one store batch. */
  readonly batchSize: number;
  /** Items read at once. */
  readonly parallel: number;
}

/** One source in one run: what is read, where it goes, how, and what is counted. */
export interface SourceTask {
  readonly configured: ConfiguredSource;
  readonly targets: WriteTargets;
  readonly options: IndexSourceOptions;
  readonly run: IndexRun;
  /** Writes contexts of chunks; absent where it is off. */
  readonly contextualiser?: ChunkContextualiser;
}
