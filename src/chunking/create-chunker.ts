import { trimBlank } from '../core/analysis/boundaries.js';
import type { ChunkSpan } from '../core/chunk.js';
import type { ParsedDocument } from '../core/document.js';
import { RAGError } from '../core/errors.js';
import { adaptiveChunks, partLimits } from './adaptive/adaptive-chunks.js';
import { assembleCuts } from './assemble-cuts.js';
import type { ChunkRange } from './chunk-range.js';
import type {
  Chunker,
  ChunkingOptions,
  ChunkingStrategy,
  CutRange,
  CutRequest,
  DocumentChunker,
  DocumentCuts,
  MeasureSlice,
  MeasureText,
} from './chunker.js';
import { codeChunks } from './code/code-chunks.js';
import { fieldChunks } from './fields/field-chunks.js';
import { fixedChunks } from './fixed/fixed-chunks.js';
import { type Outline, outlineOf } from './outline.js';
import { type CutContext, createTextSizer, type TextSizer } from './pieces.js';
import { recursiveChunks } from './recursive/recursive-chunks.js';
import { semanticChunks } from './semantic/semantic-chunks.js';
import { wholeChunk } from './whole/whole-chunk.js';

/**
 * The chunker of a strategy.
 *
 * @param countTokens tokens of the built-in tokenizer, without special tokens; used for `tokenCount` in every unit, and
 * for the limits where the unit is `tokens`. Called a linear number of times: each character is measured a few times.
 * @param own the chunker of the strategy, where it is none of Ragstone's own
 * @throws `CONFIG_INVALID` for limits that contradict each other, and for a strategy that nobody has
 */
export function createChunker(
  options: ChunkingOptions,
  countTokens: MeasureText,
  own?: Chunker,
): DocumentChunker {
  checkLimits(options);
  const builtin = BUILTIN_CHUNKERS.find(({ strategy }) => strategy === options.strategy);
  const rangesOf = builtin === undefined ? cutOf(ownChunker(options, own)) : builtin.cut;
  const cut = (document: ParsedDocument): DocumentCuts => {
    const { text } = document;
    const countSlice = measureSlices(text, countTokens);
    const sizer = createTextSizer(options.unit, countSlice);
    const outline = outlineOf(document);
    const { size } = sizer;
    return assembleCuts(document, rangesOf({ document, text, sizer, size, outline, limits: options }), {
      outline,
      sizer,
      countTokens: countSlice,
      maxSize: builtin?.isUnbounded === true ? Number.POSITIVE_INFINITY : options.maxSize,
      preserveWhitespace: options.preserveWhitespace,
    });
  };
  return { strategy: options.strategy, cut, chunk: (document) => allChunks(cut(document), document.text) };
}

/** Every chunk of a text. */
function allChunks(cuts: DocumentCuts, text: string): ChunkSpan[] {
  return Array.from({ length: cuts.length }, (_, index) =>
    cuts.chunkAt(index, (start, end) => text.slice(start, end)),
  );
}

const measureSlices = (text: string, measure: MeasureText): MeasureSlice =>
  measure.slices?.(text) ?? ((start, end) => measure(text.slice(start, end)));

function ownChunker({ strategy }: ChunkingOptions, own: Chunker | undefined): Chunker {
  if (own?.strategy === strategy) return own;
  throw new RAGError(
    'CONFIG_INVALID',
    `There is no chunking strategy "${strategy}". Ragstone has ${BUILTIN_CHUNKERS.map((one) => one.strategy).join(', ')}; any other is handed in with createEngine({ chunkers }).`,
    { details: { value: strategy } },
  );
}

/** What a chunker of somebody else's gives, checked, without white space at the ends, and measured. */
const cutOf =
  (chunker: Chunker): BuiltinChunker['cut'] =>
  ({ document, limits, size, sizer }) => {
    let last = 0;
    return chunker.cut({ document, limits, size }).flatMap((range) => {
      assertPlace(range, last, { chunker, document });
      last = range.start;
      return measured(range, document, sizer);
    });
  };

function measured(range: CutRange, { text }: ParsedDocument, sizer: TextSizer): ChunkRange[] {
  const place = trimBlank(text, range);
  if (place === undefined) return [];
  const { surroundings, metadata } = range;
  const { start, end } = place;
  return [{ start, end, size: sizer.size(start, end), ownStart: start, surroundings, metadata }];
}

function assertPlace(
  { start, end }: CutRange,
  after: number,
  { chunker, document }: { readonly chunker: Chunker; readonly document: ParsedDocument },
): void {
  const { length } = document.text;
  const isRange = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end;
  if (isRange && end <= length && start >= after) return;
  throw new RAGError(
    'USAGE',
    `The chunker "${chunker.strategy}" gave the range ${start} to ${end} of a text of ${length}, after one from ${after}: ranges are whole numbers inside of the text, in its order.`,
    { details: { strategy: chunker.strategy } },
  );
}

function checkLimits({ minSize, maxSize, overlap }: ChunkingOptions): void {
  const fail = (what: string): never => {
    throw new RAGError('CONFIG_INVALID', `chunking: ${what}.`, { details: { minSize, maxSize, overlap } });
  };
  if (!(maxSize >= 1)) fail('maxSize must be at least 1');
  if (!(minSize >= 0 && minSize <= maxSize)) fail('minSize must be between 0 and maxSize');
  if (!(overlap >= 0 && overlap < maxSize)) fail('overlap must be at least 0 and less than maxSize');
}

/** What the chunkers of this folder are told beside what every chunker is. */
interface BuiltinRequest extends CutRequest, CutContext {
  readonly outline: Outline;
  readonly limits: ChunkingOptions;
}

/** A chunker that has measured its chunks. */
interface BuiltinChunker extends Chunker {
  readonly strategy: ChunkingStrategy;
  /** Its chunks may have any length. @default false */
  readonly isUnbounded?: boolean;
  cut(request: BuiltinRequest): ChunkRange[];
}

/** Every strategy of Ragstone's own. */
export const BUILTIN_CHUNKERS: readonly BuiltinChunker[] = [
  { strategy: 'semantic', cut: structuralChunks },
  {
    strategy: 'adaptive',
    cut: (request) =>
      request.document.code === undefined
        ? adaptiveChunks(structuralChunks({ ...request, limits: smallParts(request.limits) }))
        : structuralChunks(request),
  },
  {
    strategy: 'recursive',
    cut: (request) => recursiveChunks(request.document, request.limits.splitOn, request),
  },
  { strategy: 'fixed', cut: (request) => fixedChunks(request.document, request.limits.unit, request) },
  {
    strategy: 'pbi_aware',
    // What is not a work item has no fields to keep together.
    cut: (request) =>
      hasFields(request.document)
        ? fieldChunks(request.document, request.limits, request)
        : structuralChunks(request),
  },
  {
    strategy: 'whole',
    isUnbounded: true,
    cut: ({ document, sizer }) => wholeChunk(document, sizer),
  },
];

/** Along the syntax tree of source code, else along headings and blocks. */
function structuralChunks(request: BuiltinRequest): ChunkRange[] {
  const { document, outline } = request;
  return document.code === undefined
    ? semanticChunks(document, outline, request)
    : codeChunks(document.code, request);
}

const smallParts = (limits: ChunkingOptions): ChunkingOptions => ({ ...limits, ...partLimits(limits) });

const hasFields = ({ blocks }: ParsedDocument): boolean => blocks.some(({ kind }) => kind === 'field');
