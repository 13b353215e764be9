import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { readRegularText } from '../../platform/security/regular-file.js';
import type { WeighedPlan } from './choose-plan.js';
import { keyOf, type NamedPlan, PLAN_NAMES, type PlanName } from './search-plan.js';

const count = z.int().min(0);

const profileSchema = z.strictObject({
  version: z.literal(1),
  /** When it was measured, ISO-8601 UTC. */
  at: z.string(),
  metric: z.string(),
  questions: count,
  /** Of the index that was asked. */
  chunks: count,
  embedder: z.string(),
  plans: z
    .array(
      z.strictObject({
        name: z.enum(PLAN_NAMES),
        mode: z.enum(['hybrid', 'dense', 'lexical', 'graph']),
        candidates: count,
        reranked: count,
        quality: z.number().min(0).max(1),
        p50Ms: z.number().min(0),
        p95Ms: z.number().min(0),
      }),
    )
    .min(1),
});

/** What each plan is worth over one index, and how long it takes there: made by `ragstone profile`. */
export type SearchProfile = z.infer<typeof profileSchema>;

/**
 * Plans of which nothing was measured here: nDCG@10 of 55 questions over the ISE playbook, 1,615 chunks, and times on two cores, with the built-in
 * models (`ragstone profile --questions`). Times follow the searches that are made.
 */
const USUAL: Readonly<Record<PlanName, Pick<WeighedPlan, 'quality' | 'p95Ms'>>> = {
  whole: { quality: 0.646, p95Ms: 30 },
  'few-reranked': { quality: 0.65, p95Ms: 19 },
  'not-reranked': { quality: 0.638, p95Ms: 17 },
  'few-candidates': { quality: 0.641, p95Ms: 15 },
  words: { quality: 0.593, p95Ms: 10 },
};

/** Plans as they were measured; those that were not, as they usually are. */
export function weighPlans(
  plans: readonly NamedPlan[],
  profile: SearchProfile | undefined,
): { readonly plans: readonly WeighedPlan[]; readonly isMeasured: boolean } {
  const measured = new Map(profile?.plans.map((plan) => [keyOf(plan), plan]));
  const found = plans.flatMap((plan) => {
    const { quality, p95Ms } = measured.get(keyOf(plan)) ?? {};
    return quality === undefined || p95Ms === undefined ? [] : [{ ...plan, quality, p95Ms }];
  });
  if (found.length === plans.length) return { plans: found, isMeasured: true };
  return { plans: plans.map((plan) => ({ ...plan, ...USUAL[plan.name] })), isMeasured: false };
}

/** The profile of a data folder, read again when it changes; undefined where none was made. */
export class ProfileFile {
  readonly #path: string;
  #read: { readonly modifiedMs: number; readonly profile: SearchProfile } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws RAGError `CONFIG_INVALID` where the file is no profile */
  async read(): Promise<SearchProfile | undefined> {
    try {
      const { mtimeMs: modifiedMs } = await stat(this.#path);
      if (this.#read?.modifiedMs === modifiedMs) return this.#read.profile;
      const profile = parseProfile(await readRegularText(this.#path), this.#path);
      this.#read = { modifiedMs, profile };
      return profile;
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** A reader sees the profile before or this one. */
  async write(profile: SearchProfile): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    const draft = `${this.#path}.new`;
    await writeFile(draft, `${JSON.stringify(profile, undefined, 2)}\n`, { mode: 0o600 });
    await rename(draft, this.#path);
  }
}

function parseProfile(text: string, path: string): SearchProfile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  const parsed = profileSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new RAGError(
    'CONFIG_INVALID',
    `${path} is no profile of searches. Run \`ragstone profile\` again, or delete the file.`,
    { details: { path } },
  );
}
