import { type ContextEnrichment, EnrichContextStep } from 'ragstone/backlog';

/** What step 4 was before there was an index: nothing found, and somebody to ask. */
const LEGACY: ContextEnrichment = {
  similar_work: [],
  past_decisions: [],
  technical_docs: [],
  risk_flags: [],
  suggestions: ['Ask in the refinement meeting who knows of earlier work.'],
};

/** Step 4, and what it was before: for items that are not rolled out yet, and where the index is down or switched off. */
export class EnrichItems extends EnrichContextStep {
  protected override enrichWithFallback(): ContextEnrichment {
    return LEGACY;
  }
}
