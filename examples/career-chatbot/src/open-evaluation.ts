import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, SYSTEM_RUNTIME } from 'ragstone';
import { parse } from 'yaml';
import type { ChosenSettings } from './ablation.js';
import { readKnowledge } from './knowledge.js';
import { RagService } from './rag-service.js';
import { openEngine, PLACES } from './settings.js';

/** What is measured: an index of the forty documents in a folder of its own. */
export interface Evaluation {
  readonly engine: Engine;
  readonly settings: ChosenSettings;
  readonly close: () => Promise<void>;
}

/** The questions suppose this day; age counts from it, so that figures are the same next year. */
export const TODAY = '2026-02-10';

export async function openEvaluation(): Promise<Evaluation> {
  const dataDir = await mkdtemp(join(tmpdir(), 'career-'));
  const runtime = { ...SYSTEM_RUNTIME, now: () => Date.parse(TODAY) };
  const engine = await openEngine({ dataDir, runtime });
  await new RagService(engine).ingestTexts(readKnowledge());
  return {
    engine,
    settings: await chosenSettings(),
    close: async () => {
      await engine.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

/** What `ragstone.yaml` states of the second stage. */
async function chosenSettings(): Promise<ChosenSettings> {
  const { rag } = parse(await readFile(PLACES.config, 'utf8')) as {
    readonly rag: {
      readonly retrieval: {
        readonly minSimilarity: number;
        readonly recency: { readonly halfLifeDays: number };
        readonly mmr: { readonly lambda: number };
      };
    };
  };
  const { minSimilarity, recency, mmr } = rag.retrieval;
  return { minSimilarity, halfLifeDays: recency.halfLifeDays, lambda: mmr.lambda };
}
