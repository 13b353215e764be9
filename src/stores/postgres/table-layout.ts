import type { ChunkRecord } from '../../core/chunk.js';
import type { Filter } from '../../core/filter.js';
import type { RunStatement } from '../../platform/postgres/postgres-database.js';
import type { FilterTarget } from './filter-sql.js';
import type { Parameters } from './sql-text.js';
import type { WordTables } from './words/word-tables.js';

/**
 * How chunks lie in a table. Reads go through `from`, which gives every layout the same columns: `key`, `id`, `document_id`,
 * `tenant`, `project`, `source`, `level`, `groups`, `content`, `identifiers`, `metadata`, `vector` and `is_ours` (written
 * by this store, so that its escapes are to be undone).
 */
export interface TableLayout extends FilterTarget {
  /** Qualified and quoted. */
  readonly table: string;
  /** Where the words of its chunks are. */
  readonly words: WordTables;
  /** What reads select from, with the columns above. */
  readonly from: (parameters: Parameters) => string;
  /** Order of ids by code point, in terms an index can help with. */
  readonly idOrder: readonly string[];
  /** The same terms for an id that is given as a placeholder. */
  readonly idOrderOf: (placeholder: string) => readonly string[];
  /** The expression that the vector index is built on, with the type of the query to compare it with. */
  readonly indexed: { readonly expression: string; readonly queryType: string };
  /** Deletes the rows of `from` that the condition admits, and returns their keys as text (`key`). */
  readonly deleteWhere: (condition: string, parameters: Parameters) => string;
  /** Refuses a filter or scope that the layout cannot hold. */
  readonly assertFilter: (filter: Filter) => void;
  /** Refuses records that the layout cannot hold, before anything is written. */
  readonly assertRecords: (records: readonly ChunkRecord[]) => void;
  /** What `list`, `count` and `delete` add to a filter's condition. */
  readonly enumerationGuard: (filter: Filter) => string | undefined;
  /** Writes records with distinct ids inside a transaction. */
  readonly upsert: (run: RunStatement, records: readonly ChunkRecord[]) => Promise<void>;
  /** Builds what `optimize` has to build, on a connection of its own. */
  readonly buildIndex: (run: RunStatement) => Promise<void>;
}

/** Columns of a row of any layout; the vector only where it is wanted. */
export const rowColumns = (includeVectors: boolean): string =>
  `id, document_id, tenant, project, source, level, groups, content, identifiers, metadata::text AS metadata, is_ours${
    includeVectors ? ', vector::text AS vector' : ''
  }`;
