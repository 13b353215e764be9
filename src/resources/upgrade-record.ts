import * as z from 'zod';
import type { Generation, Ledger } from '../ledger/ledger.js';
import type { UpgradeComparison } from '../operations/upgrade-types.js';

const metricSchema = z.object({
  metric: z.string(),
  a: z.number(),
  b: z.number(),
  difference: z.number(),
  low: z.number(),
  high: z.number(),
  pValue: z.number(),
  wins: z.number(),
  losses: z.number(),
  ties: z.number(),
});

const comparisonSchema: z.ZodType<UpgradeComparison> = z.object({
  verdict: z.enum(['better', 'no difference found', 'worse']),
  metric: z.string(),
  metrics: z.array(metricSchema),
  questions: z.number(),
  questionsFrom: z.string(),
  at: z.string(),
});

const recordSchema = z.object({
  /** As it was named: a path, an id, a hosted model. */
  model: z.string(),
  /**
   * Fingerprint of the model that the configuration named for the index then. As long as it names that one, runs embed with the model of
   * the generation; where it names another, a person wants something else.
   */
  configured: z.string(),
  /** The generation it is made of. */
  from: z.object({ generation: z.number(), embedder: z.string() }),
  /** Chunks embedded so far, and the milliseconds that took, over all processes that worked on it. */
  embedded: z.number(),
  embeddingMs: z.number(),
  /** Every document was in step once. */
  isComplete: z.boolean(),
  comparison: comparisonSchema.optional(),
});

/** How a generation is made of another one. It lives and dies with the generation. */
export type UpgradeRecord = z.infer<typeof recordSchema>;

/** Undefined for a generation that was made from sources, and for what nobody can read. */
export function upgradeRecordOf({ upgrade }: Pick<Generation, 'upgrade'>): UpgradeRecord | undefined {
  if (upgrade === undefined) return undefined;
  try {
    return recordSchema.safeParse(JSON.parse(upgrade)).data;
  } catch {
    return undefined;
  }
}

export const writeUpgradeRecord = (
  ledger: Pick<Ledger, 'setUpgrade'>,
  generation: number,
  record: UpgradeRecord,
): Promise<void> => ledger.setUpgrade(generation, JSON.stringify(record));

/** The record of a generation as it is kept now; undefined where it has none, or is gone. */
export async function heldUpgradeRecord(
  ledger: Pick<Ledger, 'generations'>,
  generation: number,
): Promise<UpgradeRecord | undefined> {
  const facts = (await ledger.generations()).find((held) => held.generation === generation);
  return facts && upgradeRecordOf(facts);
}

/** Changes the record of a generation; nothing where it has none. */
export async function editUpgradeRecord(
  ledger: Pick<Ledger, 'generations' | 'setUpgrade'>,
  generation: number,
  change: (record: UpgradeRecord) => Partial<UpgradeRecord>,
): Promise<void> {
  const record = await heldUpgradeRecord(ledger, generation);
  if (record !== undefined) await writeUpgradeRecord(ledger, generation, { ...record, ...change(record) });
}
