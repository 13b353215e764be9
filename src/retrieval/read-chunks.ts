import type { StoredChunk } from '../core/chunk.js';
import { RAGError } from '../core/errors.js';
import type { Notice } from '../core/notice.js';
import { withDeadline } from '../core/with-deadline.js';
import type { VectorCollection } from '../stores/vector-store.js';
import { type Candidate, type FoundCandidate, type FoundChunk, withoutContribution } from './candidate.js';

/** Anything that holds a found chunk, with the whole of it. */
export type WithRecord<Found> = Omit<Found, 'chunk'> & { readonly chunk: StoredChunk };

/**
 * The list with its records, in the order given; without what was deleted since it was found, and of a document that is being written
 * without what is of another revision than its best passage.
 */
export type ReadChunks = <Found extends { readonly chunk: FoundChunk }>(
  found: readonly Found[],
) => Promise<WithRecord<Found>[]>;

/** The same of candidates alone, some of which a step may leave out or change. */
export type ReadCandidates = (found: readonly FoundCandidate[]) => Promise<Candidate[]>;

/**
 * Reads the records that lanes have only named, each search with its own reader. Whatever one search reads it reads in one
 * call of the store: where a later step needs more, what was read before is read again with it, so that passages of a
 * document's old and new revision never stand side by side.
 */
export function chunkReader(
  collection: VectorCollection,
  options: {
    readonly includeVectors: boolean;
    /** Milliseconds after which a reading is given up with `STORE_TIMEOUT`. @default none */
    readonly deadlineMs?: number | undefined;
    readonly signal: AbortSignal | undefined;
    /** Told when something that was found does not exist any more. */
    readonly onLost?: () => void;
  },
): ReadChunks {
  const { includeVectors, deadlineMs, signal } = options;
  const get = (ids: readonly string[], abort: AbortSignal | undefined) =>
    collection.get(ids, { includeVectors, ...(abort === undefined ? {} : { signal: abort }) });
  const getInTime = (ids: readonly string[]) =>
    deadlineMs === undefined
      ? get(ids, signal)
      : withDeadline({ timeoutMs: deadlineMs, signal, lateError: () => lateStore(deadlineMs) }, (abort) =>
          get(ids, abort),
        );
  let known = new Map<string, StoredChunk | undefined>();
  return async (found) => {
    const wanted = found.filter(({ chunk }) => !isRead(chunk)).map(({ chunk }) => chunk.id);
    if (wanted.some((id) => !known.has(id))) {
      const ids = [...new Set([...known.keys(), ...wanted])];
      const chunks = await getInTime(ids);
      if (chunks.length < ids.length) options.onLost?.();
      known = new Map(ids.map((id) => [id, undefined]));
      for (const chunk of chunks) known.set(chunk.id, chunk);
    }
    const isWanted = ofOneRevision();
    return found.flatMap((entry) => {
      const chunk = isRead(entry.chunk) ? entry.chunk : known.get(entry.chunk.id);
      return chunk === undefined || !isWanted(chunk) ? [] : [{ ...entry, chunk }];
    });
  };
}

/**
 * Whether a chunk is of the same revision as the first one of its document. A store that is written apart from the ledger holds both
 * revisions for a moment, and lanes that give records are asked one after the other.
 */
function ofOneRevision(): (chunk: StoredChunk) => boolean {
  const revisions = new Map<string, unknown>();
  return ({ documentId, metadata: { revision } }) => {
    if (revision === undefined) return true;
    const first = revisions.get(documentId) ?? revision;
    revisions.set(documentId, first);
    return first === revision;
  };
}

const isRead = (chunk: FoundChunk | StoredChunk): chunk is StoredChunk => 'content' in chunk;

const lateStore = (deadlineMs: number): RAGError =>
  new RAGError(
    'STORE_TIMEOUT',
    `The store did not give the passages that it found within ${deadlineMs} ms (rag.retrieval.laneDeadlineMs). Try again; \`ragstone status\` says which store it is.`,
  );

/**
 * Passages in a script that the embedding model does not read, as a search met them: their vectors tell nothing of what they say, so what
 * the dense lane gave them is taken away, and what nothing else found is left out.
 */
export class PassagesByWords {
  readonly #reads: (text: string) => boolean;
  readonly #met = new Set<string>();

  /** @param reads whether the model knows the script of a text */
  constructor(reads: (text: string) => boolean) {
    this.#reads = reads;
  }

  /** The candidates in their order, each by what may be said of it. */
  take(candidates: readonly Candidate[]): Candidate[] {
    return candidates.flatMap((candidate) => {
      if (candidate.semanticScore === undefined || this.#reads(candidate.chunk.content)) return [candidate];
      this.#met.add(candidate.chunk.id);
      const { semanticScore: _, ...byWords } = withoutContribution(candidate, 'dense');
      const isFound =
        byWords.holdsIdentifier || byWords.keywordScore !== undefined || byWords.contributions.length > 0;
      return isFound ? [byWords] : [];
    });
  }

  /** @param near what was found first and what is shown: of what is far off nobody needs to know. */
  notices(near: readonly FoundCandidate[]): Notice[] {
    const count = new Set(near.map(({ chunk }) => chunk.id).filter((id) => this.#met.has(id))).size;
    if (count === 0) return [];
    const passages = count === 1 ? '1 passage is' : `${count} passages are`;
    return [
      {
        kind: 'script-unread',
        text: `${passages} in a script that the embedding model does not read, and compared with the query by words alone.`,
      },
    ];
  }
}
