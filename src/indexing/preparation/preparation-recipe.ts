import type { Chunker, ChunkingOptions } from '../../chunking/chunker.js';
import { createChunker } from '../../chunking/create-chunker.js';
import { loadBuiltinTokenizer } from '../../embedding/static/static-embedder.js';
import { byMediaType, createParsers, type ParserOptions } from '../../parsing/create-parsers.js';
import type { Parser } from '../../parsing/parser.js';
import { isolateParsers } from '../../parsing/worker/isolate-parsers.js';
import type { ParsingLimits } from '../../parsing/worker/parsing-thread.js';
import { openProtection, type ProtectionSettings } from '../../resources/document-protection.js';
import type { PreparationParts } from '../prepare-document.js';

/** What decides how documents are prepared, as plain data: the same parts can be opened from it in any thread. */
export interface PreparationRecipe {
  readonly chunking: ChunkingOptions;
  readonly parsing: ParserOptions;
  readonly limits: ParsingLimits;
  /** Absent where neither redaction nor an access rule is configured. */
  readonly protection?: ProtectionSettings | undefined;
}

/** Parts that a program handed in as objects. */
export interface OwnPreparation {
  /** Of the recipe's strategy, where that is none of Ragstone's own. */
  readonly chunker?: Chunker | undefined;
  /** Beside the others, or in place of them. */
  readonly parsers?: readonly Parser[] | undefined;
}

/** The parts that a recipe describes. Throws what `openProtection` and `createChunker` throw. */
export async function openPreparation(
  recipe: PreparationRecipe,
  { chunker, parsers = [] }: OwnPreparation = {},
): Promise<PreparationParts> {
  const { chunking, parsing, limits, protection } = recipe;
  const tokenizer = await loadBuiltinTokenizer();
  return {
    chunker: createChunker(chunking, tokenizer.measure, chunker),
    parsers: new Map([...isolateParsers(createParsers(parsing), parsing, limits), ...byMediaType(parsers)]),
    protection: protection && (await openProtection(protection)),
  };
}
