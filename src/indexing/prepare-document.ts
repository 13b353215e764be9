import type { DocumentChunker, DocumentCuts, ReadSlice } from '../chunking/chunker.js';
import type { ContextualDocument, ContextualisedSpans } from '../chunking/contextual/chunk-contextualiser.js';
import type { ChunkRecord, ChunkSpan } from '../core/chunk.js';
import type { ParsedDocument, RawDocument } from '../core/document.js';
import { tagKeys } from '../core/document-tags.js';
import { RAGError } from '../core/errors.js';
import { chunkIdOf, contentHash, documentIdOf } from '../core/ids.js';
import { itemIdsOf } from '../core/item-id.js';
import type { Metadata, MetadataValue } from '../core/metadata.js';
import { liftFields } from '../core/pushed-fields.js';
import type { AccessControl, Scope } from '../core/scope.js';
import type { UnreadCounts } from '../core/unread.js';
import { type EncodedText, encodeUtf8 } from '../ledger/text-encoding.js';
import type { Parser } from '../parsing/parser.js';
import { parsingFor } from '../parsing/worker/parsing-threads.js';
import type { GraphRows } from '../relations/graph/graph.js';
import { graphRowsOf } from '../relations/graph/graph-rows.js';
import { recordDigest } from '../resources/chunk-digests.js';
import { analyzeForIndex, type ChunkTerms } from '../resources/chunk-terms.js';
import type {
  DocumentProtection,
  ProtectedDocument,
  RedactionCounts,
} from '../resources/document-protection.js';
import { parseWithheld } from '../resources/withheld-document.js';
import { documentDates, type GatedMetadata, gateMetadata, wellFormed } from './document-metadata.js';
import { sliceReader, stringReader } from './slice-reader.js';

/** What of a chunk makes it the same: its identity, and the hash of its record, which tells whether what the store holds is right. */
export interface ChunkSketch {
  readonly chunkId: string;
  readonly digest: string;
}

/** A chunk ready for the store, but for its vector where the embedder does not run beside the preparation. */
export interface PreparedChunk {
  readonly record: Omit<ChunkRecord, 'vector'>;
  /** What the embedder reads: title, heading path, context, content. */
  readonly indexedText: string;
  readonly embedded?: EmbeddedChunk | undefined;
}

export interface EmbeddedChunk {
  readonly vector: Float32Array;
  /** The model read only the beginning. */
  readonly isTruncated: boolean;
}

/** A document read, parsed and cut, without its chunks. */
export interface DocumentSummary {
  readonly documentId: string;
  readonly externalId: string;
  /** Hash of the stored text. */
  readonly revision: string;
  readonly text: EncodedText;
  readonly title?: string | undefined;
  readonly metadata: Metadata;
  readonly project?: string | undefined;
  /** Who may read it. Absent where it is made of a store's chunks, and there are none. */
  readonly access?: AccessControl | undefined;
  /** What the graph keeps of it. */
  readonly graph: GraphRows;
  readonly warnings: readonly string[];
  /** What was taken out of it, by type; empty where redaction is off. */
  readonly redactions: RedactionCounts;
  /** What of it the parser met and did not read; absent where there was nothing. */
  readonly unread?: UnreadCounts | undefined;
  /** Why it is indexed with less than was asked for, and has to be prepared again. */
  readonly shortcoming?: RAGError | undefined;
}

/** A document ready to be written. */
export interface PreparedDocument extends DocumentSummary {
  /** All chunks in document order. */
  readonly sketches: readonly ChunkSketch[];
  /** The same chunks whole, a batch at a time. Read once, to the end or until `return`. */
  readonly batches: AsyncIterableIterator<readonly PreparedChunk[]>;
}

/** Where documents come from and whose they are; plain data. */
export interface PreparationOrigin {
  readonly scope: Scope;
  /** Name of the configured source. */
  readonly source: string;
  readonly sourceType: string;
  /** Facts from the configuration that every document of the source carries. */
  readonly sourceMetadata: Metadata;
}

/** What turns bytes into chunks. */
export interface DocumentPipeline {
  readonly parsers: ReadonlyMap<string, Parser>;
  readonly chunker: DocumentChunker;
  /** Takes out personal data and secrets and decides who may read; absent where neither is configured. */
  readonly protection?: DocumentProtection | undefined;
}

