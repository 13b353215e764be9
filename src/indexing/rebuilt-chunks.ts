import { setImmediate as nextTurn } from 'node:timers/promises';
import { passageAround, REACHES } from '../chunking/passage-around.js';
import { indexedTextOf } from '../core/analysis/indexed-text.js';
import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import type { StoredChunk } from '../core/chunk.js';
import { headingPathOf, offsetsOf, titleOf } from '../core/chunk-metadata.js';
import type { TextRange } from '../core/document.js';
import { chunkIdOf } from '../core/ids.js';
import type { Metadata } from '../core/metadata.js';
import { runtime } from '../core/runtime.js';
import { contextLine } from '../parsing/line-blocks.js';
import { boundRepeated } from '../parsing/text-range.js';
import { termsDigest } from '../resources/chunk-digests.js';

/** What is embedded and matched of a chunk, and not stored with it. */
export interface RebuiltChunk {
  readonly indexedText: string;
  readonly searchText: string;
  /** The text is the very one that was embedded: the chunk's id says so. */
  readonly isTextExact: boolean;
  /** The words are the very ones that were written: the ledger's digest says so. */
  readonly areWordsExact: boolean;
}

/** What is read of a chunk for it. */
export type BareChunk = Pick<StoredChunk, 'id' | 'documentId' | 'content' | 'identifiers' | 'metadata'>;

/** A document whose chunks are rebuilt. */
export interface RebuiltDocument {
  /** The stored text, to which offsets refer. */
  readonly text: string;
  /** By chunk id, as the ledger has them. */
  readonly digests: ReadonlyMap<string, string>;
  /** Metadata as it was before it was sealed. @default as it is */
  readonly reveal?: ((metadata: Metadata) => Metadata) | undefined;
}

/** Turns of the event loop are given to others after so many milliseconds. */
const TURN_MS = 4;
/** Lines before a chunk among which what it repeats is looked for. */
const LINES_BACK = 400;
/** Where nothing is found for so many chunks of a document, no more is looked for. */
const MISSES = 3;
/** Lines that open a block at most: a table has its header and its rule. */
const OPENING_LINES = 3;

/**
 * Finds again what a store does not keep of chunks: the line that opens the block a chunk lies in (a code fence, a table's header), which is embedded
 * with it, and the passages around it, whose words count for it. Both stand in the document's text. Whether what is found is right is
 * no guess: a chunk's id is a hash of its indexed text, and the ledger's digest holds one of its words. What stands in no text (a context that
 * a language model wrote, surroundings that a program handed in) is not found.
 *
 * @param chunks of one document, in its order
 */
export async function rebuildChunks(
  chunks: readonly BareChunk[],
  document: RebuiltDocument,
): Promise<RebuiltChunk[]> {
  const places = chunks.map((chunk) => offsetsOf(chunk) ?? { start: 0, end: 0 });
  const ordinals = new Map<string, number>();
  const rebuilt: RebuiltChunk[] = [];
  let context: string | undefined;
  let misses = 0;
  let since = runtime().elapsed();
  for (const [index, chunk] of chunks.entries()) {
    const isHopeless = context === undefined && misses >= MISSES;
    const found = findText(chunk, { document, place: places[index], ordinals, context, isHopeless });
    context = found.context ?? context;
    if (!found.isExact) misses += 1;
    const words = findWords(chunk, found.indexedText, { document, places, index });
    rebuilt.push({ indexedText: found.indexedText, isTextExact: found.isExact, ...words });
    if (runtime().elapsed() - since < TURN_MS) continue;
    await nextTurn();
    since = runtime().elapsed();
  }
  return rebuilt;
}

interface TextSearch {
  readonly document: RebuiltDocument;
  readonly place: TextRange | undefined;
  /** Chunks so far, by the id of the first with the same text. */
  readonly ordinals: Map<string, number>;
  /** What the chunk before repeated. */
  readonly context: string | undefined;
  /** Only the bare text is tried. */
  readonly isHopeless: boolean;
}

