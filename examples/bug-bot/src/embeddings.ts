import type { Models } from 'ragstone';
import { DIMENSIONS } from './schema.js';

/** Texts as vectors of the table's length. The model is loaded by the first call, and kept. */
export interface Embeddings {
  /** Name that rows are marked with, so that vectors of two models never meet. */
  readonly model: string;
  embedTexts(texts: readonly string[], signal?: AbortSignal): Promise<readonly (readonly number[])[]>;
  embedQuery(query: string, signal?: AbortSignal): Promise<readonly number[]>;
}

export function createEmbeddings(models: Models, embeddingModel: string): Embeddings {
  const embed = async (
    kind: 'document' | 'query',
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ) => {
    if (texts.length === 0) return [];
    const { vectors } = await models.embed({ texts, kind, signal });
    return vectors.map((vector) => padded(vector, embeddingModel));
  };
  return {
    model: modelName(embeddingModel),
    embedTexts: (texts, signal) => embed('document', texts, signal),
    embedQuery: async (query, signal) => (await embed('query', [query], signal))[0] ?? [],
  };
}

/** `all-MiniLM-L6-v2`, whether it was fetched by its full name or read from a folder. */
const modelName = (embeddingModel: string): string => embeddingModel.split(/[:/]/).at(-1) ?? embeddingModel;

/** Zeros change neither a vector's length nor the cosine of two, so a model of fewer dimensions fits the column. */
function padded(vector: Float32Array, embeddingModel: string): number[] {
  if (vector.length > DIMENSIONS)
    throw new Error(
      `${embeddingModel} makes vectors of ${vector.length} dimensions; the table has room for ${DIMENSIONS}. Choose a smaller model.`,
    );
  return [...vector, ...new Array<number>(DIMENSIONS - vector.length).fill(0)];
}
