import type { ParsedDocument } from '../core/document.js';
import { RAGError } from '../core/errors.js';
import { adaptiveChunks, partLimits } from './adaptive/adaptive-chunks.js';
import { assembleSpans } from './assemble-spans.js';
import type { ChunkRange } from './chunk-range.js';
import type { Chunker, ChunkingOptions, MeasureSlice, MeasureText } from './chunker.js';
import { codeChunks } from './code/code-chunks.js';
import { fieldChunks } from './fields/field-chunks.js';
import { fixedChunks } from './fixed/fixed-chunks.js';
import { type Outline, outlineOf } from './outline.js';
import type { CutContext } from './pieces.js';
import { recursiveChunks } from './recursive/recursive-chunks.js';
import { semanticChunks } from './semantic/semantic-chunks.js';
import { createTextSizer } from './text-sizer.js';
import { wholeChunk } from './whole/whole-chunk.js';

/**
 * The chunker of a strategy.
 *
 * @param countTokens tokens of the built-in tokenizer, without special tokens; used for `tokenCount` in every unit, and
 * for the limits where the unit is `tokens`. Called a linear number of times: each character is measured a few times.
 * @throws `CONFIG_INVALID` for limits that contradict each other
 */
export function createChunker(options: ChunkingOptions, countTokens: MeasureText): Chunker {
  checkLimits(options);
  return {
    strategy: options.strategy,
    chunk: (document) => {
      const { text } = document;
      const countSlice = measureSlices(text, countTokens);
      const sizer = createTextSizer(options.unit, countSlice);
      const outline = outlineOf(document);
      const ranges = rangesOf(document, outline, options, { text, sizer, limits: options });
      return assembleSpans(document, ranges, {
        outline,
        sizer,
        countTokens: countSlice,
        maxSize: options.strategy === 'whole' ? Number.POSITIVE_INFINITY : options.maxSize,
        preserveWhitespace: options.preserveWhitespace,
      });
    },
  };
}

const measureSlices = (text: string, measure: MeasureText): MeasureSlice =>
  measure.slices?.(text) ?? ((start, end) => measure(text.slice(start, end)));

function rangesOf(
  document: ParsedDocument,
  outline: Outline,
  options: ChunkingOptions,
  context: CutContext,
): ChunkRange[] {
  switch (options.strategy) {
    case 'semantic':
      return structuralChunks(document, outline, context);
    case 'adaptive':
      return document.code === undefined
        ? adaptiveChunks(semanticChunks(document, outline, smallParts(context)), document.text)
        : codeChunks(document.code, context);
    case 'recursive':
      return recursiveChunks(document, options.splitOn, context);
    case 'fixed':
      return fixedChunks(document, options.unit, context);
    case 'pbi_aware':
      // What is not a work item has no fields to keep together.
      return document.blocks.some((block) => block.kind === 'field')
        ? fieldChunks(document, options, context)
        : structuralChunks(document, outline, context);
    case 'whole':
      return wholeChunk(document, context.sizer);
  }
}

const smallParts = (context: CutContext): CutContext => ({
  ...context,
  limits: partLimits(context.limits),
});

/** Along the syntax tree of source code, else along headings and blocks. */
const structuralChunks = (document: ParsedDocument, outline: Outline, context: CutContext): ChunkRange[] =>
  document.code === undefined
    ? semanticChunks(document, outline, context)
    : codeChunks(document.code, context);

function checkLimits({ minSize, maxSize, overlap }: ChunkingOptions): void {
  const fail = (what: string): never => {
    throw new RAGError('CONFIG_INVALID', `chunking: ${what}.`, { details: { minSize, maxSize, overlap } });
  };
  if (!(maxSize >= 1)) fail('maxSize must be at least 1');
  if (!(minSize >= 0 && minSize <= maxSize)) fail('minSize must be between 0 and maxSize');
  if (!(overlap >= 0 && overlap < maxSize)) fail('overlap must be at least 0 and less than maxSize');
}
