import assert from 'node:assert/strict';
import type { Chunker, ChunkingOptions } from '../../chunking/chunker.js';
import { createChunker } from '../../chunking/create-chunker.js';
import type { ParsedDocument } from '../../core/document.js';
import { createMarkdownParser } from '../../parsing/markdown/markdown-parser.js';
import { type PartContractOptions, registerTests } from './contract.js';

export interface ChunkerContractOptions extends PartContractOptions<Chunker> {
  /** Why chunks may be longer than `limits.maxSize`, where they may. */
  readonly exceedsLimits?: string | undefined;
  /** Why text may be in no chunk, and so is never found, where that is meant. */
  readonly leavesOut?: string | undefined;
}

const words = (count: number): string =>
  Array.from({ length: count }, (_, index) => `word${index}`).join(' ');

const SOURCES: readonly string[] = [
  '',
  ' \n\n\t ',
  'One line.',
  `# Title\n\nFirst paragraph.\n\n## Section\n\n- an item\n- another\n\n\`\`\`js\nlet x = 1;\n\`\`\`\n`,
  `# Long\n\n${words(400)}\n\n${words(90)}.\r\n\r\nLast: 日本語 👍🏽 \udc00.`,
  'x'.repeat(5_000),
];

const limitsOf = (strategy: string, maxSize: number): ChunkingOptions => ({
  strategy,
  unit: 'characters',
  minSize: Math.floor(maxSize / 5),
  maxSize,
  overlap: Math.floor(maxSize / 10),
  splitOn: ['\n\n', '\n', '. ', ' '],
  preserveWhitespace: false,
  preserveFields: [],
  chunkByField: false,
});

/**
 * Registers the contract that every `Chunker` must keep:
 *
 * ```ts
 * import { describe, it } from 'vitest';
 * testChunker({ name: 'mine', runner: { describe, it }, create: async () => myChunker });
 * ```
 *
 * Failures are `AssertionError`s of `node:assert`.
 */
export function testChunker(options: ChunkerContractOptions): void {
  const { exceedsLimits, leavesOut } = options;
  registerTests('Chunker', options, {
    'its strategy is a name': async ({ strategy }) => {
      assert.match(strategy, /^[A-Za-z0-9_-]{1,64}$/);
    },

    'chunks are ranges of the text, in its order': async (chunker) => {
      await forAll(chunker, ({ text }, chunks) => {
        let last = 0;
        for (const { start, end } of chunks) {
          assert.ok(
            Number.isInteger(start) && Number.isInteger(end),
            `${start} and ${end} are whole numbers`,
          );
          assert.ok(start >= last && start <= end && end <= text.length, `${start} to ${end} after ${last}`);
          last = start;
        }
      });
    },

    'Ragstone takes them as they are': async (chunker) => {
      await forAll(chunker, (document, _chunks, limits) => {
        const measure = (text: string): number => text.length;
        const spans = createChunker(limits, measure, chunker).chunk(document);
        for (const { content, start, end } of spans) assert.equal(content, document.text.slice(start, end));
      });
    },

    [leavesOut === undefined
      ? 'every character that is not white space is in a chunk'
      : `text may be in no chunk: ${leavesOut}`]: async (chunker) => {
      await forAll(chunker, ({ text }, chunks) => {
        if (leavesOut !== undefined) return;
        let covered = 0;
        for (const { start, end } of chunks) {
          assert.equal(text.slice(covered, start).trim(), '', `text before ${start} is in no chunk`);
          covered = Math.max(covered, end);
        }
        assert.equal(text.slice(covered).trim(), '', `text after ${covered} is in no chunk`);
      });
    },

    [exceedsLimits === undefined
      ? 'no chunk is longer than the limit'
      : `chunks may be longer than the limit: ${exceedsLimits}`]: async (chunker) => {
      await forAll(chunker, ({ text }, chunks, { maxSize }) => {
        for (const { start, end } of exceedsLimits === undefined ? chunks : [])
          assert.ok(
            text.slice(start, end).trim().length <= maxSize,
            `${start} to ${end} is above ${maxSize}`,
          );
      });
    },

    'the same document is cut in the same way': async (chunker) => {
      const again = await options.create();
      await forAll(chunker, (document, chunks, limits) => {
        assert.deepEqual([...again.cut(requestOf(document, limits))], [...chunks]);
      });
    },
  });
}

type Cut = ReturnType<Chunker['cut']>;

const requestOf = (document: ParsedDocument, limits: ChunkingOptions): Parameters<Chunker['cut']>[0] => ({
  document,
  limits,
  size: (start, end) => end - start,
});

async function forAll(
  chunker: Chunker,
  check: (document: ParsedDocument, chunks: Cut, limits: ChunkingOptions) => void,
): Promise<void> {
  const parser = createMarkdownParser();
  for (const content of SOURCES)
    for (const maxSize of [120, 1_000]) {
      const document = parser.parse({
        externalId: 'a.md',
        mediaType: 'text/markdown',
        content,
        metadata: {},
        access: { groups: [], level: 0 },
      });
      const limits = limitsOf(chunker.strategy, maxSize);
      check(document, chunker.cut(requestOf(document, limits)), limits);
    }
}
