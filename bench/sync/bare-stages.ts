import Database from 'libsql';
import type pg from 'pg';
import { createChunker } from '../../src/chunking/create-chunker.js';
import { resolveChunking } from '../../src/config/resolve-chunking.js';
import { extractIdentifiers } from '../../src/core/analysis/identifiers.js';
import { indexedTextOf } from '../../src/core/analysis/indexed-text.js';
import { analyzeText } from '../../src/core/analysis/lexical-analyzer.js';
import type { ChunkRecord, ChunkSpan } from '../../src/core/chunk.js';
import { contentHash } from '../../src/core/ids.js';
import { LOCAL_SCOPE, OPEN_ACCESS } from '../../src/core/scope.js';
import { slicesOf } from '../../src/core/slices.js';
import { loadBuiltinTokenizer } from '../../src/embedding/static/static-embedder.js';
import { PLAIN_TEXT_PARSER } from '../../src/parsing/plain-text/plain-text-parser.js';
import { createLibsqlStore } from '../../src/stores/libsql/libsql-store.js';
import { embedTexts } from '../shared/embed-texts.js';
import { timed } from '../shared/statistics.js';
import { type Issue, textOfIssue } from './jira-issues.js';

/** Milliseconds of each stage run alone, one after the other. */
export interface BareStages {
  readonly list: number;
  readonly read: number;
  readonly parse: number;
  readonly chunk: number;
  readonly embed: number;
  /** By the driver of SQLite alone, durable: a row for each document with its text and version, chunks with vectors, its own full-text index. */
  readonly write: number;
  /** Our analysis of words, which the driver's tokenizer stands for in `write`; not part of the sum. */
  readonly analyze: number;
  /** The same records by our embedded store alone, in one call for 1,000; not part of the sum. */
  readonly writeByOurStore: number;
  readonly chunks: number;
  /** Of the processor for the stages of the sum. */
  readonly cpuMs: number;
}

/** The sum that the engine is held against: no part of it is ours but parser, chunker and model. */
export const sumOfStages = ({ list, read, parse, chunk, embed, write }: BareStages): number =>
  list + read + parse + chunk + embed + write;

/** The same with our embedded store, and the analysis of words that it needs, in the place of the driver's. */
export const sumWithOurStore = (stages: BareStages): number =>
  sumOfStages(stages) - stages.write + stages.analyze + stages.writeByOurStore;

interface BareChunk {
  readonly key: string;
  readonly title: string;
  readonly span: ChunkSpan;
  /** What is embedded and searched: title and content. */
  readonly text: string;
}

/** Rows of a page, and of a transaction. */
const PAGE = 5_000;
const ROWS = 1_000;

/**
 * What a program without an engine would do with the same parts: list keys and versions, read every row, parse, chunk and embed the texts,
 * and write documents and chunks with a full-text index. No identities of chunks, no changes, no deletions.
 */
export async function runBareStages(
  client: pg.Client,
  { driverFile, storeFile }: { readonly driverFile: string; readonly storeFile: string },
): Promise<BareStages> {
  const list = await timed(() => listRows(client));
  const read = await timed(() => readRows(client));
  const parser = PLAIN_TEXT_PARSER;
  const parse = await timed(() =>
    read.value.map((issue) => ({
      issue,
      document: parser.parse({
        externalId: issue.issuekey,
        mediaType: 'text/plain',
        content: textOfIssue(issue),
        metadata: {},
        access: OPEN_ACCESS,
      }),
    })),
  );
  const tokenizer = await loadBuiltinTokenizer();
  const chunker = createChunker(resolveChunking(), tokenizer.measure);
  const chunk = await timed(() =>
    parse.value.flatMap(({ issue: { issuekey: key, title }, document }) =>
      chunker.chunk(document).map((span): BareChunk => {
        const text = indexedTextOf({ ...span, title });
        return { key, title, span, text };
      }),
    ),
  );
  const embed = await timed(() => embedTexts(chunk.value.map(({ text }) => text)));
  const write = await timed(() =>
    writeRows(driverFile, { issues: read.value, chunks: chunk.value, vectors: embed.value }),
  );
  const analyze = await timed(() => recordsOf(chunk.value, embed.value));
  const store = createLibsqlStore({ path: storeFile });
  const dimensions = embed.value[0]?.length ?? 1;
  const collection = await store.open({ name: 'bare', dimensions, fingerprint: 'bare' });
  const writeByOurStore = await timed(async () => {
    for (const some of slicesOf(analyze.value, ROWS)) await collection.upsert(some);
  });
  await store.close();
  return {
    list: list.ms,
    read: read.ms,
    parse: parse.ms,
    chunk: chunk.ms,
    embed: embed.ms,
    write: write.ms,
    analyze: analyze.ms,
    writeByOurStore: writeByOurStore.ms,
    chunks: chunk.value.length,
    cpuMs: [list, read, parse, chunk, embed, write].reduce((sum, { cpuMs }) => sum + cpuMs, 0),
  };
}

