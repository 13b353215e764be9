import type { RagstoneClient } from 'ragstone/client';
import { type CorpusDocument, textOf } from './corpus/corpus.js';

/** What became of documents. */
export interface Ingested {
  readonly indexed: number;
  readonly failures: readonly string[];
}

/** The document's pipeline, from the side of the caller. Chunking, embedding and storing are the service's. */
export async function ingestDocuments(
  documents: readonly CorpusDocument[],
  client: Pick<RagstoneClient, 'indexDocuments'>,
): Promise<Ingested> {
  const { results, indexed } = await client.indexDocuments({
    documents: documents.map((document) => {
      const { documentId, documentName, documentType, tags } = document;
      return { documentId, documentName, documentType, tags: [...tags], content: textOf(document) };
    }),
  });
  const failures = results.flatMap(({ id, error }) => (error ? [`${id}: ${error.message}`] : []));
  return { indexed, failures };
}
