import { type EngineView, type IndexError, type PushedDocument, RAGError } from '../../index.js';

/** How long a push waits for another writer, such as `ragstone index` beside the service, in milliseconds. */
const WRITER_WAIT_MS = 60_000;

/** Reasons for which a run refuses all of its documents for one of them. */
const OF_ONE_DOCUMENT: ReadonlySet<string> = new Set(['DOCUMENT_DUPLICATE_ID', 'DOCUMENT_TOO_LARGE']);

/** What became of a document. */
export interface PushOutcome {
  readonly id: string;
  readonly error?: RAGError;
}

interface Pushing {
  readonly view: EngineView;
  readonly signal: AbortSignal;
}

/** Pushes one document, and throws what it failed for. */
export async function pushOne(document: PushedDocument, pushing: Pushing): Promise<void> {
  const [error] = await push([document], pushing);
  if (error !== undefined) throw toError(error);
}

/** Pushes documents together; where that is refused for one of them, one by one. */
export async function pushAll(
  documents: readonly PushedDocument[],
  pushing: Pushing,
): Promise<PushOutcome[]> {
  try {
    const errors = new Map((await push(documents, pushing)).map((error) => [error.item, toError(error)]));
    return documents.map(({ id }) => outcomeOf(id, errors.get(id)));
  } catch (error) {
    if (!RAGError.isInstance(error) || !OF_ONE_DOCUMENT.has(error.reason)) throw error;
    const outcomes: PushOutcome[] = [];
    for (const document of documents) outcomes.push(await tryOne(document, pushing));
    return outcomes;
  }
}

async function tryOne(document: PushedDocument, pushing: Pushing): Promise<PushOutcome> {
  try {
    await pushOne(document, pushing);
    return { id: document.id };
  } catch (error) {
    if (!RAGError.isInstance(error) || error.category !== 'user' || error.reason === 'ABORTED') throw error;
    return { id: document.id, error };
  }
}

async function push(
  documents: readonly PushedDocument[],
  { view, signal }: Pushing,
): Promise<readonly IndexError[]> {
  const { stats } = await view.index({ documents, signal, options: { waitMs: WRITER_WAIT_MS } });
  return stats.errors;
}

const outcomeOf = (id: string, error: RAGError | undefined): PushOutcome =>
  error === undefined ? { id } : { id, error };

const toError = ({ reason, message }: IndexError): RAGError => new RAGError(reason, message);
