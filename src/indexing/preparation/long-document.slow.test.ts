import { afterAll, describe, expect, it } from 'vitest';
import type { ChunkingOptions } from '../../chunking/chunker.js';
import { LOCAL_SCOPE, OPEN_ACCESS } from '../../core/scope.js';
import { decodeText } from '../../ledger/text-encoding.js';
import { openPreparation, type PreparationRecipe } from './preparer.js';
import { ThreadPreparer } from './thread-preparer.js';

const CHUNKING: ChunkingOptions = {
  strategy: 'adaptive',
  unit: 'tokens',
  minSize: 20,
  maxSize: 500,
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
};
const preparer = new ThreadPreparer({ threads: 1 });
afterAll(() => preparer.close());

describe('a document too long to be kept as a string', () => {
  it('has the chunks that are cut from the whole string', async () => {
    const text = Array.from(
      { length: 90_000 },
      (_, i) =>
        `Absatz ${i} über größere Dinge 😀, die ${i * 7} betreffen.\nИ ещё одна строка, с числом ${i}.\n\n`,
    ).join('\r\n');
    expect(text.length).toBeGreaterThan(8 * 1024 * 1024);
    const parts = await openPreparation(RECIPE);
    const prepared = await preparer.prepare(
      {
        externalId: 'long.txt',
        mediaType: 'text/plain',
        content: new TextEncoder().encode(text),
        metadata: {},
        access: OPEN_ACCESS,
      },
      {
        scope: LOCAL_SCOPE,
        source: 'notes',
        sourceType: 'files',
        sourceMetadata: {},
        ...parts,
        recipe: RECIPE,
        timed: (_, work) => work(),
        timedAsync: (_, work) => work(),
        addTimes: () => undefined,
      },
    );
    expect(decodeText(prepared.text) === text).toBe(true);
    const parsed = await parts.parsers.get('text/plain')?.parse({
      externalId: '',
      mediaType: 'text/plain',
      content: text,
      metadata: {},
      access: OPEN_ACCESS,
    });
    if (parsed === undefined) throw new Error('Plain text has a parser.');
    const spans = parts.chunker.chunk(parsed);
    let next = 0;
    for await (const batch of prepared.batches)
      for (const { record } of batch) {
        const span = spans[next];
        expect(record.id).toBe(prepared.sketches[next]?.chunkId);
        expect([record.content, record.metadata.offsets, record.metadata.lines, record.metadata.gap]).toEqual(
          [span?.content, { start: span?.start, end: span?.end }, span?.lines, span?.metadata?.gap],
        );
        next += 1;
      }
    expect(next).toBe(spans.length);
    expect(prepared.sketches).toHaveLength(spans.length);
  }, 600_000);
});
