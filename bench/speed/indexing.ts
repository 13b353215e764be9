import { join } from 'node:path';
import { createEngine } from '../../src/engine/create-engine.js';
import type { IndexResult } from '../../src/operations/engine.js';
import { CORPORA, corpusFolder } from '../shared/places.js';
import { median, rounded, spread, timed } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import { type BareStages, runBareStages, sumOfStages } from './bare-stages.js';
import type { SpeedBenchmark, SpeedOptions } from './result.js';

const TARGET = 1.3;
const PAIRS = 3;

interface Pair {
  readonly bare: BareStages;
  readonly bareCpuMs: number;
  readonly engineMs: number;
  readonly engineCpuMs: number;
  readonly stats: IndexResult['stats'];
}

/** Indexing with the built-in model beside the sum of its bare stages, over all four corpora. */
export const indexing: SpeedBenchmark = {
  name: 'indexing',
  run: async (options) => {
    const pairs = await measurePairs(options);
    const ratios = pairs.map(({ bare, engineMs }) => engineMs / sumOfStages(bare));
    const ratio = median(ratios);
    const last = pairs.at(-1);
    return [
      {
        name: 'indexing',
        what: 'first index of four corpora with the built-in model and LanceDB, in one process; floor: sum of read, parse, chunk, embed, insert and full-text build, called directly',
        unit: 's',
        floor: median(pairs.map(({ bare }) => sumOfStages(bare))) / 1000,
        ours: median(pairs.map(({ engineMs }) => engineMs)) / 1000,
        ratio,
        target: `<= ${TARGET}`,
        met: ratio <= TARGET,
        runs: pairs.length,
        noise: `ratio ${spread(ratios)}`,
        details: {
          chunks: last?.bare.chunks,
          chunksPerSecond: rounded(
            (last?.bare.chunks ?? 0) / (median(pairs.map(({ engineMs }) => engineMs)) / 1000),
          ),
          bareStagesMs: last === undefined ? {} : roundedEntries(last.bare),
          engineStagesMs: last?.stats.stages,
          // Of all threads, our analysis of words included on both sides: holds on a busy machine too.
          cpuRatioWithOurAnalysisInFloor: rounded(
            median(pairs.map(({ bareCpuMs, engineCpuMs }) => engineCpuMs / bareCpuMs)),
          ),
          ratioWithOurAnalysisInFloor: rounded(
            median(pairs.map(({ bare, engineMs }) => engineMs / (sumOfStages(bare) + bare.analyze))),
          ),
        },
      },
    ];
  },
};

const roundedEntries = (stages: BareStages): Record<string, number> =>
  Object.fromEntries(Object.entries(stages).map(([name, value]) => [name, Math.round(value)]));

async function measurePairs({ isSmall, say }: SpeedOptions): Promise<Pair[]> {
  const folders = (isSmall ? CORPORA.slice(0, 1) : CORPORA).map(corpusFolder);
  say('indexing: warming up');
  await measurePair([corpusFolder('ise-playbook')]);
  const pairs: Pair[] = [];
  for (let pair = 1; pair <= (isSmall ? 1 : PAIRS); pair++) {
    say(`indexing: pair ${pair}`);
    pairs.push(await measurePair(folders));
  }
  return pairs;
}

function measurePair(folders: readonly string[]): Promise<Pair> {
  return withTemporaryFolder(async (folder) => {
    const floor = await timed(() => runBareStages(folders, join(folder, 'bare')));
    const bare = floor.value;
    const engine = await createEngine({ cwd: folder, overrides: { provider: 'lancedb' } });
    const { ms, cpuMs, value } = await timed(() => engine.index({ paths: folders }));
    await engine.close();
    if (value.stats.vectorsIndexed !== bare.chunks)
      throw new Error(
        `The engine indexed ${value.stats.vectorsIndexed} chunks where the bare stages made ${bare.chunks}.`,
      );
    return { bare, bareCpuMs: floor.cpuMs, engineMs: ms, engineCpuMs: cpuMs, stats: value.stats };
  });
}