export interface PreparationContext extends PreparationOrigin, DocumentPipeline {
  /** Adds written contexts to chunks; absent where that is off. */
  readonly contextualise?:
    | ((document: ContextualDocument, spans: readonly ChunkSpan[]) => Promise<ContextualisedSpans>)
    | undefined;
  /** Embeds beside the preparation; absent where the writer of the chunks embeds. */
  readonly embed?: ((texts: readonly string[]) => Promise<readonly EmbeddedChunk[]>) | undefined;
  /** Milliseconds are added here, by stage. */
  readonly timed: <T>(stage: string, work: () => T) => T;
  readonly timedAsync: <T>(stage: string, work: () => Promise<T>) => Promise<T>;
}

/**
 * Chunks whose records are kept between the two looks that are taken at them: the first finds identities and digests, which the
 * ledger must know before anything is written, the second hands out what is written. Of a larger document nothing is kept, and
 * each chunk is made twice.
 */
export const KEPT_CHUNKS = 2048;
/** Chunks that are handed out at once: small enough for steady memory and short turns of the event loop. */
export const BATCH_CHUNKS = 128;

/**
 * Raw to prepared: pure but for the timing. Throws what the parser throws, and `DOCUMENT_INVALID` for an unknown media type.
 *
 * Steps of a chain and not of one function, which would hold the bytes and the whole text until its end.
 */
export const prepareDocument = (given: RawDocument, context: PreparationContext): Promise<PreparedDocument> =>
  readDocument(given, context)
    .then((document) => cutDocument(document, context))
    .then((document) => makeChunks(document, context));

/** A document parsed and protected, without its bytes. */
async function readDocument(given: RawDocument, context: PreparationContext): Promise<ProtectedDocument> {
  const parser = context.parsers.get(given.mediaType);
  if (parser === undefined) {
    throw new RAGError('DOCUMENT_INVALID', `No parser reads "${given.mediaType}" (${given.externalId}).`);
  }
  const document = await context.timedAsync('parse', () =>
    parseWithheld(given, context.protection?.markedFields ?? [], async (source) =>
      wellFormed(
        await parsingFor(context.scope.tenant, () =>
          (context.parsers.get(source.mediaType) ?? parser).parse(source),
        ),
      ),
    ),
  );
  const raw = { ...given, content: '', metadata: liftFields(given.metadata) };
  const { parsed } = document;
  const safe = context.timed('protect', () => context.protection?.protect(context.source, raw, document));
  return safe ?? { raw, parsed, redactions: {} };
}

/** A document without its text: what is known of it, and how each chunk of it is made. */
interface CutDocument {
  readonly facts: DocumentFacts;
  /** The text. */
  readonly utf8: Uint8Array;
  readonly made: MadeChunks;
}

type DocumentFacts = Omit<DocumentSummary, 'text'>;

/** How the chunks of a document are made, one by one. */
interface MadeChunks {
  readonly cuts: DocumentCuts;
  readonly read: ReadSlice;
  readonly makeChunk: MakeChunk;
}

async function cutDocument(document: ProtectedDocument, context: PreparationContext): Promise<CutDocument> {
  const { raw, parsed } = document;
  const title = parsed.title ?? raw.title?.toWellFormed();
  const { chunker } = context;
  const found = context.timed('chunk', () => chunker.cut?.(parsed) ?? cutsAs(chunker.chunk(parsed)));
  const bare = found.length === 0 && title !== undefined ? cutsAs([TITLE_ONLY]) : found;
  const { cuts, failure } = await addContexts({ document, title, bare }, context);
  const utf8 = new TextEncoder().encode(parsed.text);
  const facts = factsOf(document, { title, revision: contentHash(utf8), shortcoming: failure }, context);
  const read = cuts.length > KEPT_CHUNKS ? sliceReader(parsed.text, utf8) : stringReader(parsed.text);
  const makeChunk = chunkMaker({ raw, facts, chunkTotal: cuts.length }, context);
  return { facts, utf8, made: { cuts, read, makeChunk } };
}

/** Chunks that are made already. */
const cutsAs = (spans: readonly ChunkSpan[]): DocumentCuts => ({
  length: spans.length,
  chunkAt: (index) => spans[index] ?? TITLE_ONLY,
});

