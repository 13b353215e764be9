import type { ChunkContextualiser } from '../chunking/contextual/chunk-contextualiser.js';
import type { Embedder, EmbeddingUsage } from '../embedding/embedder.js';
import type { IndexRun } from './index-run.js';

/** What of a run may be a service that is paid. */
export interface HostedModels {
  readonly embedder: Embedder;
  /** Absent where contexts are off. */
  readonly contextualiser?: ChunkContextualiser | undefined;
}

/** What hosted models have used until now. */
export interface Spending {
  readonly embedding: EmbeddingUsage | undefined;
  readonly contexts: ChunkContextualiser['usage'] | undefined;
}

export const spendingOf = ({ embedder, contextualiser }: HostedModels): Spending => ({
  embedding: embedder.usage?.(),
  contexts: contextualiser?.usage,
});

/** What hosted models were used for in this run, and whether written contexts are kept. */
export function noticeSpending(models: HostedModels, before: Spending, run: IndexRun): void {
  const { embedder, contextualiser } = models;
  const after = spendingOf(models);
  const tokens = (after.embedding?.tokens ?? 0) - (before.embedding?.tokens ?? 0);
  const cost = (after.embedding?.cost ?? 0) - (before.embedding?.cost ?? 0);
  if (tokens > 0) run.notice(`${embedder.identity.model} embedded ${tokens} tokens${priceOf(cost)}.`);
  const written = (after.contexts?.contexts ?? 0) - (before.contexts?.contexts ?? 0);
  if (contextualiser === undefined || written === 0) return;
  const used = (after.contexts?.tokens ?? 0) - (before.contexts?.tokens ?? 0);
  const paid = (after.contexts?.cost ?? 0) - (before.contexts?.cost ?? 0);
  run.notice(`${contextualiser.model} wrote ${written} contexts with ${used} tokens${priceOf(paid)}.`);
  if (contextualiser.problem !== undefined) run.notice(contextualiser.problem);
}

/** Nothing for what is free, or of no known price. */
const priceOf = (cost: number): string => (cost === 0 ? '' : `, $${cost.toFixed(4)}`);
