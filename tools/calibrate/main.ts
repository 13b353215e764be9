/**
 * Fits the calibration of scores on train data and measures it on collections that the fit did not see.
 *
 *   npx tsx tools/calibrate/main.ts --data ../shared/data --minilm ../shared/models/all-MiniLM-L6-v2 --cache DIR
 *
 * Writes `src/retrieval/calibration-parameters.ts`, `docs/research/calibration.md` and `docs/research/images/calibration-*.svg`; format with
 * `npx biome check --write src/retrieval` afterwards. Both models are needed, for the parameters of both are written.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readBeir } from '../../bench/shared/data-files.js';
import type { Embedder } from '../../src/embedding/embedder.js';
import { createStaticEmbedder } from '../../src/embedding/static/static-embedder.js';
import { loadWordRarity } from '../../src/embedding/static/word-rarity.js';
import { createTransformersEmbedder } from '../../src/embedding/transformers/transformers-embedder.js';
import { createBuiltinReranker } from '../../src/reranking/builtin/builtin-reranker.js';
import type { Evidence, ScoreCalibration } from '../../src/retrieval/calibration/calibration.js';
import {
  type CalibrationFeature,
  featuresOf,
  LANE_FEATURES,
  RERANK_FEATURES,
} from '../../src/retrieval/calibration/calibration-features.js';
import type {
  CalibratedStage,
  CalibrationModel,
  StageCalibration,
} from '../../src/retrieval/calibration/calibration-model.js';
import { modelNameOf } from '../../src/retrieval/model-name.js';
import { type JudgedCollection, readJira } from './judged-collection.js';
import { fitLogistic, type Sample } from './logistic-regression.js';
import { type Observation, type ObservedList, observe } from './observe.js';
import { reliabilityOf } from './reliability.js';
import { type Measured, writeResults } from './write-results.js';

const ISSUES_PER_PROJECT = 400;
/** Of those that no training of the embedding model or the reranker sees: there their scores are as good as on new text. */
const TRAIN_PROJECTS = ['mesos', 'bamboo'];
const TEST_PROJECTS = ['springxd', 'moodle'];

const STAGES: readonly CalibratedStage[] = ['fused', 'reranked'];

const FEATURES_OF: Readonly<Record<Evidence, readonly CalibrationFeature[]>> = {
  hybrid: LANE_FEATURES,
  dense: ['cosine', 'coverage', 'fused', 'terms', 'margin', 'crowd'],
  lexical: ['coverage', 'fused', 'identifier', 'terms', 'margin', 'crowd'],
};

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    minilm: { type: 'string', default: '../shared/models/all-MiniLM-L6-v2' },
    cache: { type: 'string', default: '.cache/calibration' },
  },
});

const jira = (projects: readonly string[]) =>
  projects.map((name) =>
    readJira(path.join(options.data, 'fixtures/jira-issues', `${name}.csv`), ISSUES_PER_PROJECT),
  );
const beir = (name: string, split: 'train' | 'test') =>
  readBeir(path.join(options.data, 'retrieval', name), split);

const train = await Promise.all([beir('scifact', 'train'), ...jira(TRAIN_PROJECTS)]);
const unseen = await Promise.all([beir('scifact', 'test'), beir('xquad-en', 'test'), ...jira(TEST_PROJECTS)]);

/** Each collection weighs the same, however many queries it has. */
function samplesOf(observed: readonly (readonly ObservedList[])[]): Sample[] {
  return observed.flatMap((lists) => {
    const count = lists.reduce((sum, { candidates }) => sum + candidates.length, 0);
    return lists.flatMap(({ candidates, isRelevant, context }) =>
      candidates.map((candidate, i) => ({
        features: featuresOf(candidate, context),
        isRelevant: isRelevant[i] ?? false,
        weight: 1 / count,
      })),
    );
  });
}

const observeAll = async (
  collections: readonly JudgedCollection[],
  embedder: Embedder,
  evidence: Evidence,
): Promise<Observation[][]> => {
  const observed: Observation[][] = [];
  for (const collection of collections)
    observed.push(await observe(collection, { embedder, evidence, cacheDir: options.cache, reranker }));
  return observed;
};

const measured: Measured[] = [];

const listsOf = (observed: readonly (readonly Observation[])[], stage: CalibratedStage): ObservedList[][] =>
  observed.map((observations) => observations.map((observation) => observation[stage]));

const featuresFor = (evidence: Evidence, stage: CalibratedStage): readonly CalibrationFeature[] =>
  stage === 'fused' ? FEATURES_OF[evidence] : [...FEATURES_OF[evidence], ...RERANK_FEATURES];

type PooledSamples = Record<CalibratedStage, Sample[]>;

async function calibrateModel(
  embedder: Embedder,
  evidence: Evidence,
  pooled: PooledSamples,
): Promise<ScoreCalibration> {
  const trained = await observeAll(train, embedder, evidence);
  const modelAt = (stage: CalibratedStage): CalibrationModel => {
    const samples = samplesOf(listsOf(trained, stage));
    pooled[stage].push(...samples);
    return fitLogistic(samples, featuresFor(evidence, stage));
  };
  const calibration = { fused: modelAt('fused'), reranked: modelAt('reranked') };
  const observed = await observeAll(unseen, embedder, evidence);
  for (const stage of STAGES) {
    const lists = listsOf(observed, stage);
    const entry = {
      model: modelNameOf(embedder.identity.model),
      evidence,
      stage,
      collections: new Map(unseen.map(({ name }, i) => [name, reliabilityOf(lists[i] ?? [], calibration)])),
    };
    measured.push(entry);
    for (const [name, { error, firstError }] of entry.collections)
      console.error(entry.model, evidence, stage, name, error.toFixed(3), firstError.toFixed(3));
  }
  return calibration;
}

const builtin = await createStaticEmbedder();
const minilm = await createTransformersEmbedder({ model: options.minilm, threads: 2 });
const embedders: readonly Embedder[] = [builtin, minilm];
const reranker = await createBuiltinReranker({ rarityOf: await loadWordRarity() });

const nothing = (): PooledSamples => ({ fused: [], reranked: [] });
const pooled = { hybrid: nothing(), dense: nothing() };
const fitted: {
  readonly name: string;
  readonly hybrid: ScoreCalibration;
  readonly dense: ScoreCalibration;
}[] = [];
for (const embedder of embedders)
  fitted.push({
    name: modelNameOf(embedder.identity.model),
    hybrid: await calibrateModel(embedder, 'hybrid', pooled.hybrid),
    dense: await calibrateModel(embedder, 'dense', pooled.dense),
  });
const lexical = await calibrateModel(builtin, 'lexical', nothing());

/** For models that were not measured: no cosine, whose scale is each model's own. */
const withoutCosine = (evidence: 'hybrid' | 'dense', stage: CalibratedStage): CalibrationModel =>
  fitLogistic(
    pooled[evidence][stage],
    featuresFor(evidence, stage).filter((feature) => feature !== 'cosine'),
  );

const parametersOf = (stage: CalibratedStage): StageCalibration => ({
  models: Object.fromEntries(
    fitted.map(({ name, hybrid, dense }) => [name, { hybrid: hybrid[stage], dense: dense[stage] }]),
  ),
  unknownModel: { hybrid: withoutCosine('hybrid', stage), dense: withoutCosine('dense', stage) },
  lexical: lexical[stage],
});
await writeResults({ fused: parametersOf('fused'), reranked: parametersOf('reranked') }, measured, {
  train: train.map(({ name }) => name),
  unseen: unseen.map(({ name }) => name),
});
await Promise.all(embedders.map((embedder) => embedder.close()));