async function addContexts(
  { document, title, bare }: { document: ProtectedDocument; title: string | undefined; bare: DocumentCuts },
  { contextualise, timedAsync }: PreparationContext,
): Promise<{ readonly cuts: DocumentCuts; readonly failure?: RAGError | undefined }> {
  if (contextualise === undefined) return { cuts: bare };
  const { raw, parsed } = document;
  const read = stringReader(parsed.text);
  const spans = Array.from({ length: bare.length }, (_, index) => bare.chunkAt(index, read));
  const written = await timedAsync('contexts', () =>
    contextualise({ id: raw.externalId, title, text: parsed.text }, spans),
  );
  return { cuts: cutsAs(written.spans), failure: written.failure };
}

/** A document with a title and no text is found by its title. */
const TITLE_ONLY: ChunkSpan = {
  content: '',
  start: 0,
  end: 0,
  lines: { start: 1, end: 1 },
  headingPath: [],
  tokenCount: 0,
};

/** Says that a document holds no text, where its parser has not said why. */
const emptyWarnings = ({ text, warnings }: ParsedDocument, title: string | undefined): string[] =>
  text.trim() !== '' || warnings.length > 0
    ? []
    : [
        `The document holds no text, so ${title === undefined ? 'nothing of it' : 'only its title'} is found.`,
      ];

function factsOf(
  document: ProtectedDocument,
  { title, revision, shortcoming }: Pick<DocumentFacts, 'title' | 'revision' | 'shortcoming'>,
  context: PreparationContext,
): DocumentFacts {
  const { raw, parsed, redactions } = document;
  const { metadata: open, warnings } = documentMetadata(document, title, context);
  const documentId = documentIdOf(context.scope.tenant, context.source, raw.externalId);
  const metadata = context.protection?.seal(open, { tenant: context.scope.tenant, documentId }) ?? open;
  const { cut, ...graph } = context.timed('graph', () =>
    graphRowsOf({ source: context.source, externalId: raw.externalId, title, metadata, text: parsed.text }),
  );
  return {
    documentId,
    externalId: raw.externalId,
    revision,
    title,
    metadata,
    project: context.scope.project,
    access: raw.access,
    graph,
    warnings: [
      ...parsed.warnings,
      ...emptyWarnings(parsed, title),
      ...warnings,
      ...(cut === undefined ? [] : [cut]),
    ],
    redactions,
    unread: parsed.unread,
    shortcoming,
  };
}

function makeChunks({ facts, utf8, made }: CutDocument, context: PreparationContext): PreparedDocument {
  const summary = { ...facts, text: encodeUtf8(utf8) };
  const { length } = made.cuts;
  if (length > KEPT_CHUNKS) return { ...summary, ...madeTwice(made, context) };
  const kept: PreparedChunk[] = [];
  const sketches = context.timed('analyze', () => sketchChunks(made, (chunk) => kept.push(chunk)));
  return { ...summary, sketches, batches: batchesOf(length, (index) => kept[index], context) };
}

/** Between the two looks at a chunk its identity is kept, and nothing else of it. */
function madeTwice(
  made: MadeChunks,
  context: PreparationContext,
): Pick<PreparedDocument, 'sketches' | 'batches'> {
  const sketches = context.timed('analyze', () => sketchChunks(made));
  const ids = sketches.map(({ chunkId }) => chunkId);
  const chunkAt = (index: number): PreparedChunk | undefined => {
    const id = ids[index];
    return id === undefined ? undefined : spanToChunk(made, index, () => id).chunk;
  };
  return { sketches, batches: batchesOf(ids.length, chunkAt, context) };
}

const spanToChunk = ({ cuts, read, makeChunk }: MadeChunks, index: number, idOf: IdOf) =>
  makeChunk(cuts.chunkAt(index, read), index, idOf);

/** The identities and digests of all chunks; each chunk is shown on the way. */
function sketchChunks(made: MadeChunks, show?: (chunk: PreparedChunk) => void): ChunkSketch[] {
  const occurrences = new Map<string, number>();
  const nextId: IdOf = (documentId, indexedText) => {
    const first = chunkIdOf(documentId, indexedText, 0);
    const ordinal = occurrences.get(first) ?? 0;
    occurrences.set(first, ordinal + 1);
    return ordinal === 0 ? first : chunkIdOf(documentId, indexedText, ordinal);
  };
  return Array.from({ length: made.cuts.length }, (_, index) => {
    const { chunk, terms } = spanToChunk(made, index, nextId);
    show?.(chunk);
    return { chunkId: chunk.record.id, digest: recordDigest(chunk.record, terms) };
  });
}

