import { createChunker } from '../chunking/create-chunker.js';
import { resolveChunking } from '../config/resolve-chunking.js';
import type { Metadata } from '../core/metadata.js';
import { OPEN_ACCESS } from '../core/scope.js';
import { loadBuiltinTokenizer } from '../embedding/static/static-embedder.js';
import { createMarkdownParser } from '../parsing/markdown/markdown-parser.js';

/** Sizes of the chunks, in UTF-16 characters. */
export interface SemanticChunkerOptions {
  /** A shorter chunk is joined with its neighbour of the same section where both fit into one. @default 100 */
  readonly minSize?: number | undefined;
  /** @default 500 */
  readonly maxSize?: number | undefined;
  /** Repeated from the chunk before, where a block had to be cut inside. @default 50 */
  readonly overlap?: number | undefined;
}

/** A text to cut, read as Markdown. */
export interface ChunkableDocument {
  readonly content: string;
  readonly metadata?: Metadata | undefined;
}

/** A piece of a text: `content === document.content.slice(start, end)`. */
export interface DocumentChunk {
  readonly content: string;
  readonly start: number;
  readonly end: number;
  /** What the document says of itself, and where the chunk stands in it. */
  readonly metadata: Metadata & {
    /** From 0. */
    readonly chunk_index: number;
    readonly chunk_total: number;
    /** Headings above the chunk, outermost first. */
    readonly heading_path: readonly string[];
  };
}

const DEFAULT_SIZES = { minSize: 100, maxSize: 500, overlap: 50 };

/**
 * The strategy `semantic` for a program that wants the chunks alone: it cuts at headings, paragraphs, lists, code and tables, as an index
 * does. Pure: the same text and sizes give the same chunks.
 */
export class SemanticChunker {
  readonly #sizes: Required<SemanticChunkerOptions>;

  constructor({ minSize, maxSize, overlap }: SemanticChunkerOptions = {}) {
    this.#sizes = {
      minSize: minSize ?? DEFAULT_SIZES.minSize,
      maxSize: maxSize ?? DEFAULT_SIZES.maxSize,
      overlap: overlap ?? DEFAULT_SIZES.overlap,
    };
  }

  /** Rejects with `CONFIG_INVALID` where the sizes contradict each other. */
  async chunk({ content, metadata = {} }: ChunkableDocument): Promise<DocumentChunk[]> {
    const tokenizer = await loadBuiltinTokenizer();
    const settings = resolveChunking({ strategy: 'semantic', unit: 'characters', ...this.#sizes });
    const chunker = createChunker(settings, tokenizer.measure);
    const parsed = createMarkdownParser().parse({
      externalId: '',
      mediaType: 'text/markdown',
      content,
      metadata: {},
      access: OPEN_ACCESS,
    });
    const spans = chunker.chunk(parsed);
    return spans.map((span, index) => ({
      content: span.content,
      start: span.start,
      end: span.end,
      metadata: {
        ...metadata,
        chunk_index: index,
        chunk_total: spans.length,
        heading_path: span.headingPath,
      },
    }));
  }
}
