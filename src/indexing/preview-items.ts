import { cacheKeyer } from '../embedding/embedding-cache.js';
import type { ItemRead } from './read-item.js';
import type { SourceTask } from './source-task.js';

/** What a dry run does with items in place of writing them: counts what would be written, and what that would cost. */
export async function previewItems(reads: readonly ItemRead[], task: SourceTask): Promise<void> {
  await estimateEmbedding(reads, task);
  countPreview(reads, task);
  for (const { documents } of reads) for (const { batches } of documents) await batches.return?.();
}

/** What a hosted model will be asked to embed: texts of chunks that are neither indexed nor cached. */
async function estimateEmbedding(reads: readonly ItemRead[], task: SourceTask): Promise<void> {
  const { embedder, embedding, ledger } = task.targets;
  if (embedder.estimate === undefined) return;
  const texts = new Set<string>();
  for (const { documents } of reads) {
    for (const { documentId, batches } of documents) {
      const indexed = new Set((await ledger.chunks(documentId)).map(({ chunkId }) => chunkId));
      for await (const chunks of batches)
        for (const { record, indexedText } of chunks) if (!indexed.has(record.id)) texts.add(indexedText);
    }
  }
  const unique = [...texts];
  const keyOf = cacheKeyer(embedder.identity, 'document', embedding.owner);
  const cached = (await embedding.cache?.getMany(unique.map(keyOf), embedder.dimensions)) ?? [];
  const missing = unique.filter((_, index) => cached[index] === undefined);
  task.run.addEmbedding(await embedder.estimate(missing));
}

function countPreview(reads: readonly ItemRead[], { run }: SourceTask): void {
  for (const { item, documents, gone } of reads) {
    const tally = run.of(item.id);
    tally.documentsProcessed += documents.length;
    tally.documentsDeleted += gone.length;
    tally.chunksCreated += documents.reduce((sum, { sketches }) => sum + sketches.length, 0);
    run.itemDone(item.bytes ?? 1);
  }
}
