import * as z from 'zod';
import type { Generation } from '../../ledger/ledger.js';

const recordSchema = z.object({
  migration: z.object({
    /** Collection of the generation that is copied: no other one has its name. */
    from: z.string(),
    /** Collection of this generation: a later one may take over what else stands here. */
    to: z.string(),
    /** ISO-8601 UTC. */
    startedAt: z.string(),
  }),
});

/** Which generation another one is a copy of. It stands in its facts, beside how its model came to be, and lives and dies with it. */
export type MigrationRecord = z.infer<typeof recordSchema>['migration'];

/** Undefined for a generation that is no copy, and for what nobody can read. */
export function migrationRecordOf({
  upgrade,
  collection,
}: Pick<Generation, 'upgrade' | 'collection'>): MigrationRecord | undefined {
  if (upgrade === undefined) return undefined;
  try {
    const record = recordSchema.safeParse(JSON.parse(upgrade)).data?.migration;
    return record?.to === collection ? record : undefined;
  } catch {
    return undefined;
  }
}

/** `Generation.upgrade` of a copy, with what the generation that it is a copy of says of its model. */
export function withMigration(migration: MigrationRecord, upgrade?: string): string {
  const facts: unknown = upgrade === undefined ? {} : JSON.parse(upgrade);
  return JSON.stringify({ ...(typeof facts === 'object' ? facts : {}), migration });
}