async function* pages<Row extends { readonly issuekey: string }>(
  client: pg.Client,
  columns: string,
): AsyncGenerator<readonly Row[]> {
  for (let after = ''; ; ) {
    const { rows } = await client.query<Row>(
      `SELECT ${columns} FROM issues WHERE issuekey > $1 ORDER BY issuekey LIMIT ${PAGE}`,
      [after],
    );
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.issuekey;
  }
}

async function listRows(client: pg.Client): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  const columns = 'issuekey, updated_at::text AS version';
  for await (const page of pages<{ issuekey: string; version: string }>(client, columns))
    for (const { issuekey, version } of page) versions.set(issuekey, version);
  return versions;
}

async function readRows(client: pg.Client): Promise<Issue[]> {
  const issues: Issue[] = [];
  for await (const page of pages<Issue>(client, '*')) for (const issue of page) issues.push(issue);
  return issues;
}

interface BareIndex {
  readonly issues: readonly Issue[];
  readonly chunks: readonly BareChunk[];
  readonly vectors: readonly Float32Array[];
}

function writeRows(path: string, { issues, chunks, vectors }: BareIndex): void {
  const database = new Database(path);
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    database.exec(
      `CREATE TABLE document (issue TEXT PRIMARY KEY, version TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL);
       CREATE TABLE chunk (id INTEGER PRIMARY KEY, issue TEXT NOT NULL, title TEXT NOT NULL, content TEXT NOT NULL, vector BLOB NOT NULL);
       CREATE INDEX chunk_issue ON chunk (issue);
       CREATE VIRTUAL TABLE words USING fts5 (text, content = '', tokenize = 'porter unicode61')`,
    );
    const insert = database.prepare('INSERT INTO chunk VALUES (?, ?, ?, ?, ?)');
    const addDocument = database.prepare('INSERT INTO document VALUES (?, ?, ?, ?)');
    const addWords = database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
    for (const some of slicesOf(issues, ROWS)) {
      database.exec('BEGIN');
      for (const issue of some)
        addDocument.run([issue.issuekey, String(issue.updated_at), issue.title, textOfIssue(issue)]);
      database.exec('COMMIT');
    }
    for (let start = 0; start < chunks.length; start += ROWS) {
      database.exec('BEGIN');
      for (const [offset, { key, title, span, text }] of chunks.slice(start, start + ROWS).entries()) {
        const row = start + offset;
        const vector = vectors[row] ?? new Float32Array();
        const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
        insert.run([row + 1, key, title, span.content, bytes]);
        addWords.run([row + 1, text]);
      }
      database.exec('COMMIT');
    }
  } finally {
    database.close();
  }
}

/** As the store takes them. */
const recordsOf = (chunks: readonly BareChunk[], vectors: readonly Float32Array[]): ChunkRecord[] =>
  chunks.map(({ key, title, span, text }, index) => ({
    id: contentHash(`chunk ${index}`).slice(0, 32),
    documentId: contentHash(key).slice(0, 32),
    tenant: LOCAL_SCOPE.tenant,
    source: 'issues',
    access: OPEN_ACCESS,
    content: span.content,
    searchText: analyzeText(text).join(' '),
    identifiers: extractIdentifiers(text),
    vector: vectors[index] ?? new Float32Array(),
    metadata: { source: key, sourceType: 'sql', title, lines: { ...span.lines } },
  }));
