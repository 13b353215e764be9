import type { StoredChunk } from '../../core/chunk.js';
import { itemIdsOf } from '../../core/item-id.js';

/** Items whose numbers differ by this are near by a third (1/e). */
const NUMBERS = 20;

/** Where a document stands among others: in a folder of its source, or in the sequence of its tracker. */
type Place = { readonly folder: string } | { readonly tracker: string; readonly number: number };

type WithPlace = Pick<StoredChunk, 'documentId' | 'source' | 'metadata'>;

/**
 * How near a document stands to some others with weights, in [0, 1] of their sum: in the same folder, or with a number that differs little, as
 * items that were made in one go have. Only what is handed in is looked at.
 */
export function nearnessTo(others: ReadonlyMap<WithPlace, number>): (document: WithPlace) => number {
  const places = [...others].flatMap(([document, weight]) => {
    const place = placeOf(document);
    return place === undefined ? [] : [{ id: document.documentId, place, weight }];
  });
  return (document) => {
    const own = placeOf(document);
    if (own === undefined) return 0;
    return places.reduce(
      (sum, { id, place, weight }) =>
        id === document.documentId ? sum : sum + weight * nearness(own, place),
      0,
    );
  };
}

function nearness(a: Place, b: Place): number {
  if ('folder' in a) return 'folder' in b && a.folder === b.folder ? 1 : 0;
  if (!('tracker' in b) || a.tracker !== b.tracker || a.number === b.number) return 0;
  return Math.exp(-Math.abs(a.number - b.number) / NUMBERS);
}

const NUMBERED = /^(.*?)(\d{1,9})$/;

function placeOf({ source, metadata }: WithPlace): Place | undefined {
  const [id] = itemIdsOf(metadata);
  const [, tracker, number] = (id === undefined ? null : NUMBERED.exec(id)) ?? [];
  if (tracker !== undefined && number !== undefined)
    return { tracker: `${source}\n${tracker}`, number: Number(number) };
  const path = typeof metadata.source === 'string' ? metadata.source : '';
  const end = path.lastIndexOf('/');
  return end <= 0 ? undefined : { folder: `${source}\n${path.slice(0, end)}` };
}
