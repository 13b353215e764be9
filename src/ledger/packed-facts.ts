import { RAGError } from '../core/errors.js';
import type { CommunitySummary, FactRecord } from '../relations/graph/facts.js';

/** As one column of bytes: the facts of a chunk are read together or not at all. */
export const packRecord = (record: FactRecord | CommunitySummary): Buffer =>
  Buffer.from(JSON.stringify(record), 'utf8');

export const unpackFacts = (bytes: Uint8Array): FactRecord => unpack(bytes) as FactRecord;

export const unpackSummary = (bytes: Uint8Array): CommunitySummary => unpack(bytes) as CommunitySummary;

function unpack(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw new RAGError(
      'INDEX_DAMAGED',
      'The facts of the index cannot be read. Run `ragstone index --force` to build the index anew from its sources.',
      { cause },
    );
  }
}
