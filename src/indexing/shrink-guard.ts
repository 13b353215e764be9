import { RAGError } from '../core/errors.js';
import type { LedgerItem } from '../ledger/ledger.js';
import { coversItem } from '../sources/source.js';
import type { SourceChanges } from './list-changes.js';
import { leftToOthers } from './overlapping-sources.js';
import type { ConfiguredSource } from './source-task.js';

/** A listing that names fewer items than are indexed may lose this share of them, unless the configuration says another one. */
export const DEFAULT_MAX_SHRINK = 0.5;

/** So few items may go at once, whatever share they are. */
export const MIN_SUSPICIOUS_LOSS = 20;

/**
 * Stops a source whose listing would delete a large share of what is indexed of it: a share that is not mounted, a token that sees
 * less, or a service that answers with half of its pages looks like that. What moved within the source, or is another source's now,
 * is no loss.
 *
 * @param held what is indexed of the source: known to the ledger, or, while a new generation is filled, to the live one
 * @throws RAGError `SOURCE_SHRUNK`
 */
export function assertNotShrunk(
  { source, maxShrink = DEFAULT_MAX_SHRINK }: ConfiguredSource,
  changes: SourceChanges,
  held: ReadonlyMap<string, LedgerItem>,
): void {
  const others = leftToOthers(source);
  const present = heldAfter(changes);
  const isLost = (id: string): boolean =>
    !present.has(id) && !others.has(id) && !changes.unreadable.some((item) => coversItem(item, id));
  // A folder that could not be read is known by its name, and no item. What failed is one: documents of it may be indexed.
  const items = [...held.keys()].filter((id) => !id.endsWith('/'));
  const lost = items.filter(isLost).length;
  const added = changes.toRead.filter(({ id }) => !held.has(id)).length;
  if (!isShrunk({ known: items.length, lost, added, maxShrink })) return;
  throw new RAGError(
    'SOURCE_SHRUNK',
    `The source "${source.name}" lists ${items.length - lost + added} items where ${items.length} were known, and ${lost} of these would be deleted: more than rag.indexing.maxShrink (${maxShrink}) allows. Nothing of it was changed. ${allowingIt(source.name)}`,
    { details: { source: source.name, known: items.length, lost, added, maxShrink } },
  );
}

/** What a person does where it is meant. */
export const allowingIt = (source: string): string =>
  `If they are really gone, \`ragstone index --allow-shrink-source ${JSON.stringify(source)}\` deletes them.`;

/** Whether of so many items that were known more would be lost than may be, less those that were added. */
export function isShrunk({
  known,
  lost,
  added,
  maxShrink,
}: Readonly<Record<'known' | 'lost' | 'added' | 'maxShrink', number>>): boolean {
  const fewer = lost - added;
  return fewer >= MIN_SUSPICIOUS_LOSS && fewer > maxShrink * known;
}

/** Whether a source may lose whatever it does not list any more. */
export const mayShrink = (
  source: string,
  { allowShrink = false }: { readonly allowShrink?: boolean | readonly string[] | undefined },
): boolean => allowShrink === true || (allowShrink !== false && allowShrink.includes(source));

/** Whether a source that held something lists nothing any more, and another source of the run has none of it. */
export function isEmptied({ source }: ConfiguredSource, changes: SourceChanges): boolean {
  const others = leftToOthers(source);
  return (
    changes.goneItemIds.length > 0 &&
    changes.unreadable.length === 0 &&
    changes.blockedItemIds.length === 0 &&
    heldAfter(changes).size === 0 &&
    !changes.goneItemIds.some((id) => others.has(id))
  );
}

/** What would be held after the run. */
function heldAfter({ known, goneItemIds, toRead }: SourceChanges): ReadonlySet<string> {
  const present = new Set(known.keys());
  for (const id of goneItemIds) present.delete(id);
  for (const { id } of toRead) present.add(id);
  return present;
}
