import type { StoredChunk } from '../../core/chunk.js';
import { linesOf, offsetsOf } from '../../core/chunk-metadata.js';

/** A found chunk, best first among its like. */
interface Found {
  readonly chunk: StoredChunk;
}

/**
 * Mean length of a passage, in UTF-16 code units (about 140 tokens of English). On Chroma's chunking questions the five best
 * passages then hold 87 % of what answers with the built-in model and 88 % with MiniLM (`npm run bench:quality`).
 */
const MEAN_PASSAGE_LENGTH = 600;

/**
 * Joins chunks that follow each other in a document and were both found to one passage, for chunks that say what stands
 * between them and the next one (`metadata.gap`, as strategy `adaptive` writes it); others stay as they are. Chunks are
 * taken best first until there are enough passages and each has about the mean length; a passage stands at the rank of its
 * best chunk and keeps that chunk's id and score.
 *
 * @param found best first
 * @param passages how many are wanted
 */
export function joinAdjacent<Candidate extends Found>(
  found: readonly Candidate[],
  passages: number,
): Candidate[] {
  if (!found.some(({ chunk }) => isPart(chunk))) return found.slice(0, passages);
  let room = passages * MEAN_PASSAGE_LENGTH;
  let joined: Candidate[] = [];
  for (const candidate of found) {
    const next = addTo(joined, candidate);
    if (next.length > passages) continue;
    room -= candidate.chunk.content.length;
    if (room < 0 && joined.length > 0) break;
    joined = next;
  }
  return joined;
}

/** How many chunks to look at for so many passages. */
export const chunksFor = (passages: number): number => passages * CHUNKS_PER_PASSAGE;

/** A passage of 140 tokens has two to three chunks of 64, and some passages share a place. */
const CHUNKS_PER_PASSAGE = 6;

/** With the chunk before or behind it, where that is there: both, where the chunk closes a gap. */
function addTo<Candidate extends Found>(joined: readonly Candidate[], candidate: Candidate): Candidate[] {
  const rest: Candidate[] = [];
  let merged = candidate;
  let rank: number | undefined;
  for (const other of joined) {
    const both = joinTwo(other.chunk, merged.chunk) ?? joinTwo(merged.chunk, other.chunk);
    if (both === undefined) {
      rest.push(other);
      continue;
    }
    // The one that was found first names the passage.
    const named = rank === undefined ? other : merged;
    rank ??= rest.length;
    merged = { ...named, chunk: { ...both, id: named.chunk.id } };
  }
  rest.splice(rank ?? rest.length, 0, merged);
  return rest;
}

const isPart = ({ metadata }: StoredChunk): boolean => typeof metadata.gap === 'string';

/** One chunk of two where the second begins behind the first one's gap. */
function joinTwo(first: StoredChunk, second: StoredChunk): StoredChunk | undefined {
  const { gap } = first.metadata;
  const offsets = offsetsOf(first);
  const following = offsetsOf(second);
  if (first.documentId !== second.documentId || typeof gap !== 'string') return undefined;
  if (offsets === undefined || following === undefined || offsets.end + gap.length !== following.start) {
    return undefined;
  }
  const lines = linesOf(first);
  const lastLine = linesOf(second)?.end;
  return {
    ...first,
    content: first.content + gap + second.content,
    metadata: {
      ...first.metadata,
      offsets: { start: offsets.start, end: following.end },
      ...(lines === undefined || lastLine === undefined
        ? {}
        : { lines: { start: lines.start, end: lastLine } }),
      ...(second.metadata.gap === undefined ? {} : { gap: second.metadata.gap }),
    },
  };
}
