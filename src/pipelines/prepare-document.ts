import type { Chunker } from '../chunking/chunker.js';
import type { ContextualDocument, ContextualisedSpans } from '../chunking/contextual/chunk-contextualiser.js';
import { canonicalJson } from '../core/canonical-json.js';
import type { ChunkRecord, ChunkSpan, StoredChunk } from '../core/chunk.js';
import type { RawDocument } from '../core/document.js';
import { RAGError } from '../core/errors.js';
import { chunkIdOf, contentHash, documentIdOf } from '../core/ids.js';
import type { Metadata, MetadataValue } from '../core/metadata.js';
import type { Scope } from '../core/scope.js';
import type { Parser } from '../parsing/parser.js';
import { analyzeForIndex, type ChunkTerms } from './chunk-terms.js';
import type { DocumentProtection, ProtectedDocument, RedactionCounts } from './document-protection.js';
import { wellFormed, wellFormedMetadata } from './well-formed.js';

/** A chunk ready for the store but for its vector. */
export interface PreparedChunk {
  readonly record: Omit<ChunkRecord, 'vector'>;
  /** What the embedder reads: title, heading path, context, content. */
  readonly indexedText: string;
  /** Hash of the record: tells whether what the store holds is still right. */
  readonly digest: string;
}

/** A document read, parsed, chunked and analysed. */
export interface PreparedDocument {
  readonly documentId: string;
  readonly externalId: string;
  /** Hash of the stored text. */
  readonly revision: string;
  readonly text: string;
  readonly title?: string;
  readonly metadata: Metadata;
  readonly project?: string;
  readonly chunks: readonly PreparedChunk[];
  readonly warnings: readonly string[];
  /** What was taken out of it, by type; empty where redaction is off. */
  readonly redactions: RedactionCounts;
  /** Why it is indexed with less than was asked for, and has to be prepared again. */
  readonly shortcoming?: RAGError;
}

export interface PreparationContext {
  readonly scope: Scope;
  /** Name of the configured source. */
  readonly source: string;
  readonly sourceType: string;
  /** Facts from the configuration that every document of the source carries. */
  readonly sourceMetadata: Metadata;
  readonly parsers: ReadonlyMap<string, Parser>;
  readonly chunker: Chunker;
  /** Takes out personal data and secrets and decides who may read; absent where neither is configured. */
  readonly protection?: DocumentProtection;
  /** Adds written contexts to chunks; absent where that is off. */
  readonly contextualise?: (
    document: ContextualDocument,
    spans: readonly ChunkSpan[],
  ) => Promise<ContextualisedSpans>;
  /** Milliseconds are added here, by stage. */
  readonly timed: <T>(stage: string, work: () => T) => T;
  readonly timedAsync: <T>(stage: string, work: () => Promise<T>) => Promise<T>;
}

