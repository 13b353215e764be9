import type { SystemField } from './record-fields.js';

/** How a table keeps a system field. */
export type TableColumn =
  | { readonly type: 'text'; readonly name: string; readonly isNullable?: boolean }
  | { readonly type: 'number'; readonly name: string }
  | { readonly type: 'list'; readonly name: string };

/** The columns of stores that keep chunks in a table. */
export const TABLE_COLUMNS: Readonly<Record<SystemField, TableColumn>> = {
  $tenant: { type: 'text', name: 'tenant' },
  $project: { type: 'text', name: 'project', isNullable: true },
  $level: { type: 'number', name: 'level' },
  $groups: { type: 'list', name: 'groups' },
  $documentId: { type: 'text', name: 'document_id' },
  $source: { type: 'text', name: 'source' },
  $chunkId: { type: 'text', name: 'id' },
  $identifiers: { type: 'list', name: 'identifiers' },
};