interface FoundText {
  readonly indexedText: string;
  readonly isExact: boolean;
  readonly context?: string | undefined;
}

function findText(chunk: BareChunk, search: TextSearch): FoundText {
  const { document, place, ordinals, context, isHopeless } = search;
  const { documentId, content } = chunk;
  const metadata = document.reveal?.(chunk.metadata) ?? chunk.metadata;
  const known = { title: titleOf({ metadata }), headingPath: headingPathOf({ metadata }), content };
  const isThis = (text: string): boolean => {
    const first = chunkIdOf(documentId, text, 0);
    const ordinal = ordinals.get(first) ?? 0;
    if ((ordinal === 0 ? first : chunkIdOf(documentId, text, ordinal)) !== chunk.id) return false;
    ordinals.set(first, ordinal + 1);
    return true;
  };
  const bare = indexedTextOf(known);
  if (isThis(bare)) return { indexedText: bare, isExact: true };
  const candidates = isHopeless ? [] : contextsBefore(document.text, place?.start ?? 0, context);
  for (const candidate of candidates) {
    const indexedText = indexedTextOf({ ...known, context: candidate });
    if (isThis(indexedText)) return { indexedText, isExact: true, context: candidate };
  }
  return { indexedText: bare, isExact: false };
}

/** What may open the block that an offset lies in, nearest first. */
function* contextsBefore(text: string, offset: number, last: string | undefined): Generator<string> {
  if (last !== undefined) yield last;
  const lines = linesBefore(text, offset);
  for (let first = lines.length - 1; first >= 0; first -= 1) {
    for (let count = 1; count <= OPENING_LINES && first + count <= lines.length; count += 1) {
      const opening = lines.slice(first, first + count);
      yield opening.map(contextLine).join('\n');
      // Records of tables and first lines of definitions are repeated as they are.
      yield boundRepeated(opening.join('\n').trim());
    }
  }
  // The first record of a table, however far it is.
  yield contextLine(text.slice(0, Math.max(0, text.indexOf('\n'))));
  yield boundRepeated(text.slice(0, Math.max(0, text.indexOf('\n'))).trim());
}

/** The line that an offset lies in, and those before it. */
function linesBefore(text: string, offset: number): string[] {
  const lines: string[] = [];
  const lineEnd = text.indexOf('\n', offset);
  let end = lineEnd < 0 ? text.length : lineEnd;
  while (end >= 0 && lines.length < LINES_BACK) {
    const start = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1;
    lines.push(text.slice(start, end));
    end = start - 1;
  }
  return lines.reverse();
}

interface WordSearch {
  readonly document: RebuiltDocument;
  readonly places: readonly TextRange[];
  readonly index: number;
}

function findWords(
  { id, identifiers, metadata }: BareChunk,
  indexedText: string,
  { document: { text, digests }, places, index }: WordSearch,
): Pick<RebuiltChunk, 'searchText' | 'areWordsExact'> {
  const digest = digests.get(id);
  const isRight = (searchText: string): boolean =>
    digest?.endsWith(termsDigest({ searchText, identifiers })) === true;
  const read = (start: number, end: number): string => text.slice(start, end);
  const around = (): string[] => REACHES.map((reach) => passageAround(places, [index, reach], read));
  const wordsOf = (texts: readonly string[]): string => analyzeText(texts.join('\n')).join(' ');
  // Small chunks know the white space behind them, and are matched by what is around them.
  const isSmall = metadata.gap !== undefined;
  const alone = (): string => wordsOf([indexedText]);
  const widely = (): string => wordsOf([indexedText, ...around()]);
  const [likely, other] = isSmall ? [widely, alone] : [alone, widely];
  const first = likely();
  if (isRight(first)) return { searchText: first, areWordsExact: true };
  const second = other();
  if (isRight(second)) return { searchText: second, areWordsExact: true };
  return { searchText: first, areWordsExact: false };
}
