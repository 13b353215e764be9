import { RAGError } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import { startWorker, WITHOUT_SECRETS } from '../platform/threads/start-worker.js';
import { ThreadCalls } from '../platform/threads/thread-calls.js';
import { type BareChunk, type RebuiltChunk, type RebuiltDocument, rebuildChunks } from './rebuilt-chunks.js';

/** Chunks from which a thread is worth its start. */
const THREAD_FROM_CHUNKS = 2_000;

/** A document and its chunks, in its order. */
export interface UnfinishedDocument extends RebuiltDocument {
  readonly chunks: readonly BareChunk[];
}

/** The same as plain data, with metadata as they were before they were sealed. */
export type SentDocument = Omit<UnfinishedDocument, 'reveal'>;

/** Finds words of chunks again, see `rebuildChunks`. */
export interface Rebuilder {
  /** One list for each document, in their order. */
  rebuild(
    documents: readonly UnfinishedDocument[],
    signal: AbortSignal | undefined,
  ): Promise<readonly (readonly RebuiltChunk[])[]>;
  close(): Promise<void>;
}

/** A thread where there is much to do, and this one where there is little, or the runtime says so. */
export function openRebuilder(chunks: number): Rebuilder {
  const isHere = chunks < THREAD_FROM_CHUNKS || runtime().prepare !== undefined;
  return isHere ? rebuildingHere : rebuildingThread();
}

const rebuildingHere: Rebuilder = {
  rebuild: async (documents) => {
    const rebuilt: RebuiltChunk[][] = [];
    for (const { chunks, ...document } of documents) rebuilt.push(await rebuildChunks(chunks, document));
    return rebuilt;
  },
  close: async () => undefined,
};

function rebuildingThread(): Rebuilder {
  const failure = (message: string, cause?: Error): RAGError =>
    new RAGError('INTERNAL', `The thread that makes words of chunks ${message}`, { cause });
  const thread = new ThreadCalls<readonly SentDocument[], readonly RebuiltChunk[][]>({
    start: () => startWorker(new URL('./rebuilding-worker.js', import.meta.url), WITHOUT_SECRETS),
    failed: (message) => failure(`failed: ${message}`),
    lost: (cause) => failure('ended unexpectedly.', cause),
  });
  return {
    rebuild: (documents, signal) => thread.call(documents.map(sent), signal),
    close: () => thread.close(new RAGError('ABORTED', 'Nobody waits for these words any more.')),
  };
}

/** Vectors, and what else the words do not depend on, stay here. */
const sent = ({ text, digests, reveal, chunks }: UnfinishedDocument): SentDocument => ({
  text,
  digests,
  chunks: chunks.map(({ id, documentId, content, identifiers, metadata }) => ({
    id,
    documentId,
    content,
    identifiers,
    metadata: reveal?.(metadata) ?? metadata,
  })),
});
