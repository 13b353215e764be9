import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Chunker, ChunkingOptions } from '../../chunking/chunker.js';
import { createChunker } from '../../chunking/create-chunker.js';
import type { RawDocument } from '../../core/document.js';
import { throwIfAborted } from '../../core/errors.js';
import { loadBuiltinTokenizer } from '../../embedding/static/static-embedder.js';
import { byMediaType, createParsers, type ParserOptions } from '../../parsing/create-parsers.js';
import type { Parser } from '../../parsing/parser.js';
import type { ParsingLimits } from '../../parsing/worker/parsing-thread.js';
import { isolateParsers, parsingUntil } from '../../parsing/worker/parsing-threads.js';
import { openProtection, type ProtectionSettings } from '../../resources/document-protection.js';
import {
  type DocumentPipeline,
  type PreparationContext,
  type PreparedDocument,
  prepareDocument,
} from '../prepare-document.js';

/** How one source's documents are prepared: with parts of this thread, and by what other threads open the same parts. */
export interface PreparationOrder extends PreparationContext {
  /** Absent where a part cannot be sent to a thread. */
  readonly recipe?: PreparationRecipe | undefined;
  /** Folder of the static model that embeds in the thread; absent where chunks are embedded when they are written. */
  readonly modelFolder?: string | undefined;
  /** Milliseconds that another thread has spent, by stage. */
  readonly addTimes: (times: Readonly<Record<string, number>>) => void;
}

/** Where documents are prepared. The result is the same everywhere. */
export interface Preparer {
  /** @throws RAGError what `prepareDocument` throws; `DOCUMENT_PARSE_STOPPED`, `DOCUMENT_PARSE_MEMORY` where its thread ended. */
  prepare(document: RawDocument, order: PreparationOrder): Promise<PreparedDocument>;
}

/** Prepares on this thread, one document after the other, each in a turn of the event loop of its own. */
export function inlinePreparer(signal: AbortSignal | undefined): Preparer {
  let last: Promise<unknown> = Promise.resolve();
  return {
    prepare: (document, order) => {
      const prepared = last.then(async () => {
        await nextTurn();
        throwIfAborted(signal);
        return parsingUntil(signal, () => prepareDocument(document, order));
      });
      last = prepared.catch(() => undefined);
      return prepared;
    },
  };
}

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
): Promise<DocumentPipeline> {
  const { chunking, parsing, limits, protection } = recipe;
  const tokenizer = await loadBuiltinTokenizer();
  return {
    chunker: createChunker(chunking, tokenizer.measure, chunker),
    parsers: new Map([...isolateParsers(createParsers(parsing), parsing, limits), ...byMediaType(parsers)]),
    protection: protection && (await openProtection(protection)),
  };
}
