import { endianness } from 'node:os';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { messageOf } from '../../../core/errors.js';
import { contentHash } from '../../../core/ids.js';
import { sharedLoad } from '../../../core/shared-load.js';
import {
  type EncoderLayer,
  isProjectable,
  type Matrix,
  type Normalisation,
} from '../../encoder/kernel/encoder-layers.js';
import { invalidModel, readModelFile } from '../model-folder.js';

/** The encoder that ships with the package; the same place seen from `src/` and from `dist/`. */
export const READER_FOLDER = fileURLToPath(new URL('../../../../models/reader', import.meta.url));

const CARD_FILE = 'reader.json';
const WEIGHTS_FILE = 'weights.bin';

const cardSchema = z.object({
  name: z.string().min(1),
  version: z.number().int().positive(),
  tableDeviation: z.number().positive(),
  tableWidth: z.number().int().positive(),
  width: z.number().int().positive(),
  layers: z.number().int().positive(),
  heads: z.number().int().positive(),
  inner: z.number().int().positive(),
  dimensions: z.number().int().positive(),
  positions: z.number().int().positive(),
  epsilon: z.number().positive(),
  sha256: z.string(),
  tensors: z.array(
    z.object({
      name: z.string(),
      dimensions: z.array(z.number().int().positive()),
      offset: z.number().int().nonnegative(),
      scales: z.number().int().nonnegative().optional(),
    }),
  ),
});

type Card = z.infer<typeof cardSchema>;

/** What the files of an encoder hold (`tools/reader/export.py` writes them). */
export interface EncoderModel
  extends Pick<
    Card,
    | 'name'
    | 'version'
    | 'tableDeviation'
    | 'tableWidth'
    | 'width'
    | 'heads'
    | 'inner'
    | 'dimensions'
    | 'epsilon'
  > {
  /** Most tokens of a text. */
  readonly maxTokens: number;
  readonly weights: Uint8Array;
  /** Where the vectors of the positions stand among the weights, in bytes. */
  readonly positions: number;
  readonly enter: Matrix;
  readonly norm: Normalisation;
  readonly layers: readonly EncoderLayer[];
  readonly leave: Matrix;
  readonly skip: Matrix;
}

/**
 * What tells vectors of one version of the reader from those of another, and how long they are.
 * @throws RAGError `MODEL_NOT_FOUND` or `MODEL_INVALID`
 */
export async function readerIdentity(): Promise<{
  readonly fingerprint: string;
  readonly dimensions: number;
}> {
  const { name, version, sha256, dimensions } = await sharedLoad(cards, READER_FOLDER, () =>
    readCard(READER_FOLDER),
  );
  return { fingerprint: `${name} ${version} ${sha256}`, dimensions };
}

const cards = new Map<string, Promise<Card>>();

/** @throws RAGError `MODEL_NOT_FOUND` or `MODEL_INVALID` */
export async function readEncoderModel(folder: string = READER_FOLDER): Promise<EncoderModel> {
  const card = await readCard(folder);
  const weights = await readModelFile(folder, WEIGHTS_FILE);
  if (contentHash(weights) !== card.sha256)
    throw invalidModel(folder, `${WEIGHTS_FILE} is not the file that ${CARD_FILE} names`);
  // The kernel reads numbers as the processor of almost every machine writes them.
  if (endianness() === 'BE') throw invalidModel(folder, 'this machine is big-endian');
  const { matrix, normalisation, offset } = tensorsOf(folder, card);
  return {
    ...card,
    maxTokens: card.positions,
    weights,
    positions: offset('positions'),
    enter: matrix('enter'),
    norm: normalisation('norm'),
    layers: Array.from({ length: card.layers }, (_, at) => ({
      qkv: matrix(`layers.${at}.qkv`),
      out: matrix(`layers.${at}.out`),
      norm: normalisation(`layers.${at}.norm`),
      up: matrix(`layers.${at}.up`),
      down: matrix(`layers.${at}.down`),
      lastNorm: normalisation(`layers.${at}.last_norm`),
    })),
    leave: matrix('leave'),
    skip: matrix('skip'),
  };
}

async function readCard(folder: string): Promise<Card> {
  const bytes = await readModelFile(folder, CARD_FILE);
  try {
    return cardSchema.parse(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw invalidModel(folder, `${CARD_FILE} cannot be read (${messageOf(error)})`);
  }
}

function tensorsOf(folder: string, { tensors }: Card) {
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const tensor = (name: string) => {
    const found = byName.get(name);
    if (found === undefined) throw invalidModel(folder, `${CARD_FILE} names no ${name}`);
    return found;
  };
  const offset = (name: string): number => tensor(name).offset;
  const matrix = (name: string): Matrix => {
    const { dimensions, offset: rows, scales } = tensor(`${name}.weight`);
    const [outputs, width] = dimensions;
    if (
      outputs === undefined ||
      width === undefined ||
      scales === undefined ||
      !isProjectable(outputs, width)
    )
      throw invalidModel(folder, `${name} is no matrix of 8-bit integers of a shape that the kernel takes`);
    return { outputs, width, rows, scales, bias: byName.get(`${name}.bias`)?.offset };
  };
  const normalisation = (name: string): Normalisation => ({
    weight: offset(`${name}.weight`),
    bias: offset(`${name}.bias`),
  });
  return { offset, matrix, normalisation };
}
