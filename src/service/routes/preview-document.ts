import { type EngineView, type PushedDocument, RAGError } from '../../index.js';

/** What indexing a document would do. */
export interface DocumentPreview {
  /** Why it cannot be indexed. */
  readonly error?: RAGError | undefined;
  readonly unchanged: boolean;
  readonly notices: readonly string[];
  readonly redactions?: Readonly<Record<string, number>> | undefined;
}

/** Reads a document as indexing it would, and writes nothing: one that cannot be read leaves no trace in the index. */
export async function previewDocument(
  document: PushedDocument,
  { view, signal }: { readonly view: EngineView; readonly signal: AbortSignal },
): Promise<DocumentPreview> {
  try {
    const { stats, notices } = await view.index({
      documents: [document],
      signal,
      options: { dryRun: true },
    });
    const [failure] = stats.errors;
    const [redactions] = Object.values(stats.redactions ?? {});
    const prefix = `${document.id}: `;
    return {
      error: failure && new RAGError(failure.reason, failure.message),
      unchanged: stats.documentsUnchanged > 0,
      // Others are of the index, and for whoever keeps it.
      notices: notices.flatMap((notice) => (notice.startsWith(prefix) ? notice.slice(prefix.length) : [])),
      redactions,
    };
  } catch (error) {
    if (!RAGError.isInstance(error) || !OF_THE_DOCUMENT.has(error.reason)) throw error;
    return { error, unchanged: false, notices: [] };
  }
}

/** Reasons for which a run refuses a document before it is read. */
const OF_THE_DOCUMENT: ReadonlySet<string> = new Set([
  'DOCUMENT_DUPLICATE_ID',
  'DOCUMENT_INVALID',
  'DOCUMENT_TOO_LARGE',
]);
