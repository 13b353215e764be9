/**
 * Fits the calibration of scores on train data and measures it on collections that the fit did not see.
 *
 *   npx tsx tools/calibrate/main.ts --data ../shared/data --minilm ../shared/models/all-MiniLM-L6-v2 --cache DIR
 *
 * Writes `src/retrieval/calibration-parameters.ts`, `docs/calibration.md` and `docs/images/calibration-*.svg`; format with
 * `npx biome check --write src/retrieval` afterwards. Both models are needed, for the parameters of both are written.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Embedder } from '../../src/embedding/embedder.js';
import { createStaticEmbedder } from '../../src/embedding/static/static-embedder.js';
import { createTransformersEmbedder } from '../../src/embedding/transformers/transformers-embedder.js';
import type { Evidence } from '../../src/retrieval/calibration.js';
import {
  CALIBRATION_FEATURES,
  type CalibrationFeature,
  featuresOf,
} from '../../src/retrieval/calibration-features.js';
import type { CalibrationModel, ModelCalibration } from '../../src/retrieval/calibration-model.js';
import { modelNameOf } from '../../src/retrieval/model-name.js';
import { type JudgedCollection, readBeir, readJira } from './judged-collection.js';
import { fitLogistic, type Sample } from './logistic-regression.js';
import { type Observation, observe } from './observe.js';
import { reliabilityOf } from './reliability.js';
import { type Measured, writeResults } from './write-results.js';

const ISSUES_PER_PROJECT = 400;
/** All other projects of the data set stay unseen by every training. */
const TRAIN_PROJECTS = ['mesos', 'appceleratorstudio'];
const TEST_PROJECTS = ['springxd', 'moodle'];

const FEATURES_OF: Readonly<Record<Evidence, readonly CalibrationFeature[]>> = {
  hybrid: CALIBRATION_FEATURES,
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
function samplesOf(observed: readonly (readonly Observation[])[]): Sample[] {
  return observed.flatMap((observations) => {
    const count = observations.reduce((sum, { candidates }) => sum + candidates.length, 0);
    return observations.flatMap(({ candidates, isRelevant, context }) =>
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
    observed.push(await observe(collection, { embedder, evidence, cacheDir: options.cache }));
  return observed;
};

const measured: Measured[] = [];

async function calibrateModel(
  embedder: Embedder,
  evidence: Evidence,
  pooled: Sample[],
): Promise<CalibrationModel> {
  const samples = samplesOf(await observeAll(train, embedder, evidence));
  pooled.push(...samples);
  const model = fitLogistic(samples, FEATURES_OF[evidence]);
  const observed = await observeAll(unseen, embedder, evidence);
  measured.push({
    model: modelNameOf(embedder.identity.model),
    evidence,
    collections: new Map(unseen.map(({ name }, i) => [name, reliabilityOf(observed[i] ?? [], model)])),
  });
  return model;
}

const builtin = await createStaticEmbedder();
const minilm = await createTransformersEmbedder({ model: options.minilm, threads: 2 });
const embedders: readonly Embedder[] = [builtin, minilm];

const models: Record<string, ModelCalibration> = {};
const pooled: Record<'hybrid' | 'dense', Sample[]> = { hybrid: [], dense: [] };
for (const embedder of embedders) {
  models[modelNameOf(embedder.identity.model)] = {
    hybrid: await calibrateModel(embedder, 'hybrid', pooled.hybrid),
    dense: await calibrateModel(embedder, 'dense', pooled.dense),
  };
}
const withoutCosine = (evidence: 'hybrid' | 'dense'): CalibrationModel =>
  fitLogistic(
    pooled[evidence],
    FEATURES_OF[evidence].filter((feature) => feature !== 'cosine'),
  );
const lexical = await calibrateModel(builtin, 'lexical', []);
const unknownModel = { hybrid: withoutCosine('hybrid'), dense: withoutCosine('dense') };
await writeResults({ models, unknownModel, lexical }, measured, {
  train: train.map(({ name }) => name),
  unseen: unseen.map(({ name }) => name),
});
await Promise.all(embedders.map((embedder) => embedder.close()));
