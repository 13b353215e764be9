import type { Metadata } from '../../core/metadata.js';
import { codeOf } from '../chunk-states.js';
import type { DocumentHead, LedgerDocument } from '../ledger.js';
import { storableText } from '../ledger-text.js';
import { integer, optional, type RowOf, text, word } from './columns.js';
import { type Program, select } from './program.js';
import { type Page, pageOf, type Sql, sql } from './sql.js';
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

const HEAD = {
  documentId: DOCUMENT.documentId,
  source: DOCUMENT.source,
  status: DOCUMENT.status,
  metadata: DOCUMENT.metadata,
  indexedAt: DOCUMENT.indexedAt,
  firstChunk: optional(
    text(`(SELECT chunk_id FROM @chunk AS chunk WHERE chunk.document = documents.id AND chunk.state = ${codeOf('live')}
      ORDER BY ordinal, chunk_id LIMIT 1)`),
  ),
};

/** See `GenerationReader.heads`. */
export function* heads(generation: number, tenant: string, page: Page): Program<DocumentHead[]> {
  const rows = yield* select(
    HEAD,
    sql`FROM @document AS documents WHERE generation = ${generation} AND tenant = ${storableText(tenant)}
      ${pageOf('document_id', page)}`,
  );
  return rows.map(({ indexedAt, firstChunk, ...row }) => ({
    ...row,
    status: readStatus(row.status),
    metadata: readJson<Metadata>(row.metadata),
    ...(indexedAt === undefined ? {} : { indexedAt }),
    ...(firstChunk === undefined ? {} : { firstChunk }),
  }));
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
