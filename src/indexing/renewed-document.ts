import { extractIdentifiers } from '../analysis/identifiers.js';
import { indexedTextOf, indexedTextOfStored } from '../analysis/indexed-text.js';
import type { StoredChunk } from '../core/chunk.js';
import { headingPathOf, offsetsOf, titleOf } from '../core/chunk-metadata.js';
import { chunkIdOf, contentHash } from '../core/ids.js';
import type { Metadata } from '../core/metadata.js';
import type { LedgerDocument } from '../ledger/ledger.js';
import type { MetadataSealing } from '../security/sealed-metadata.js';
import { type CarriedGeneration, documentOfChunks, type HeldDocument, readHeld } from './carry-over.js';
import { rebuildChunks } from './rebuilt-chunks.js';
import { isEmptied, type WithheldText, withholdText } from './withheld-fields.js';
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
  const withheld = withholdText(held.text, sealing.fields);
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
  const left = withheldChunks({ ...held, chunks }, withheld, revision);
  const rebuilt = await rebuildChunks(left, { text, digests: new Map() });
  return documentOfChunks({ ...known, text, revision }, left, { rebuilt });
}

/** The chunks over a text of which something was taken out; those of which nothing is left are dropped. */
function withheldChunks(
  { chunks }: Pick<HeldDocument, 'chunks'>,
  { text, ranges }: WithheldText,
  revision: string,
): StoredChunk[] {
  const cut = chunks.map((chunk) => {
    const { start, end } = offsetsOf(chunk) ?? { start: 0, end: 0 };
    const isTouched = ranges.some((range) => range.start < end && range.end > start);
    const content = text.slice(start, end);
    return {
      chunk: isTouched ? withContent(chunk, content) : chunk,
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

/** The same passage with another text: another chunk, without a vector. */
function withContent({ vector: _, ...chunk }: StoredChunk, content: string): StoredChunk {
  const indexedText = indexedTextOf({
    title: titleOf(chunk),
    headingPath: headingPathOf(chunk),
    content,
  });
  const before = new Set(extractIdentifiers(indexedTextOfStored(chunk)));
  return {
    ...chunk,
    id: chunkIdOf(chunk.documentId, indexedText, 0),
    content,
    identifiers: [
      ...extractIdentifiers(indexedText),
      ...chunk.identifiers.filter((identifier) => !before.has(identifier)),
    ],
  };
}
