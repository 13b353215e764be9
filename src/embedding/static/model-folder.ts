import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import { parseJson } from '../../core/parse-json.js';
import { readRegularFile } from '../../platform/security/regular-file.js';

/** The model that ships with the package; the same place seen from `src/` and from `dist/`. */
export const BUILTIN_MODEL_FOLDER = fileURLToPath(new URL('../../../models/builtin', import.meta.url));

const MODEL_CARD = 'model.json';
export const VOCABULARY_FILE = 'vocab.txt';
export const VECTORS_FILE = 'vectors.int8';
export const SCALES_FILE = 'scales.f32';
export const IDF_FILE = 'token-idf.f32';

const modelCardSchema = z.object({
  name: z.string().min(1),
  version: z.number().int().positive(),
  dimensions: z.number().int().positive(),
  vocabularySize: z.number().int().positive(),
  pooling: z.literal('weighted-sum-l2'),
  termFrequency: z.enum(['log', 'linear']),
  maxInputTokens: z.number().int().positive(),
  sha256: z.record(z.string(), z.string()),
});

/** What `model.json` of a static model says. */
export type ModelCard = z.infer<typeof modelCardSchema>;

/**
 * Reads and checks the card of a static model and the sizes of its files, without loading them.
 * @throws RAGError `MODEL_NOT_FOUND` without a `model.json`, `MODEL_INVALID` for a bad card or a file of a wrong size.
 */
export async function readModelCard(folder: string): Promise<ModelCard> {
  const text = await readModelFile(folder, MODEL_CARD);
  const card = modelCardSchema.safeParse(parseJson(text.toString('utf8')));
  if (!card.success) {
    throw invalidModel(folder, `${MODEL_CARD} is not a valid model card: ${z.prettifyError(card.error)}`);
  }
  const { vocabularySize, dimensions } = card.data;
  await checkSize(folder, VECTORS_FILE, vocabularySize * dimensions);
  await checkSize(folder, SCALES_FILE, vocabularySize * Float32Array.BYTES_PER_ELEMENT);
  await checkSize(folder, IDF_FILE, vocabularySize * Float32Array.BYTES_PER_ELEMENT);
  return card.data;
}

/** Hash over everything that shapes a vector: the files' hashes and how counts are weighed. */
export function revisionOf(card: ModelCard): string {
  const files = Object.entries(card.sha256).sort(([a], [b]) => (a < b ? -1 : 1));
  return contentHash(JSON.stringify([card.termFrequency, files])).slice(0, 32);
}

/** Lines of `vocab.txt`; line number = id. */
export async function readVocabulary(folder: string): Promise<string[]> {
  const lines = (await readModelFile(folder, VOCABULARY_FILE)).toString('utf8').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/**
 * One file of a model.
 * @throws RAGError `MODEL_NOT_FOUND` where it is missing, `MODEL_INVALID` where it cannot be read.
 */
export async function readModelFile(folder: string, file: string): Promise<Buffer> {
  try {
    return await readRegularFile(join(folder, file));
  } catch (error) {
    throw unreadableFile(folder, file, error);
  }
}

/** The error for a model whose content is wrong. */
export function invalidModel(folder: string, problem: string): RAGError {
  return new RAGError(
    'MODEL_INVALID',
    `The model in ${folder} is damaged: ${problem}. Install the package again, or make the model again.`,
    { details: { folder } },
  );
}

function unreadableFile(folder: string, file: string, cause: unknown): RAGError {
  const isMissing = systemErrorCode(cause) === 'ENOENT';
  const problem = isMissing ? `has no file ${file}` : `has a file ${file} that cannot be read`;
  return new RAGError(
    isMissing ? 'MODEL_NOT_FOUND' : 'MODEL_INVALID',
    `The model in ${folder} ${problem}. Check the path, or install the package again.`,
    { cause, details: { folder, file } },
  );
}

async function checkSize(folder: string, file: string, expected: number): Promise<void> {
  const { size } = await stat(join(folder, file)).catch((error: unknown) => {
    throw unreadableFile(folder, file, error);
  });
  if (size !== expected) {
    throw invalidModel(folder, `${file} has ${size} bytes where ${MODEL_CARD} promises ${expected}`);
  }
}
