import type { Metadata } from './metadata.js';

/** Metadata fields by which an item of work is called, as its source has it. */
export const ITEM_ID_FIELDS = ['pbi_id', 'workItemId', 'bug_id'] as const;

/** What the item is called in its tracker; none where the document is no item. */
export const itemIdsOf = (metadata: Metadata): string[] =>
  ITEM_ID_FIELDS.flatMap((field) => {
    const id = metadata[field];
    return (typeof id === 'string' && id !== '') || typeof id === 'number' ? String(id) : [];
  });
