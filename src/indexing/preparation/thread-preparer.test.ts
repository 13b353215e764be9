import { Worker } from 'node:worker_threads';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChunkingOptions } from '../../chunking/chunker.js';
import type { RawDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { LOCAL_SCOPE, OPEN_ACCESS } from '../../core/scope.js';
import { embedAll } from '../../embedding/embed-all.js';
import { createStaticEmbedder } from '../../embedding/static/static-embedder.js';
import { BATCH_CHUNKS, KEPT_CHUNKS, type PreparedChunk, type PreparedDocument } from '../prepare-document.js';
import { FREE_BATCHES } from './prepare-message.js';
import {
  inlinePreparer,
  openPreparation,
  type PreparationOrder,
  type PreparationRecipe,
} from './preparer.js';
import { ThreadPreparer, type ThreadPreparerOptions } from './thread-preparer.js';

const CHUNKING: ChunkingOptions = {
  strategy: 'adaptive',
  unit: 'tokens',
  minSize: 20,
  maxSize: 100,
  overlap: 10,
  splitOn: ['\n\n'],
  preserveWhitespace: false,
  preserveFields: [],
  chunkByField: false,
};
const RECIPE: PreparationRecipe = {
  chunking: CHUNKING,
  parsing: {},
  limits: { timeoutMs: 30_000, memoryMb: 512 },
  protection: { redaction: { mode: 'replace' }, asked: [] },
};

const raw = (externalId: string, mediaType: string, content: string): RawDocument => ({
  externalId,
  mediaType,
  content: new TextEncoder().encode(content),
  metadata: { team: 'search' },
  access: OPEN_ACCESS,
});
const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, i) => `Paragraph ${i} says what number ${i * 7} is, and ends here.`).join(
    '\n\n',
  );
const NOTE = raw(
  'note.md',
  MEDIA_TYPES.markdown,
  '# Title\n\nWrite to jane.roe@acme.example.\n\nText\n\nText\n',
);
const DOCUMENTS: readonly RawDocument[] = [
  NOTE,
  raw('page.html', MEDIA_TYPES.html, '<main><h1>Page</h1><p>Some text of a page.</p></main>'),
  raw('table.csv', 'text/csv', 'name,place\nOslo,Norway\nRome,Italy\n'),
  raw('empty.txt', 'text/plain', ''),
  raw('some.txt', 'text/plain', paragraphs(200)),
];

let order: PreparationOrder;
const times: Record<string, number>[] = [];
beforeAll(async () => {
  const model = await createStaticEmbedder();
  order = {
    scope: LOCAL_SCOPE,
    source: 'notes',
    sourceType: 'files',
    sourceMetadata: { sourceType: 'files' },
    ...(await openPreparation(RECIPE)),
    recipe: RECIPE,
    modelFolder: model.modelFolder,
    embed: async (texts) =>
      (await embedAll(model, texts, 'document')).vectors.map((vector) => ({ vector, isTruncated: false })),
    timed: (_, work) => work(),
    timedAsync: (_, work) => work(),
    addTimes: (added) => times.push(added),
  };
});

const opened: ThreadPreparer[] = [];
const open = (options: ThreadPreparerOptions = {}): ThreadPreparer => {
  const preparer = new ThreadPreparer({ threads: 1, ...options });
  opened.push(preparer);
  return preparer;
};
afterEach(async () => {
  for (const preparer of opened.splice(0)) await preparer.close();
});

async function chunksOf({ batches }: PreparedDocument): Promise<PreparedChunk[]> {
  const chunks: PreparedChunk[] = [];
  for await (const batch of batches) chunks.push(...batch);
  return chunks;
}

async function wholeOf(document: PreparedDocument): Promise<unknown> {
  const { batches: _, ...facts } = document;
  return { ...facts, chunks: await chunksOf(document) };
}

/** A thread that does what a line of script says, with each document that it is given. */
const threadOf =
  (script: string, options: { memoryMb?: number } = {}) =>
  (): Worker =>
    new Worker(
      `const { parentPort } = require('node:worker_threads'); parentPort.on('message', (m) => { ${script} });`,
      {
        eval: true,
        ...(options.memoryMb === undefined
          ? {}
          : { resourceLimits: { maxOldGenerationSizeMb: options.memoryMb } }),
      },
    );

