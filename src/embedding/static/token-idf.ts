import { endianness } from 'node:os';
import { IDF_FILE, invalidModel, readModelFile } from './model-folder.js';

/**
 * How rare each word piece is in the texts that a static model was made from.
 * @throws RAGError `MODEL_NOT_FOUND` or `MODEL_INVALID`.
 */
export async function readTokenIdf(folder: string, vocabularySize: number): Promise<Float32Array> {
  const bytes = await readModelFile(folder, IDF_FILE);
  if (endianness() === 'BE') bytes.swap32();
  const idf = new Float32Array(new Uint8Array(bytes).buffer);
  if (idf.length !== vocabularySize || !idf.every(Number.isFinite))
    throw invalidModel(folder, `${IDF_FILE} does not hold one finite number a word piece`);
  return idf;
}
