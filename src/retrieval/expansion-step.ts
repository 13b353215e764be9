import type { FoundCandidate } from './candidate.js';
import type { LaneInput } from './lanes/lane.js';
import { chunkReader } from './read-chunks.js';
import type { RetrievalMode } from './retriever.js';
import type { RetrieverOptions } from './retriever-options.js';
import { createExpanders } from './understanding/create-expanders.js';
import { type ExpansionOutcome, expandQuery } from './understanding/expand-query.js';
import type { ExpansionContext, ProcessedQuery } from './understanding/query-expander.js';

export interface ExpansionStepInput {
  readonly query: ProcessedQuery;
  /** What the query itself found, best first. */
  readonly fused: readonly FoundCandidate[];
  readonly lane: LaneInput;
  readonly mode: RetrievalMode;
}

/** Looks for what the configured expanders add to the query. */
export function expansionStep(
  options: RetrieverOptions,
  { query, fused, lane, mode }: ExpansionStepInput,
): Promise<ExpansionOutcome> {
  const { settings, loadChatModel = async () => undefined } = options;
  return expandQuery({
    query,
    expanders: createExpanders(settings.expansion.kinds, loadChatModel),
    settings: settings.expansion,
    context: contextOf(options, fused),
    lane,
    mode,
  });
}

function contextOf(
  { collection, embedQuery, embedPassage = embedQuery }: RetrieverOptions,
  fused: readonly FoundCandidate[],
): ExpansionContext {
  return {
    embedQuery,
    embedPassage,
    leading: async (count, { includeVectors } = { includeVectors: false }) => {
      const read = chunkReader(collection, { includeVectors, signal: undefined });
      return (await read(fused.slice(0, count).map(({ chunk: { id } }) => ({ chunk: { id } })))).map(
        ({ chunk }) => chunk,
      );
    },
  };
}
