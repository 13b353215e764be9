import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { parseJson } from '../../core/parse-json.js';
import { readRegularText } from '../../platform/security/regular-file.js';
import { FEATURES } from './features.js';
import type { TreeParameters } from './tree-ensemble.js';

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
