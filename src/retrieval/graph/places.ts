import type { StoredChunk } from '../../core/chunk.js';
import { itemIdsOf } from '../../core/item-id.js';

type WithPlace = Pick<StoredChunk, 'documentId' | 'source' | 'metadata'>;

/** How much of the weight of some documents stands in the folder of another one, in [0, 1]; the document itself is none of them. */
export function folderShares(others: ReadonlyMap<WithPlace, number>): (document: WithPlace) => number {
  const total = [...others.values()].reduce((sum, weight) => sum + weight, 0);
  return (document) => {
    const folder = folderOf(document);
    if (folder === undefined) return 0;
    return [...others].reduce(
      (sum, [other, weight]) =>
        other.documentId !== document.documentId && folderOf(other) === folder ? sum + weight / total : sum,
      0,
    );
  };
}

/** Of a file; the root of a source says nothing, and the path of an item of a tracker is its name. */
function folderOf({ source, metadata }: WithPlace): string | undefined {
  const path = typeof metadata.source === 'string' ? metadata.source : '';
  const end = path.lastIndexOf('/');
  return end <= 0 || itemIdsOf(metadata).length > 0 ? undefined : `${source}\n${path.slice(0, end)}`;
}

/**
 * How new items are among those that were found, by their numbers: the logarithm of how far behind the newest of its tracker an item is, turned
 * round, and 0 on average. An item that has no number has 0.
 */
export function newnessAmong(found: readonly WithPlace[]): (document: WithPlace) => number {
  const newest = new Map<string, number>();
  for (const item of found.flatMap(numberOf))
    newest.set(item.tracker, Math.max(newest.get(item.tracker) ?? 0, item.number));
  const behind = ({ tracker, number }: ItemNumber): number =>
    Math.log1p(Math.max(0, (newest.get(tracker) ?? number) - number));
  const distances = found.flatMap(numberOf).map(behind);
  const mean = distances.reduce((sum, distance) => sum + distance, 0) / Math.max(1, distances.length);
  return (document) => numberOf(document).reduce((_, item) => mean - behind(item), 0);
}

interface ItemNumber {
  readonly tracker: string;
  readonly number: number;
}

/** One, or none. */
function numberOf({ source, metadata }: WithPlace): ItemNumber[] {
  const [id = ''] = itemIdsOf(metadata);
  const [, tracker, number] = /^(.{0,40}?)(\d{1,9})$/.exec(id) ?? [];
  return tracker === undefined || number === undefined
    ? []
    : [{ tracker: `${source}\n${tracker}`, number: Number(number) }];
}
