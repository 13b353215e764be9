import { type EngineView, type IndexError, type PushedDocument, RAGError } from '../../../index.js';

/** How long a push waits for another writer, such as `ragstone index` beside the service, in milliseconds. */
const WRITER_WAIT_MS = 60_000;

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
  const error = await push(document, pushing);
  if (error !== undefined) throw error;
}

/** Pushes documents, each for itself: the engine writes them together, and what one is refused for is no matter of the others. */
export async function pushAll(
  documents: readonly PushedDocument[],
  pushing: Pushing,
): Promise<PushOutcome[]> {
  const outcomes = await Promise.allSettled(documents.map((document) => tryOne(document, pushing)));
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

async function tryOne(document: PushedDocument, pushing: Pushing): Promise<PushOutcome> {
  const { id } = document;
  try {
    const error = await push(document, pushing);
    return error === undefined ? { id } : { id, error };
  } catch (error) {
    if (!RAGError.isInstance(error) || error.category !== 'user' || error.reason === 'ABORTED') throw error;
    return { id, error };
  }
}

/** What the document failed for. Throws what the push was refused for. */
async function push(document: PushedDocument, { view, signal }: Pushing): Promise<RAGError | undefined> {
  const request = { documents: [document], signal, options: { waitMs: WRITER_WAIT_MS } };
  const [error] = (await view.index(request)).stats.errors;
  return error && toError(error);
}

const toError = ({ reason, message }: IndexError): RAGError => new RAGError(reason, message);
