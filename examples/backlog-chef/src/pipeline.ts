import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from 'ragstone';
import type { EnrichedPBI } from 'ragstone/backlog';
import { EnrichItems } from './enrich-items.js';
import type { Issue } from './issues.js';
import { runName, scoredPbi, writeStep } from './runs.js';

/** What a run of the pipeline works with. */
export interface PipelineOptions {
  readonly engine: Pick<Engine, 'search' | 'rollout'>;
  /** Folder of the runs. */
  readonly output: string;
}

/** A run over issues that are new: scores them (step 3), enriches them (step 4), and writes the run's files. */
export async function runPipeline(
  issues: readonly Issue[],
  { engine, output }: PipelineOptions,
): Promise<readonly EnrichedPBI[]> {
  const step = new EnrichItems({ engine });
  const context = await step.executeStep({ scoredPBIs: { scored_pbis: issues.map(scoredPbi) } });
  const { enriched_pbis } = context.enrichedPBIs;
  const run = join(output, nextRun(output));
  writeStep(run, 'step-3-score-confidence.json', context.scoredPBIs);
  writeStep(run, 'step-4-enrich-context.json', context.enrichedPBIs);
  writeStep(run, 'final-output.json', { pbis: enriched_pbis.map(({ pbi }) => pbi) });
  return enriched_pbis;
}

function nextRun(output: string): string {
  for (let number = 1; ; number++) if (!existsSync(join(output, runName(number)))) return runName(number);
}
