import type { Metadata } from '../../core/metadata.js';
import { codeOf } from '../chunk-states.js';
import type { LedgerDocument } from '../ledger.js';
import { integer, optional, type RowOf, text, word } from './columns.js';
import { type Program, select } from './program.js';
import { type Sql, sql } from './sql.js';
import { readJson, readStatus } from './stored-words.js';

// Title and metadata are kept as JSON, which escapes what a text column cannot hold.
const DOCUMENT = {
  documentId: text('document_id'),
  tenant: text('tenant'),
  project: optional(text('project')),
  source: text('source'),
  sourceType: text('source_type'),
  itemId: text('item_id'),
  externalId: text('external_id'),
  revision: word('revision'),
  status: word('status'),
  title: optional(word('title')),
  metadata: word('metadata'),
  indexedAt: optional(word('indexed_at')),
  chunkCount: integer(
    `(SELECT count(*) FROM @chunk AS chunk WHERE chunk.document = documents.id AND chunk.state <> ${codeOf('stale')})`,
  ),
};

/** Documents of a generation, which the statement calls `documents`. */
export function* documents(generation: number, condition: Sql): Program<LedgerDocument[]> {
  const rows = yield* select(
    DOCUMENT,
    sql`FROM @document AS documents WHERE generation = ${generation} AND ${condition}`,
  );
  return rows.map(readDocument);
}

function readDocument({ project, title, indexedAt, ...row }: RowOf<typeof DOCUMENT>): LedgerDocument {
  return {
    ...row,
    ...(project === undefined ? {} : { project }),
    status: readStatus(row.status),
    ...(title === undefined ? {} : { title: readJson<string>(title) }),
    metadata: readJson<Metadata>(row.metadata),
    ...(indexedAt === undefined ? {} : { indexedAt }),
  };
}
