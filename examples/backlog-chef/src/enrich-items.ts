import { createHash } from 'node:crypto';
import type { EnrichContextOptions } from 'ragstone/backlog';
import {
  type ContextEnrichment,
  EnrichContextStep,
  type PipelineContext,
  type ScoredPBI,
} from 'ragstone/backlog';

/** What step 4 was before there was an index: nothing found, and somebody to ask. */
const LEGACY: ContextEnrichment = {
  similar_work: [],
  past_decisions: [],
  technical_docs: [],
  risk_flags: [],
  suggestions: ['Ask in the refinement meeting who knows of earlier work.'],
};

/**
 * Step 4 with the switch of section 16.2: `rollout` percent of the items are enriched from the index, the others as before. Which ones is
 * decided by their ids, so that an item is not enriched in one run and left alone in the next.
 */
export class EnrichItems extends EnrichContextStep {
  readonly #rollout: number;

  constructor({ rollout = 100, ...options }: EnrichContextOptions & { readonly rollout?: number }) {
    super(options);
    this.#rollout = rollout;
  }

  override async enrich(item: Parameters<EnrichContextStep['enrich']>[0]): Promise<ContextEnrichment> {
    return percentileOf(item.id ?? item.title) < this.#rollout ? super.enrich(item) : LEGACY;
  }

  /** The index is down, or switched off: the pipeline goes on. */
  protected override enrichWithFallback(_item: ScoredPBI, _context: PipelineContext): ContextEnrichment {
    return LEGACY;
  }
}

/** 0 to 99, the same for the same id. */
const percentileOf = (id: string): number => createHash('sha256').update(id).digest().readUInt32BE() % 100;