/** The chunks from the first to the last, some at a time. */
async function* batchesOf(
  total: number,
  chunkAt: (index: number) => PreparedChunk | undefined,
  { embed, timed, timedAsync }: PreparationContext,
): AsyncGenerator<readonly PreparedChunk[]> {
  for (let start = 0; start < total; start += BATCH_CHUNKS) {
    const indexes = Array.from({ length: Math.min(BATCH_CHUNKS, total - start) }, (_, i) => start + i);
    const chunks = timed('analyze', () => indexes.flatMap((index) => chunkAt(index) ?? []));
    if (embed === undefined) yield chunks;
    else {
      const embedded = await timedAsync('embed', () => embed(chunks.map(({ indexedText }) => indexedText)));
      yield chunks.map((chunk, i) => ({ ...chunk, embedded: embedded[i] }));
    }
  }
}

type IdOf = (documentId: string, indexedText: string) => string;

/** Makes the chunk of a span; its terms are what its digest covers beside its record. */
type MakeChunk = (
  span: ChunkSpan,
  index: number,
  idOf: IdOf,
) => { readonly chunk: PreparedChunk; readonly terms: ChunkTerms };

function chunkMaker(
  { raw, facts, chunkTotal }: { raw: RawDocument; facts: DocumentFacts; chunkTotal: number },
  context: PreparationContext,
): MakeChunk {
  const { documentId, revision, title, metadata } = facts;
  const owner = { tenant: context.scope.tenant, documentId };
  const seal = (open: Metadata): Metadata => context.protection?.seal(open, owner) ?? open;
  const names = [...new Set([facts.externalId, ...itemIdsOf(metadata)])].filter(isTypeable);
  // What is encrypted is none of its fields any more.
  const tags = tagKeys(metadata);
  const above = (raw.headingPath ?? []).map((heading) => heading.toWellFormed());
  return (cut, index, idOf) => {
    const span = above.length === 0 ? cut : { ...cut, headingPath: [...above, ...cut.headingPath] };
    const surroundings = [...(span.surroundings ?? []), ...(raw.surroundings ?? [])];
    const terms = analyzeForIndex({ ...span, surroundings }, title, index === 0 ? names : [], tags);
    const { indexedText, searchText, identifiers } = terms;
    const record: Omit<ChunkRecord, 'vector'> = {
      id: idOf(documentId, indexedText),
      documentId,
      tenant: context.scope.tenant,
      ...(context.scope.project === undefined ? {} : { project: context.scope.project }),
      source: context.source,
      access: raw.access,
      content: span.content,
      searchText,
      identifiers,
      metadata: {
        ...withSpan(metadata, span.metadata, seal),
        lines: { start: span.lines.start, end: span.lines.end },
        offsets: { start: span.start, end: span.end },
        headingPath: span.headingPath,
        revision,
        chunkIndex: index,
        chunkTotal,
      },
    };
    return { chunk: { record, indexedText }, terms };
  };
}

/** Longer names, and paths, are searched for by none that types them. */
const isTypeable = (name: string): boolean => name.length <= MAX_NAME && !name.includes('/');
const MAX_NAME = 100;

/** What a chunk knows more than its document, encrypted too where it is marked. */
const withSpan = (
  metadata: Metadata,
  ofSpan: Metadata | undefined,
  seal: (open: Metadata) => Metadata,
): Metadata => (ofSpan === undefined ? metadata : seal({ ...metadata, ...ofSpan }));

/** The document's own facts, then the source's, then what the engine itself knows: later ones win. */
function documentMetadata(
  { raw, parsed, redactions }: ProtectedDocument,
  title: string | undefined,
  context: PreparationContext,
): GatedMetadata {
  const optional = (key: string, value: MetadataValue | undefined): Metadata =>
    value === undefined ? {} : { [key]: value };
  const stated = gateMetadata({
    ...raw.metadata,
    ...parsed.metadata,
    ...optional('url', raw.url),
  });
  const metadata = {
    ...stated.metadata,
    sourceType: context.sourceType,
    ...context.sourceMetadata,
    ...optional('sourceType', raw.sourceType),
    source: raw.location ?? raw.externalId,
    ...optional('title', title),
    ...documentDates(raw, parsed),
    ...(Object.keys(redactions).length === 0 ? {} : { redactions }),
    ...(parsed.unread === undefined ? {} : { unread: { ...parsed.unread } }),
  };
  return { metadata, warnings: stated.warnings };
}
