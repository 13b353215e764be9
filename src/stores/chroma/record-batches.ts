import type { ChunkRecord } from '../../core/chunk.js';
import { type ChromaRow, encodeRecord } from './record-codec.js';

/** Records in one request at most; smaller requests let the server interleave readers. */
const MAX_RECORDS = 1_000;
/** Characters in one request at most, well under the 40 MB that a server takes unless told otherwise. */
const MAX_CHARACTERS = 8_000_000;

/** The rows of the records in batches that the server takes, encoded one batch at a time. */
export function* batchesOf(records: readonly ChunkRecord[], maxRecords: number): Generator<ChromaRow[]> {
  let batch: ChromaRow[] = [];
  let characters = 0;
  for (const record of records) {
    const size = sizeOf(record);
    if (
      batch.length > 0 &&
      (batch.length >= Math.min(maxRecords, MAX_RECORDS) || characters + size > MAX_CHARACTERS)
    ) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(encodeRecord(record));
    characters += size;
  }
  if (batch.length > 0) yield batch;
}

// Metadata travel twice, as JSON and as keys; a component takes six characters of base64.
const sizeOf = ({ content, metadata, vector }: ChunkRecord): number =>
  content.length + 3 * JSON.stringify(metadata).length + 6 * vector.length + 1_000;
