import { createHash } from 'node:crypto';
import { RAGError } from '../../core/errors.js';

/** `rag.rollout`, with its defaults filled. */
export interface RolloutSettings {
  /** False: the new way is taken for nothing. */
  readonly rag_enrichment: boolean;
  /** Percent of the items that the new way is taken for, 0 to 100. */
  readonly rolloutPercentage: number;
  /** Items of the percentage are done both ways, and answered the old way. */
  readonly shadow: boolean;
}

/** @throws RAGError `CONFIG_INVALID` for a percentage that is none, as the configuration refuses it */
export function assertRolloutSettings({ rolloutPercentage }: RolloutSettings): void {
  if (rolloutPercentage >= 0 && rolloutPercentage <= 100) return;
  throw new RAGError(
    'CONFIG_INVALID',
    `\`rolloutPercentage\` must be a number from 0 to 100, and is ${String(rolloutPercentage)}.`,
    { details: { key: 'rag.rollout.rolloutPercentage' } },
  );
}

/** What is on one side or the other. */
export interface RolloutItem {
  readonly tenant: string;
  /** What names it among the items of the tenant. */
  readonly id: string;
}

/** Why an item is done the old way before anything was tried: the flag is off, it is not of the percentage, it is only compared. */
export type RolloutExclusion = 'flag' | 'percentage' | 'shadow';

/** `rag` is the new way, `legacy` the old one. */
export type RolloutDecision =
  | { readonly side: 'rag' }
  | { readonly side: 'legacy'; readonly reason: RolloutExclusion };

/** Which side an item is on. Nothing but settings, tenant and id count: so it is the same in every process, on every day. */
export function rolloutSide(settings: RolloutSettings, item: RolloutItem): RolloutDecision {
  if (!settings.rag_enrichment) return { side: 'legacy', reason: 'flag' };
  if (rolloutPosition(item) >= settings.rolloutPercentage) return { side: 'legacy', reason: 'percentage' };
  return settings.shadow ? { side: 'legacy', reason: 'shadow' } : { side: 'rag' };
}

const BYTES = 6;

/** Where an item stands between 0 and 100, 100 itself left out: it is rolled out from a higher percentage on. */
export function rolloutPosition({ tenant, id }: RolloutItem): number {
  // The name of the flag is part of it, so that another flag would not choose the same items first.
  const digest = createHash('sha256')
    .update(JSON.stringify(['rag_enrichment', tenant, id]))
    .digest();
  return (digest.readUIntBE(0, BYTES) / 256 ** BYTES) * 100;
}
