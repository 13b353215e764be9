import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { profileOf, type WordRarity } from '../../core/analysis/query-profile.js';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { sigmoid } from '../../core/logistic.js';
import { parseJson } from '../../core/parse-json.js';
import { readRegularText } from '../../platform/security/regular-file.js';
import type { RerankCandidate, RerankedCandidate, Reranker } from '../reranker.js';
import { extractFeatures, FEATURES } from './features.js';

export interface BuiltinRerankerOptions {
  /** How rare words are in general. */
  readonly rarityOf: WordRarity;
  /** File of parameters. @default those that ship with the package */
  readonly file?: string;
}

const MAX_CANDIDATES = 200;

/**
 * The reranker that needs no download: boosted trees over some thirty features of a query and a passage (words, pairs,
 * nearness, titles, the lanes' scores), about 10 ms for 100 passages. Made by `tools/rerank`.
 * @throws RAGError `MODEL_NOT_FOUND` or `MODEL_INVALID`.
 */
export async function createBuiltinReranker({ rarityOf, file }: BuiltinRerankerOptions): Promise<Reranker> {
  const model = await readRerankerModel(file);
  const ensemble = new TreeEnsemble(model);
  return {
    name: 'builtin',
    maxCandidates: MAX_CANDIDATES,
    concurrency: 'inline',
    // With other trees nothing was fitted.
    scoring: file === undefined ? 'fitted' : 'probability',
    async doRerank(query, candidates, signal) {
      throwIfAborted(signal);
      return score(profileOf(query, rarityOf), candidates, { model, ensemble });
    },
    close: async () => {},
  };
}

const FUSED = FEATURES.indexOf('fused');

function score(
  profile: ReturnType<typeof profileOf>,
  candidates: readonly RerankCandidate[],
  { model, ensemble }: { readonly model: RerankerModel; readonly ensemble: TreeEnsemble },
): RerankedCandidate[] {
  const { values, width } = extractFeatures(profile, candidates);
  const { scale, offset } = model.calibration;
  return candidates.map((_, index) => {
    const start = index * width;
    const raw = ensemble.predict(values, start) + model.fusedWeight * (values[start + FUSED] ?? 0);
    return { index, score: sigmoid(scale * raw + offset) };
  });
}

/** The parameters that ship with the package; the same place seen from `src/` and from `dist/`. */
export const BUILTIN_RERANKER_FILE = fileURLToPath(
  new URL('../../../models/builtin/reranker.json', import.meta.url),
);

const numbers = z.array(z.number());
const treeSchema = z
  .object({
    feature: z.array(
      z
        .number()
        .int()
        .min(0)
        .max(FEATURES.length - 1),
    ),
    threshold: numbers,
    left: z.array(z.number().int()),
    right: z.array(z.number().int()),
    leaf: numbers.min(1),
  })
  .refine(isSoundTree, 'its parts do not fit together');

const modelSchema = z.object({
  version: z.literal(1),
  features: z.array(z.string()),
  /** Score = sum of trees + `fusedWeight` x the fused score: how far the first stage is trusted beyond the trees. */
  fusedWeight: z.number().min(0),
  /** Probability = 1 / (1 + exp(-(scale x score + offset))). */
  calibration: z.object({ scale: z.number().positive(), offset: z.number() }),
  trees: z.array(treeSchema),
});

/** What `models/builtin/reranker.json` holds; `tools/rerank` makes it. */
export type RerankerModel = z.infer<typeof modelSchema>;

/** Every child is a later split of the same tree or one of its leaves, so that each walk ends. */
function isSoundTree({ feature, threshold, left, right, leaf }: TreeParameters): boolean {
  const splits = feature.length;
  if ([threshold, left, right].some((part) => part.length !== splits)) return false;
  if (leaf.length !== splits + 1) return false;
  const isSoundChild = (child: number, parent: number): boolean =>
    child < 0 ? -1 - child < leaf.length : child > parent && child < splits;
  return left.every(isSoundChild) && right.every(isSoundChild);
}

/**
 * Reads the parameters of the built-in reranker.
 * @throws RAGError `MODEL_NOT_FOUND` or `MODEL_INVALID`.
 */
export async function readRerankerModel(file: string = BUILTIN_RERANKER_FILE): Promise<RerankerModel> {
  const text = await readRegularText(file).catch((error: unknown) => {
    throw new RAGError(
      'MODEL_NOT_FOUND',
      `The reranker's parameters ${file} cannot be read. Install the package again.`,
      {
        cause: error,
        details: { file },
      },
    );
  });
  const model = modelSchema.safeParse(parseJson(text));
  if (!model.success) throw invalid(file, z.prettifyError(model.error));
  if (model.data.features.join() !== FEATURES.join())
    throw invalid(file, 'they were made for other features than this version computes');
  return model.data;
}

const invalid = (file: string, problem: string): RAGError =>
  new RAGError(
    'MODEL_INVALID',
    `The reranker's parameters ${file} cannot be used: ${problem}. Install the package again, or train it again (tools/rerank).`,
    { details: { file } },
  );

/** Boosted regression trees as plain lists, one entry a split or a leaf. */
interface TreeEnsembleParameters {
  readonly trees: readonly TreeParameters[];
}

interface TreeParameters {
  /** Column that a split looks at. */
  readonly feature: readonly number[];
  /** Values up to and including this go left. Exactly representable in 32 bits. */
  readonly threshold: readonly number[];
  /** Position of the next split; a leaf `l` is written as `-1 - l`. */
  readonly left: readonly number[];
  readonly right: readonly number[];
  readonly leaf: readonly number[];
}

/** Sums of boosted trees (Friedman 2001) over rows of 32-bit features, as LightGBM computes them without missing values. */
export class TreeEnsemble {
  readonly #features: Int32Array;
  readonly #thresholds: Float32Array;
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  readonly #leaves: Float64Array;
  /** First entry of each tree: a split, or `-1 - leaf`. */
  readonly #roots: Int32Array;

  /** The parameters must be sound: `readRerankerModel` checks them. */
  constructor({ trees }: TreeEnsembleParameters) {
    const splits = trees.reduce((sum, { feature }) => sum + feature.length, 0);
    this.#features = new Int32Array(splits);
    this.#thresholds = new Float32Array(splits);
    this.#left = new Int32Array(splits);
    this.#right = new Int32Array(splits);
    this.#leaves = Float64Array.from(trees.flatMap(({ leaf }) => leaf));
    this.#roots = new Int32Array(trees.length);
    let firstSplit = 0;
    let firstLeaf = 0;
    trees.forEach((tree, t) => {
      const place = (child: number): number => (child < 0 ? child - firstLeaf : child + firstSplit);
      this.#roots[t] = tree.feature.length === 0 ? -1 - firstLeaf : firstSplit;
      this.#features.set(tree.feature, firstSplit);
      this.#thresholds.set(tree.threshold, firstSplit);
      this.#left.set(tree.left.map(place), firstSplit);
      this.#right.set(tree.right.map(place), firstSplit);
      firstSplit += tree.feature.length;
      firstLeaf += tree.leaf.length;
    });
  }

  /** Sum of the leaves that a row falls into. */
  predict(values: Float32Array, start: number): number {
    let sum = 0;
    for (const root of this.#roots) {
      let node = root;
      while (node >= 0) {
        const isLeft = (values[start + (this.#features[node] ?? 0)] ?? 0) <= (this.#thresholds[node] ?? 0);
        node = (isLeft ? this.#left[node] : this.#right[node]) ?? -1;
      }
      sum += this.#leaves[-1 - node] ?? 0;
    }
    return sum;
  }
}
