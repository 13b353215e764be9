import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RAGError, systemErrorCode } from '../../core/errors.js';

/** Where exports of transformers.js keep their networks. */
export const ONNX_FOLDER = 'onnx';

/** Number formats of a network and the ends of their file names, in order of preference on a CPU. */
const SUFFIXES = {
  q8: '_quantized',
  int8: '_int8',
  uint8: '_uint8',
  fp32: '',
  fp16: '_fp16',
  q4: '_q4',
  q4f16: '_q4f16',
  bnb4: '_bnb4',
} as const;

/** Number format of a network. */
export type ModelDtype = keyof typeof SUFFIXES;

export const MODEL_DTYPES = Object.keys(SUFFIXES) as readonly ModelDtype[];

/** File name of the network in one format. */
export const onnxFileOf = (dtype: ModelDtype): string => `model${SUFFIXES[dtype]}.onnx`;

/** A network in a model's folder. */
export interface OnnxFile {
  readonly dtype: ModelDtype;
  /** Paths inside the model's folder: the network and, where it has them, files of weights beside it. */
  readonly files: readonly string[];
}

/**
 * The wanted network of a folder, or the one that runs best on a CPU.
 * @throws RAGError `MODEL_NOT_FOUND` saying which formats are there.
 */
export async function findOnnxFile(folder: string, wanted?: ModelDtype): Promise<OnnxFile> {
  const names = await listNames(join(folder, ONNX_FOLDER));
  const present = MODEL_DTYPES.filter((dtype) => names.includes(onnxFileOf(dtype)));
  const dtype = wanted === undefined ? present[0] : present.find((candidate) => candidate === wanted);
  if (dtype === undefined) throw networkNotFound(folder, wanted, present);
  const file = onnxFileOf(dtype);
  const files = names.filter((name) => name === file || name.startsWith(`${file}_data`)).sort();
  return { dtype, files: files.map((name) => join(ONNX_FOLDER, name)) };
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw new RAGError('MODEL_INVALID', `The model folder ${folder} cannot be read. Check its permissions.`, {
      cause: error,
    });
  }
}

function networkNotFound(
  folder: string,
  wanted: ModelDtype | undefined,
  present: readonly ModelDtype[],
): RAGError {
  const problem =
    wanted === undefined
      ? `has no ONNX network: ${ONNX_FOLDER}/${onnxFileOf('q8')} or ${ONNX_FOLDER}/${onnxFileOf('fp32')} is expected`
      : `has no network of dtype ${wanted}; there is ${present.join(', ') || 'none'}`;
  return new RAGError('MODEL_NOT_FOUND', `The model folder ${folder} ${problem}.`, { details: { folder } });
}
