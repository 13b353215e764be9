/**
 * Learns how much the dense lane counts, by embedding model, and measures on collections that it did not see: fusion against
 * single lanes, fixed weights and rank fusion; expansions of the query; lists that end where scores fall.
 *
 *   npx tsx tools/fusion/main.ts --data ../shared/data --minilm ../shared/models/all-MiniLM-L6-v2 \
 *     --pairs PAIRS --code CODE --cache DIR
 *
 * PAIRS are made by `tools/distill/extract.py`, CODE by `tools/rerank/code_pairs.py`. Run it again whenever the built-in model
 * changes. Writes `src/retrieval/fusion/fusion-parameters.ts` and `docs/research/fusion.md`; about 20 minutes, most of it MiniLM's.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Embedder } from '../../src/embedding/embedder.js';
import { createStaticEmbedder } from '../../src/embedding/static/static-embedder.js';
import { loadWordRarity } from '../../src/embedding/static/word-rarity.js';
import { createTransformersEmbedder } from '../../src/embedding/transformers/transformers-embedder.js';
import { createBuiltinReranker } from '../../src/reranking/builtin/builtin-reranker.js';
import { convexCombination, reciprocalRank } from '../../src/retrieval/fusion/fuse.js';
import type { LearnedLogOdds } from '../../src/retrieval/fusion/fusion-model.js';
import { modelNameOf } from '../../src/retrieval/model-name.js';
import { type FusionCollection, heldOutCollections, trainCollections } from './collections.js';
import { fusionPage, type ModelFigures } from './fusion-page.js';
import { type CollectionLanes, fusedScores, laneResultsOf, rerankedScores } from './lane-results.js';
import { adaptive, curveOf, denseAlone, fixed, learnLogOdds, lexicalAlone, type Weighing } from './learn.js';
import { EXPANSIONS, expandedScores, listsAtFalls } from './measure-expansions.js';
import { openCollection } from './open-collection.js';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    minilm: { type: 'string', default: '../shared/models/all-MiniLM-L6-v2' },
    pairs: { type: 'string', default: 'pairs' },
    code: { type: 'string', default: 'code' },
    cache: { type: 'string', default: '.cache/calibration' },
  },
});

async function lanesOf(
  collections: readonly FusionCollection[],
  embedder: Embedder,
): Promise<CollectionLanes[]> {
  const lanes: CollectionLanes[] = [];
  for (const collection of collections) {
    const opened = await openCollection(collection, { embedder, cacheDir: options.cache });
    lanes.push(await laneResultsOf(opened));
    console.error(modelNameOf(embedder.identity.model), collection.name, opened.queries.length);
  }
  return lanes;
}

/** What follows after the reranker that is on by default, whose trees were trained behind adaptive fusion. */
async function rerankedFigures(
  heldOut: readonly CollectionLanes[],
  learned: LearnedLogOdds,
): Promise<ModelFigures['reranked']> {
  const figures: { name: string; scores: Record<string, number[]> }[] = [];
  for (const lanes of heldOut)
    figures.push({
      name: lanes.name,
      scores: {
        fixed: await rerankedScores(lanes, (query) => fixed(query, learned.fixed), reranker),
        adaptive: await rerankedScores(lanes, (query) => adaptive(query, learned.adaptive), reranker),
      },
    });
  return figures;
}

function fusionFigures(heldOut: readonly CollectionLanes[], learned: Learned): ModelFigures['fusion'] {
  const ways = {
    dense: (lanes: CollectionLanes) => fusedScores(lanes, denseAlone, convexCombination),
    lexical: (lanes: CollectionLanes) => fusedScores(lanes, lexicalAlone, convexCombination),
    'rank fusion': (lanes: CollectionLanes) =>
      fusedScores(lanes, (query) => fixed(query, learned.fixed), reciprocalRank(60)),
    fixed: (lanes: CollectionLanes) =>
      fusedScores(lanes, (query) => fixed(query, learned.fixed), convexCombination),
    adaptive: (lanes: CollectionLanes) =>
      fusedScores(lanes, (query) => adaptive(query, learned.adaptive), convexCombination),
    'adaptive, unknown model': (lanes: CollectionLanes) =>
      fusedScores(lanes, (query) => adaptive(query, learned.unknown), convexCombination),
  };
  return heldOut.map((lanes) => ({
    name: lanes.name,
    scores: Object.fromEntries(Object.entries(ways).map(([way, scoresOf]) => [way, scoresOf(lanes)])),
  }));
}

interface Learned extends LearnedLogOdds {
  /** Adaptive, for a model that was not measured. */
  readonly unknown: number;
}

async function expansionFigures(
  collections: readonly FusionCollection[],
  embedder: Embedder,
): Promise<Pick<ModelFigures, 'expansion' | 'lists'>> {
  const modelKey = embedder.identity.model;
  const expansion: { name: string; scores: Record<string, number[]> }[] = [];
  const lists: ModelFigures['lists'][number][] = [];
  for (const collection of collections) {
    const opened = await openCollection(collection, { embedder, cacheDir: options.cache });
    const scores: Record<string, number[]> = {};
    for (const kinds of EXPANSIONS)
      scores[kinds.join(' + ') || 'none'] = await expandedScores(opened, { kinds, modelKey });
    expansion.push({ name: collection.name, scores });
    lists.push({ name: collection.name, byShare: await listsAtFalls(opened, modelKey) });
    await opened.store.close();
  }
  return { expansion, lists };
}

const train = await trainCollections(options);
const heldOut = await heldOutCollections(options);
const embedders: readonly Embedder[] = [
  await createStaticEmbedder(),
  await createTransformersEmbedder({ model: options.minilm, threads: 2 }),
];
const trainLanes = new Map<Embedder, CollectionLanes[]>();
for (const embedder of embedders) trainLanes.set(embedder, await lanesOf(train, embedder));
const learn = (lanes: readonly CollectionLanes[], weighing: Weighing): number =>
  learnLogOdds(lanes.map((collection) => curveOf(collection, weighing)));
const allLanes = [...trainLanes.values()].flat();
const unknown = { fixed: learn(allLanes, fixed), adaptive: learn(allLanes, adaptive) };
const reranker = await createBuiltinReranker({ rarityOf: await loadWordRarity() });
const models: Record<string, LearnedLogOdds> = {};
const figures: ModelFigures[] = [];
for (const embedder of embedders) {
  const name = modelNameOf(embedder.identity.model);
  const lanes = trainLanes.get(embedder) ?? [];
  const learned = { fixed: learn(lanes, fixed), adaptive: learn(lanes, adaptive) };
  models[name] = learned;
  const held = await lanesOf(heldOut, embedder);
  figures.push({
    name,
    learned,
    fusion: fusionFigures(held, { ...learned, unknown: unknown.adaptive }),
    reranked: await rerankedFigures(held, learned),
    ...(await expansionFigures(heldOut, embedder)),
  });
  await embedder.close();
}

await writeFile(
  'src/retrieval/fusion/fusion-parameters.ts',
  `// Generated by tools/fusion/main.ts; change the tool, not this file. Learned on ${train.map(({ name }) => name).join(', ')}.
import type { FusionParameters } from './fusion-model.js';

export const FUSION_PARAMETERS: FusionParameters = ${JSON.stringify({ models, unknownModel: unknown }, undefined, 2)};
`,
);
await writeFile(
  'docs/research/fusion.md',
  fusionPage(
    figures,
    train.map(({ name }) => name),
  ),
);
