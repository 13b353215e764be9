import type { Ledger } from '../ledger/ledger.js';
import type { GenerationSummary } from '../operations/engine.js';

/** All generations, newest first, with how much they hold. */
export async function listGenerations(ledger: Ledger): Promise<GenerationSummary[]> {
  const generations = await ledger.generations();
  return Promise.all(
    generations.map(async ({ generation, state, provider, embedder, startedAt, switchedAt }) => {
      const sources = await ledger.reader(generation).sources();
      const documents = sources.flatMap((source) => Object.values(source.documents));
      const chunks = sources.map((source) => source.chunks);
      return {
        generation,
        state,
        provider,
        embedder,
        documents: sum(documents),
        chunks: sum(chunks),
        startedAt,
        switchedAt,
      };
    }),
  );
}

/** Every tenant of which any generation holds something. */
export async function tenantsOf(ledger: Ledger): Promise<string[]> {
  const held = await Promise.all(
    (await ledger.generations()).map(({ generation }) => ledger.reader(generation).sources()),
  );
  return [...new Set(held.flat().map(({ tenant }) => tenant))];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