describe('documents prepared in a thread', () => {
  it('have the chunks, digests and vectors of those prepared on this one', async () => {
    const preparer = open({ threads: 2 });
    const prepared = await Promise.all(DOCUMENTS.map((document) => preparer.prepare(document, order)));
    for (const [index, document] of DOCUMENTS.entries()) {
      const expected = await wholeOf(await inlinePreparer(undefined).prepare(document, order));
      const found = prepared[index];
      expect(found && (await wholeOf(found))).toEqual(expected);
    }
    expect(times.at(-1)).toHaveProperty('chunk');
  });

  it('leave their bytes with the caller, and text that was taken out behind', async () => {
    const prepared = await open().prepare(NOTE, order);
    expect(NOTE.content.length).toBeGreaterThan(50);
    expect(prepared.redactions).toEqual({ EMAIL: 1 });
    expect(JSON.stringify(await chunksOf(prepared))).not.toContain('jane.roe');
  });

  it('are moved with their bytes where nobody else holds them', async () => {
    const movable = { ...NOTE, content: Uint8Array.from(NOTE.content as Uint8Array), isMovable: true };
    const ofPool = { ...NOTE, content: Buffer.from(NOTE.content), isMovable: true };
    for (const document of [movable, ofPool])
      expect(await wholeOf(await open().prepare(document, order))).toEqual(
        await wholeOf(await open().prepare(NOTE, order)),
      );
    expect(movable.content.length).toBe(0);
    expect(ofPool.content.length).toBeGreaterThan(50);
  });

  it('are refused with the reason of the parser, and the thread goes on', async () => {
    const preparer = open();
    await expect(preparer.prepare(raw('a.pdf', MEDIA_TYPES.pdf, 'no pdf'), order)).rejects.toMatchObject({
      reason: 'DOCUMENT_INVALID',
      message: expect.stringContaining('a.pdf'),
    });
    expect((await preparer.prepare(NOTE, order)).title).toBe('Title');
  });

  it('of many chunks come as fast as they are read, while the thread prepares others', async () => {
    const text = paragraphs(KEPT_CHUNKS + 2 * FREE_BATCHES * BATCH_CHUNKS);
    const large = raw('large.txt', 'text/plain', text);
    const chunking: ChunkingOptions = { ...CHUNKING, strategy: 'recursive', maxSize: 20, overlap: 0 };
    const recipe: PreparationRecipe = { ...RECIPE, chunking };
    const smallChunks = { ...order, ...(await openPreparation(recipe)), recipe };
    const sent: number[] = [];
    const preparer = open();
    const prepared = await preparer.prepare(large, smallChunks);
    // The thread has sent all that it may, or it could not take this one.
    expect((await preparer.prepare(NOTE, order)).title).toBe('Title');
    for await (const batch of prepared.batches) sent.push(batch.length);
    expect(Math.max(...sent)).toBe(BATCH_CHUNKS);
    expect(sent.reduce((sum, length) => sum + length, 0)).toBe(prepared.sketches.length);
    const expected = await inlinePreparer(undefined).prepare(large, smallChunks);
    expect(prepared.sketches).toEqual(expected.sketches);
    expect(prepared.sketches.length).toBeGreaterThan((FREE_BATCHES + 1) * BATCH_CHUNKS);
  });

  it('fail alone when their thread ends, and the next one finds another', async () => {
    let started = 0;
    const ends = threadOf('process.exit(3)');
    const preparer = open({
      start: () =>
        started++ === 0
          ? ends()
          : threadOf(
              `parentPort.postMessage({ kind: 'failed', job: m.job, failure: { message: 'read' } })`,
            )(),
    });
    await expect(preparer.prepare(NOTE, order)).rejects.toMatchObject({ reason: 'DOCUMENT_PARSE_STOPPED' });
    await expect(preparer.prepare(NOTE, order)).rejects.toMatchObject({ reason: 'DOCUMENT_INVALID' });
    expect(started).toBe(2);
  });

  it('fail when they take more memory than the thread may have', async () => {
    const start = threadOf('const all = []; for (;;) all.push(new Array(1e5).fill(m.job + Math.random()))', {
      memoryMb: 32,
    });
    await expect(open({ start }).prepare(NOTE, order)).rejects.toMatchObject({
      reason: 'DOCUMENT_PARSE_MEMORY',
    });
  });

  it('are given up when the run ends, whatever the thread does', async () => {
    const preparer = open({ start: threadOf('for (;;) {}') });
    const busy = expect(preparer.prepare(NOTE, order)).rejects.toMatchObject({ reason: 'ABORTED' });
    const waiting = expect(preparer.prepare(NOTE, order)).rejects.toMatchObject({ reason: 'ABORTED' });
    await preparer.close();
    await Promise.all([busy, waiting]);
    await expect(preparer.prepare(NOTE, order)).rejects.toMatchObject({ reason: 'ABORTED' });
  });

  it('whose chunks are half read fail when the thread ends', async () => {
    const preparer = open();
    const { batches } = await preparer.prepare(DOCUMENTS[4] ?? NOTE, order);
    await preparer.close();
    await expect(batches.next()).rejects.toMatchObject({ reason: 'ABORTED' });
  });

  it('stay on this thread where a part is no plain data', async () => {
    const preparer = open({ start: threadOf('process.exit(3)') });
    const { recipe: _, ...own } = order;
    expect((await preparer.prepare(NOTE, own)).title).toBe('Title');
  });
});
