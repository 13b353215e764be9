import { extractIdentifiers } from '../analysis/identifiers.js';
import { indexedTextOf, indexedTextOfStored } from '../analysis/indexed-text.js';
import type { StoredChunk } from '../core/chunk.js';
import { headingPathOf, offsetsOf, titleOf } from '../core/chunk-metadata.js';
import { chunkIdOf, contentHash } from '../core/ids.js';
import type { Metadata } from '../core/metadata.js';
import type { LedgerDocument } from '../ledger/ledger.js';
import type { MetadataSealing } from '../security/sealed-metadata.js';
import { type CarriedGeneration, documentOfChunks, readHeld } from './carry-over.js';
import { rebuildChunks } from './rebuilt-chunks.js';
import { isEmptied, type WithheldText, withheldLabels, withholdStored } from './withheld-fields.js';
import type { BatchDocument } from './write-batch.js';

/**
 * A document as it would be written now: its fields have the names that callers gave them, what is marked is encrypted by the first key, and its
 * text does not state it. Undefined where it is so already, its text is no longer there, or it was left half written. A chunk whose text stays
 * keeps its vector.
 */
export async function renewedDocument(
  document: LedgerDocument,
  from: CarriedGeneration,
  { sealing, signal }: { readonly sealing: MetadataSealing; readonly signal: AbortSignal | undefined },
): Promise<BatchDocument | undefined> {
  const held = await readHeld(document, from, { signal });
  if (held === undefined) return undefined;
  const withheld = withholdStored({ ...document, text: held.text }, sealing.fields);
  const isCurrent =
    withheld === undefined && [document, ...held.chunks].every(({ metadata }) => sealing.isCurrent(metadata));
  if (isCurrent) return undefined;
  const sealed = (metadata: Metadata): Metadata =>
    sealing.isCurrent(metadata) ? metadata : sealing.seal(metadata, document);
  const known = { ...document, metadata: sealed(document.metadata) };
  const chunks = held.chunks.map((chunk) => ({ ...chunk, metadata: sealed(chunk.metadata) }));
  if (withheld === undefined)
    return documentOfChunks({ ...known, text: held.text }, chunks, { rebuilt: held.rebuilt });
  const { text } = withheld;
  const revision = contentHash(new TextEncoder().encode(text));
  const isLeaking = withheldLabels(held.text, withheld);
  const left = withheldChunks(chunks, { ...withheld, revision, isLeaking });
  const rebuilt = await rebuildChunks(left, { text, digests: new Map() });
  const { title, ...untitled } = known;
  const isTitled = title !== undefined && !isLeaking(title);
  const named = isTitled ? known : { ...untitled, metadata: withoutTitle(known.metadata) };
  return documentOfChunks({ ...named, text, revision }, left, { rebuilt });
}

interface ChunkWithholding extends Pick<WithheldText, 'text' | 'ranges'> {
  readonly revision: string;
  /** Whether a title or heading was read from what was taken out. */
  readonly isLeaking: (label: string) => boolean;
}

/** The chunks over a text of which something was taken out; those of which nothing is left are dropped. */
function withheldChunks(
  chunks: readonly StoredChunk[],
  { text, ranges, revision, isLeaking }: ChunkWithholding,
): StoredChunk[] {
  const cut = chunks.map((chunk) => {
    const { start, end } = offsetsOf(chunk) ?? { start: 0, end: 0 };
    const isTouched = ranges.some((range) => range.start < end && range.end > start);
    const labels = [...headingPathOf(chunk), titleOf(chunk) ?? ''];
    const content = text.slice(start, end);
    return {
      chunk: isTouched || labels.some(isLeaking) ? withheldChunk(chunk, content, isLeaking) : chunk,
      isEmpty: isTouched && isEmptied(content),
    };
  });
  const full = cut.filter(({ isEmpty }) => !isEmpty);
  const left = full.length > 0 ? full : cut.slice(0, 1);
  return left.map(({ chunk }, chunkIndex) => ({
    ...chunk,
    metadata: { ...chunk.metadata, revision, chunkIndex, chunkTotal: left.length },
  }));
}

/** The same passage with another text, under the headings that are left: another chunk, without a vector. */
function withheldChunk(
  { vector: _, ...chunk }: StoredChunk,
  content: string,
  isLeaking: ChunkWithholding['isLeaking'],
): StoredChunk {
  const headingPath = headingPathOf(chunk).filter((heading) => !isLeaking(heading));
  const stated = titleOf(chunk);
  const title = stated === undefined || isLeaking(stated) ? undefined : stated;
  const indexedText = indexedTextOf({ title, headingPath, content });
  const before = new Set(extractIdentifiers(indexedTextOfStored(chunk)));
  const metadata = title === undefined ? withoutTitle(chunk.metadata) : chunk.metadata;
  return {
    ...chunk,
    id: chunkIdOf(chunk.documentId, indexedText, 0),
    content,
    identifiers: [
      ...extractIdentifiers(indexedText),
      ...chunk.identifiers.filter((identifier) => !before.has(identifier)),
    ],
    metadata: { ...metadata, headingPath },
  };
}

const withoutTitle = ({ title: _, ...metadata }: Metadata): Metadata => metadata;
