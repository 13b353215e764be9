import { extractIdentifiers } from '../core/analysis/identifiers.js';
import { indexedTextOf, indexedTextOfStored } from '../core/analysis/indexed-text.js';
import type { StoredChunk } from '../core/chunk.js';
import { headingPathOf, offsetsOf, symbolsOf, titleOf } from '../core/chunk-metadata.js';
import { isTagKey, tagKeys } from '../core/document-tags.js';
import { chunkIdOf, contentHash } from '../core/ids.js';
import { lastAtOrBefore } from '../core/last-at-or-before.js';
import type { Metadata, MetadataValue } from '../core/metadata.js';
import type { LedgerDocument } from '../ledger/ledger.js';
import type { MetadataSealing } from '../platform/security/sealed-metadata.js';
import { withholdStored } from '../resources/withheld-document.js';
import { isEmptied, type WithheldText, withheldLabels } from '../resources/withheld-fields.js';
import { documentOfChunks, type WholeDocument } from './carry-over.js';
import { rebuildChunks } from './rebuilt-chunks.js';
import type { BatchDocument } from './write-batch.js';

/**
 * A document as it would be written now: its fields have the names that callers gave them, what is marked is encrypted by the first key, and its
 * text does not state it. Undefined where it is so already. A chunk whose text stays keeps its vector.
 */
export async function renewedDocument(
  document: LedgerDocument,
  held: WholeDocument,
  sealing: MetadataSealing,
): Promise<BatchDocument | undefined> {
  const withheld = withholdStored({ ...document, text: held.text }, sealing.fields);
  const isCurrent =
    withheld === undefined &&
    [document, ...held.chunks].every(({ metadata }) => sealing.isCurrent(metadata, document));
  if (isCurrent) return undefined;
  const sealed = (metadata: Metadata): Metadata =>
    sealing.isCurrent(metadata, document) ? metadata : sealing.seal(metadata, document);
  const isLeaking = withheld === undefined ? undefined : withheldLabels(held.text, withheld);
  const named = (metadata: Metadata): Metadata => {
    const rest = withoutNames(sealed(metadata), withheld?.repeating ?? []);
    if (isLeaking === undefined || !Array.isArray(rest.columns)) return rest;
    return {
      ...rest,
      columns: rest.columns.map((name: MetadataValue) => (isLeaking(String(name)) ? '' : name)),
    };
  };
  const known = { ...document, metadata: named(document.metadata) };
  const chunks = held.chunks.map((chunk) => withOwnTags({ ...chunk, metadata: named(chunk.metadata) }));
  if (withheld === undefined || isLeaking === undefined)
    return documentOfChunks({ ...known, text: held.text }, chunks, {
      rebuilt: await rebuildChunks(held.chunks, held),
    });
  const { text } = withheld;
  const revision = contentHash(new TextEncoder().encode(text));
  const left = withheldChunks(chunks, { ...withheld, revision, isLeaking });
  const rebuilt = await rebuildChunks(left, { text, digests: new Map() });
  const { title, ...untitled } = known;
  const isTitled = title !== undefined && !isLeaking(title);
  const facts = isTitled ? known : { ...untitled, metadata: withoutNames(known.metadata, ['title']) };
  return documentOfChunks({ ...facts, text, revision }, left, { rebuilt });
}

/** Without tags that are encrypted now. */
function withOwnTags(chunk: StoredChunk): StoredChunk {
  const own = new Set(tagKeys(chunk.metadata));
  return {
    ...chunk,
    identifiers: chunk.identifiers.filter((identifier) => !isTagKey(identifier) || own.has(identifier)),
  };
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
    const last = ranges[lastAtOrBefore(ranges, end - 1, (range) => range.start)];
    const isTouched = last !== undefined && last.start < end && last.end > start;
    const labels = [...headingPathOf(chunk), ...symbolsOf(chunk), titleOf(chunk) ?? ''];
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
  const metadata = title === undefined ? withoutNames(chunk.metadata, ['title']) : chunk.metadata;
  return {
    ...chunk,
    id: chunkIdOf(chunk.documentId, indexedText, 0),
    content,
    identifiers: [
      ...extractIdentifiers(indexedText),
      ...chunk.identifiers.filter((identifier) => !before.has(identifier)),
    ],
    metadata: {
      ...metadata,
      headingPath,
      ...(metadata.symbols === undefined
        ? {}
        : { symbols: symbolsOf(chunk).filter((name) => !isLeaking(name)) }),
    },
  };
}

const withoutNames = (metadata: Metadata, names: readonly string[]): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => !names.includes(name)));
