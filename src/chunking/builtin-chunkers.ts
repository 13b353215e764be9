import type { ParsedDocument } from '../core/document.js';
import { adaptiveChunks, partLimits } from './adaptive/adaptive-chunks.js';
import type { ChunkRange } from './chunk-range.js';
import type { Chunker, ChunkingOptions, ChunkingStrategy, CutRequest } from './chunker.js';
import { codeChunks } from './code/code-chunks.js';
import { fieldChunks } from './fields/field-chunks.js';
import { fixedChunks } from './fixed/fixed-chunks.js';
import type { Outline } from './outline.js';
import type { CutContext } from './pieces.js';
import { recursiveChunks } from './recursive/recursive-chunks.js';
import { semanticChunks } from './semantic/semantic-chunks.js';
import { wholeChunk } from './whole/whole-chunk.js';

/** What the chunkers of this folder are told beside what every chunker is. */
interface BuiltinRequest extends CutRequest, CutContext {
  readonly outline: Outline;
  readonly limits: ChunkingOptions;
}

/** A chunker that has measured its chunks. */
export interface BuiltinChunker extends Chunker {
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
