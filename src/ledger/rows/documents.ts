import { RAGError } from '../../core/errors.js';
import type { Metadata } from '../../core/metadata.js';
import { codeOf } from '../chunk-states.js';
import type { DocumentStatus, LedgerDocument } from '../ledger.js';
import { storableText } from '../ledger-text.js';
import { integer, optional, type RowOf, text, word } from './columns.js';
import { type Program, select } from './program.js';
import { DOCUMENT_KEY, NOTHING, oneOf, raw, type Sql, sql } from './sql.js';

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

/** @param rest after the generation */
export function* documents(generation: number, rest: Sql): Program<LedgerDocument[]> {
  const rows = yield* select(
    DOCUMENT,
    sql`FROM @document AS documents WHERE generation = ${generation} AND ${rest}`,
  );
  return rows.map(readDocument);
}

export function* findDocument(generation: number, documentId: string): Program<LedgerDocument | undefined> {
  const [document] = yield* documents(generation, sql`${DOCUMENT_KEY} ${oneOf('key', [documentId])}`);
  return document;
}

const STATUSES: readonly DocumentStatus[] = ['pending', 'indexed', 'failed', 'outdated'];

function readDocument({ project, title, indexedAt, status, ...row }: RowOf<typeof DOCUMENT>): LedgerDocument {
  return {
    ...row,
    ...(project === undefined ? {} : { project }),
    status: readStatus(status),
    ...(title === undefined ? {} : { title: JSON.parse(title) as string }),
    metadata: JSON.parse(row.metadata) as Metadata,
    ...(indexedAt === undefined ? {} : { indexedAt }),
  };
}

export function readStatus(text: string): DocumentStatus {
  const status = STATUSES.find((known) => known === text);
  if (status === undefined)
    throw new RAGError(
      'INDEX_DAMAGED',
      'The index holds a state that is none. Run `ragstone index --force` to build the index anew from its sources.',
    );
  return status;
}

/** The order of documents' ids, after one of them; PostgreSQL has an index of their first characters. */
export const pageOfDocuments =
  (after: string | undefined, limit: number): Sql =>
  (writer) => {
    const ids = writer.dialect === 'sqlite' ? 'document_id' : '(left(document_id, 128), document_id)';
    const from = after === undefined ? undefined : storableText(after);
    const given =
      writer.dialect === 'sqlite' ? sql`${from ?? ''}` : sql`(left(${from ?? ''}, 128), ${from ?? ''})`;
    const condition = from === undefined ? NOTHING : sql`AND ${raw(ids)} > ${given}`;
    return sql`${condition} ORDER BY ${raw(ids)} LIMIT ${limit}`(writer);
  };
