import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as lancedb from '@lancedb/lancedb';
import * as arrow from 'apache-arrow';
import { createChunker } from '../../src/chunking/create-chunker.js';
import { resolveChunking } from '../../src/config/resolve-chunking.js';
import { indexedTextOf } from '../../src/core/analysis/indexed-text.js';
import { analyzeText } from '../../src/core/analysis/lexical-analyzer.js';
import type { ChunkSpan } from '../../src/core/chunk.js';
import { OPEN_ACCESS } from '../../src/core/scope.js';
import { loadBuiltinTokenizer } from '../../src/embedding/static/static-embedder.js';
import { createMarkdownParser } from '../../src/parsing/markdown/markdown-parser.js';
import { embedTexts } from '../shared/embed-texts.js';
import { timed } from '../shared/statistics.js';

/** Milliseconds of each stage run alone, one after the other. */
export interface BareStages {
  readonly read: number;
  readonly parse: number;
  readonly chunk: number;
  readonly embed: number;
  readonly insert: number;
  readonly fullText: number;
  /** Our own analysis of words, which the floor leaves to Lance's tokenizer; not part of the sum. */
  readonly analyze: number;
  readonly chunks: number;
}

interface BareChunk {
  readonly path: string;
  readonly span: ChunkSpan;
  /** What is embedded and searched: title, headings, content. */
  readonly text: string;
}

/**
 * What a program without an engine would do with the same parts: read all files, parse, chunk and embed them, add the rows
 * to a LanceDB table and build its English full-text index. No ledger, no identities, no changes, nothing kept apart.
 */
export async function runBareStages(folders: readonly string[], database: string): Promise<BareStages> {
  const read = await timed(() => readMarkdownFiles(folders));
  const parser = createMarkdownParser();
  const parse = await timed(() =>
    read.value.map(({ path, bytes }) => ({
      path,
      document: parser.parse({
        externalId: path,
        mediaType: 'text/markdown',
        content: bytes,
        metadata: {},
        access: OPEN_ACCESS,
      }),
    })),
  );
  const tokenizer = await loadBuiltinTokenizer();
  const chunker = createChunker(resolveChunking(), tokenizer.measure);
  const chunk = await timed(() =>
    parse.value.flatMap(({ path, document }) =>
      chunker.chunk(document).map((span): BareChunk => {
        const { title } = document;
        return { path, span, text: indexedTextOf({ ...span, title }) };
      }),
    ),
  );
  const embed = await timed(() => embedTexts(chunk.value.map(({ text }) => text)));
  const insert = await timed(() => insertRows(database, chunk.value, embed.value));
  const fullText = await timed(() => buildFullTextIndex(insert.value));
  const analyze = await timed(() => chunk.value.map(({ text }) => analyzeText(text).join(' ')));
  insert.value.close();
  return {
    read: read.ms,
    parse: parse.ms,
    chunk: chunk.ms,
    embed: embed.ms,
    insert: insert.ms,
    fullText: fullText.ms,
    analyze: analyze.ms,
    chunks: chunk.value.length,
  };
}

/** The sum that the engine is held against. */
export const sumOfStages = ({ read, parse, chunk, embed, insert, fullText }: BareStages): number =>
  read + parse + chunk + embed + insert + fullText;

/** What `read` makes of every Markdown file below the folders, all at once. */
export async function eachMarkdownFile<Read>(
  folders: readonly string[],
  read: (path: string) => Promise<Read>,
): Promise<Read[]> {
  const listed = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(folder, { recursive: true });
      return entries.filter((entry) => entry.endsWith('.md')).map((entry) => join(folder, entry));
    }),
  );
  return Promise.all(listed.flat().map(read));
}

/** Bytes of every Markdown file below the folders. */
export const readMarkdownFiles = (folders: readonly string[]) =>
  eachMarkdownFile(folders, async (path) => ({ path, bytes: await readFile(path) }));

async function insertRows(
  database: string,
  chunks: readonly BareChunk[],
  vectors: readonly Float32Array[],
): Promise<lancedb.Table> {
  const texts = (pick: (chunk: BareChunk) => string) =>
    arrow.vectorFromArray(chunks.map(pick), new arrow.Utf8());
  const numbers = (pick: (chunk: BareChunk) => number) => arrow.makeVector(Int32Array.from(chunks, pick));
  const rows = new arrow.Table({
    path: texts(({ path }) => path),
    content: texts(({ span }) => span.content),
    text: texts(({ text }) => text),
    startLine: numbers(({ span }) => span.lines.start),
    endLine: numbers(({ span }) => span.lines.end),
    vector: vectorColumn(vectors),
  });
  const connection = await lancedb.connect(database);
  return connection.createTable('chunks', rows, { mode: 'overwrite' });
}

function vectorColumn(vectors: readonly Float32Array[]): arrow.Vector {
  const dimensions = vectors[0]?.length ?? 0;
  const values = new Float32Array(vectors.length * dimensions);
  for (const [row, vector] of vectors.entries()) values.set(vector, row * dimensions);
  const item = new arrow.Field('item', new arrow.Float32(), true);
  return arrow.makeVector(
    arrow.makeData({
      type: new arrow.FixedSizeList(dimensions, item),
      length: vectors.length,
      nullCount: 0,
      child: arrow.makeData({ type: new arrow.Float32(), length: values.length, nullCount: 0, data: values }),
    }),
  );
}

async function buildFullTextIndex(table: lancedb.Table): Promise<void> {
  await table.createIndex('text', {
    config: lancedb.Index.fts({
      baseTokenizer: 'simple',
      language: 'English',
      stem: true,
      removeStopWords: true,
      lowercase: true,
      asciiFolding: true,
      withPosition: false,
    }),
  });
}