/** Raw to prepared: pure but for the timing. Throws what the parser throws, and `DOCUMENT_INVALID` for an unknown media type. */
export async function prepareDocument(
  given: RawDocument,
  context: PreparationContext,
): Promise<PreparedDocument> {
  const parser = context.parsers.get(given.mediaType);
  if (parser === undefined) {
    throw new RAGError('DOCUMENT_INVALID', `No parser reads "${given.mediaType}" (${given.externalId}).`);
  }
  const understood = await context.timedAsync('parse', async () => wellFormed(await parser.parse(given)));
  const safe = context.timed('protect', () => context.protection?.protect(context.source, given, understood));
  const { raw, parsed, redactions } = safe ?? { raw: given, parsed: understood, redactions: {} };
  const cut = context.timed('chunk', () => context.chunker.chunk(parsed));
  const title = parsed.title ?? raw.title;
  const bare = cut.length === 0 && title !== undefined ? [TITLE_ONLY] : cut;
  const { contextualise } = context;
  const { spans, failure } =
    contextualise === undefined
      ? { spans: bare }
      : await context.timedAsync('contexts', () =>
          contextualise({ id: raw.externalId, title, text: parsed.text }, bare),
        );
  const assembled = context.timed('analyze', () => assemble({ raw, parsed, redactions }, spans, context));
  const prepared: PreparedDocument = { ...assembled, redactions };
  return failure === undefined ? prepared : { ...prepared, shortcoming: failure };
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

function assemble(
  document: ProtectedDocument,
  spans: readonly ChunkSpan[],
  context: PreparationContext,
): Omit<PreparedDocument, 'redactions'> {
  const { raw, parsed } = document;
  const documentId = documentIdOf(context.scope.tenant, context.source, raw.externalId);
  const revision = contentHash(parsed.text);
  const title = parsed.title ?? raw.title?.toWellFormed();
  const metadata = documentMetadata(document, title, context);
  const ordinals = new Map<string, number>();
  const above = (raw.headingPath ?? []).map((heading) => heading.toWellFormed());
  const chunks = spans.map((cut, index): PreparedChunk => {
    const span = above.length === 0 ? cut : { ...cut, headingPath: [...above, ...cut.headingPath] };
    const surroundings = [...(span.surroundings ?? []), ...(raw.surroundings ?? [])];
    const terms = analyzeForIndex({ ...span, surroundings }, title);
    const ordinal = ordinals.get(terms.indexedText) ?? 0;
    ordinals.set(terms.indexedText, ordinal + 1);
    const record: Omit<ChunkRecord, 'vector'> = {
      id: chunkIdOf(documentId, terms.indexedText, ordinal),
      documentId,
      tenant: context.scope.tenant,
      ...(context.scope.project === undefined ? {} : { project: context.scope.project }),
      source: context.source,
      access: raw.access,
      content: span.content,
      searchText: terms.searchText,
      identifiers: terms.identifiers,
      metadata: {
        ...metadata,
        ...span.metadata,
        lines: { start: span.lines.start, end: span.lines.end },
        offsets: { start: span.start, end: span.end },
        headingPath: span.headingPath,
        revision,
        chunkIndex: index,
        chunkTotal: spans.length,
      },
    };
    return { record, indexedText: terms.indexedText, digest: recordDigest(record, terms) };
  });
  return {
    documentId,
    externalId: raw.externalId,
    revision,
    text: parsed.text,
    ...(title === undefined ? {} : { title }),
    metadata,
    ...(context.scope.project === undefined ? {} : { project: context.scope.project }),
    chunks,
    warnings: parsed.warnings,
  };
}

/** The document's own facts, then the source's, then what the engine itself knows: later ones win. */
function documentMetadata(
  { raw, parsed, redactions }: ProtectedDocument,
  title: string | undefined,
  context: PreparationContext,
): Metadata {
  const optional = (key: string, value: MetadataValue | undefined): Metadata =>
    value === undefined ? {} : { [key]: value };
  return {
    ...wellFormedMetadata(raw.metadata),
    ...parsed.metadata,
    sourceType: context.sourceType,
    ...context.sourceMetadata,
    ...optional('sourceType', raw.sourceType),
    source: raw.location ?? raw.externalId,
    ...optional('title', title),
    ...optional('url', raw.url),
    ...optional('createdAt', raw.createdAt),
    ...optional('updatedAt', raw.updatedAt),
    ...(Object.keys(redactions).length === 0 ? {} : { redactions }),
  };
}

/**
 * Two halves: what a store gives back (so `verify` can compute it again), and what it only searches. Either change means
 * that the record must be written again.
 */
function recordDigest(record: Omit<ChunkRecord, 'vector'>, terms: ChunkTerms): string {
  return (
    storedDigest(record) +
    contentHash(JSON.stringify([terms.searchText, terms.identifiers])).slice(0, DIGEST_HALF)
  );
}

const DIGEST_HALF = 16;

/** Digest of the part of a record that a store gives back; the first half of the ledger's digest. */
export function storedDigest(chunk: Omit<StoredChunk, 'vector' | 'identifiers'>): string {
  const { id, documentId, tenant, project, source, access, content, metadata } = chunk;
  return contentHash(
    canonicalJson([
      id,
      documentId,
      tenant,
      project ?? null,
      source,
      [...access.groups],
      access.level,
      content,
      metadata,
    ]),
  ).slice(0, DIGEST_HALF);
}
