import type { StoredChunk } from '../../core/chunk.js';
import { titleOf } from '../../core/chunk-metadata.js';
import { ITEM_ID_FIELDS } from '../../core/item-id.js';
import type { CollapseMode, MorePassages, RemovedCandidate } from '../retriever.js';

/** `metadata.sourceType` of documents that are one item each. */
const ITEM_TYPES: ReadonlySet<string> = new Set([
  ...['pbi', 'backlog', 'backlog_item', 'work_item', 'user_story', 'story', 'task'],
  ...['ticket', 'issue', 'jira', 'bug', 'bug_report', 'incident'],
]);

/**
 * What passages of one document share; undefined for one that stands alone in this mode. Copies of a backlog item, as the files
 * of each run and step of a tool hold them, have its id and its title, and share a name too.
 */
export function collapseKey(
  { documentId, project, metadata }: StoredChunk,
  mode: CollapseMode,
): string | undefined {
  const { sourceType, pbi_id: id } = metadata;
  const isItem =
    (typeof sourceType === 'string' && ITEM_TYPES.has(sourceType.toLowerCase())) ||
    ITEM_ID_FIELDS.some((key) => metadata[key] !== undefined);
  if (mode === 'none' || (mode === 'items' && !isItem)) return undefined;
  if (typeof id !== 'string') return documentId;
  const title = titleOf({ metadata }) ?? '';
  return JSON.stringify([project, id, title.trim().toLowerCase()]);
}

export const isCollapsible = (chunk: StoredChunk, mode: CollapseMode): boolean =>
  collapseKey(chunk, mode) !== undefined;

interface Found {
  readonly chunk: StoredChunk;
  readonly more?: MorePassages;
}

export interface Collapsed<Candidate> {
  readonly kept: readonly Candidate[];
  /** Passages of copies; those of the document that is shown are counted there. */
  readonly removed: readonly RemovedCandidate[];
}

/** The best passage of each document, and how many others of it were found. Order is kept. */
export function collapse<Candidate extends Found>(
  found: readonly Candidate[],
  mode: CollapseMode,
): Collapsed<Candidate> {
  if (mode === 'none') return { kept: found, removed: [] };
  const groups = new Map<string, Candidate[]>();
  for (const [i, candidate] of found.entries()) {
    const key = collapseKey(candidate.chunk, mode) ?? `${i}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [candidate]);
    else group.push(candidate);
  }
  const kept: Candidate[] = [];
  const removed: RemovedCandidate[] = [];
  for (const [best, ...others] of groups.values()) {
    if (best === undefined) continue;
    kept.push(others.length === 0 ? best : { ...best, more: moreOf(best, others) });
    for (const { chunk } of others)
      if (chunk.documentId !== best.chunk.documentId)
        removed.push({ id: chunk.id, step: 'collapse', detail: `of ${best.chunk.id}` });
  }
  return { kept, removed };
}

function moreOf({ chunk }: Found, others: readonly Found[]): MorePassages {
  const documents = new Set(others.map((other) => other.chunk.documentId));
  documents.delete(chunk.documentId);
  return { passages: others.length, copies: documents.size };
}
