import assert from 'node:assert/strict';
import type { ParsedDocument, RawDocument } from '../../core/document.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import type { Parser } from '../../parsing/parser.js';
import { rejectsWith } from '../assertions.js';
import { type PartContractOptions, registerTests } from './contract.js';

export interface ParserContractOptions extends PartContractOptions<Parser> {
  /** Contents that the parser reads, with words that must be in the text, the more different the better. */
  readonly samples: readonly {
    readonly content: Uint8Array | string;
    readonly words: readonly string[];
    /** @default the first of the parser's */
    readonly mediaType?: string | undefined;
  }[];
  /** Contents that it cannot read, where there are any. */
  readonly unreadable?: readonly (Uint8Array | string)[] | undefined;
}

/**
 * Registers the contract that every `Parser` must keep:
 *
 * ```ts
 * import { describe, it } from 'vitest';
 * testParser({
 *   name: 'mine',
 *   runner: { describe, it },
 *   create: async () => myParser,
 *   samples: [{ content: 'What it reads.', words: ['reads'] }],
 * });
 * ```
 *
 * Failures are `AssertionError`s of `node:assert`.
 */
export function testParser(options: ParserContractOptions): void {
  const { samples, unreadable = [] } = options;
  const forAll = async (parser: Parser, check: (read: ReadSample) => void | Promise<void>): Promise<void> => {
    for (const { content, words, mediaType } of samples) {
      const document = rawDocument(parser, content, mediaType);
      await check({ document, parsed: await parser.parse(document), words });
    }
  };
  registerTests('Parser', options, {
    'it has media types, and there are samples': async ({ mediaTypes }) => {
      assert.ok(mediaTypes.length > 0 && new Set(mediaTypes).size === mediaTypes.length);
      for (const mediaType of mediaTypes) assert.match(mediaType, /^[\w.+-]+\/[\w.+-]+$/);
      assert.ok(samples.length > 0, 'a parser is tested with what it reads');
    },

    'the text holds what the document says, as text that can be stored': async (parser) => {
      await forAll(parser, ({ parsed: { text }, words }) => {
        for (const word of words) assert.ok(text.includes(word), `${JSON.stringify(word)} is in the text`);
        assert.ok(!text.includes('\0') && !text.startsWith('\uFEFF'), 'no NUL, no byte order mark');
        assert.ok(!/\p{Surrogate}/u.test(text), 'no half of a surrogate pair');
      });
    },

    'blocks hold all of the text in its order and do not overlap': async (parser) => {
      await forAll(parser, ({ parsed }) => assertBlocks(parsed));
    },

    'headings have levels from 1 to 6, and metadata is JSON': async (parser) => {
      await forAll(parser, ({ parsed: { blocks, metadata } }) => {
        for (const { kind, level } of blocks)
          if (kind === 'heading')
            assert.ok(level !== undefined && level >= 1 && level <= 6, `level ${level}`);
        assert.deepEqual(JSON.parse(JSON.stringify(metadata)), metadata);
      });
    },

    'the same bytes give the same document, and nothing but the bytes is looked at': async (parser) => {
      const again = await options.create();
      await forAll(parser, async ({ document, parsed }) => {
        const { text, blocks } = await again.parse({
          ...document,
          externalId: 'elsewhere/b',
          url: 'https://b/',
        });
        assert.deepEqual({ text, blocks }, { text: parsed.text, blocks: parsed.blocks });
      });
    },

    'what it is given stays as it was': async (parser) => {
      await forAll(parser, async ({ document }) => {
        const before = structuredClone(document);
        await parser.parse(document);
        assert.deepEqual(document, before);
      });
    },

    'what cannot be read is said to be so': async (parser) => {
      for (const content of unreadable) {
        const document = rawDocument(parser, content);
        await rejectsDocument(async () => parser.parse(document));
      }
    },
  });
}

interface ReadSample {
  readonly document: RawDocument;
  readonly parsed: ParsedDocument;
  readonly words: readonly string[];
}

const rawDocument = (
  { mediaTypes: [first = ''] }: Parser,
  content: Uint8Array | string,
  mediaType: string = first,
): RawDocument => ({ externalId: 'a', mediaType, content, metadata: {}, access: OPEN_ACCESS });

function assertBlocks({ text, blocks }: ParsedDocument): void {
  let end = 0;
  for (const block of blocks) {
    assert.ok(
      block.start >= end && block.end > block.start && block.end <= text.length,
      `a block from ${block.start} to ${block.end} after ${end}, in a text of ${text.length}`,
    );
    assert.equal(text.slice(end, block.start).trim(), '', `text before ${block.start} is in no block`);
    end = block.end;
  }
  assert.equal(text.slice(end).trim(), '', `text after ${end} is in no block`);
}

/** Expects a `RAGError` about the document, so that a run goes on with the others. */
async function rejectsDocument(run: () => Promise<unknown>): Promise<void> {
  const reasons = ['DOCUMENT_INVALID', 'DOCUMENT_NOT_TEXT', 'DOCUMENT_INVALID_ENCODING'] as const;
  const failures: unknown[] = [];
  for (const reason of reasons)
    try {
      await rejectsWith(reason, run);
      return;
    } catch (failure) {
      failures.push(failure);
    }
  throw failures[0];
}
