import { type CreateEngineOptions, type Models, openModels } from '../../index.js';

/** Section 2.2: texts to vectors. */
export interface IEmbeddingService {
  encodeDocuments(texts: readonly string[]): Promise<Float32Array[]>;
  encodeQuery(text: string): Promise<Float32Array>;
  getDimensions(): number;
  getModelName(): string;
}

/** The embedding model of a configuration (`rag.embedding`), without an index. Vectors have unit length. */
export class EmbeddingService implements IEmbeddingService {
  readonly #models: Models;
  readonly #model: string;
  readonly #dimensions: number;

  private constructor(models: Models, { model, dimensions }: { model: string; dimensions: number }) {
    this.#models = models;
    this.#model = model;
    this.#dimensions = dimensions;
  }

  /** Loads the model. Throws what a configuration is refused for, and what the model cannot be loaded for. */
  static async initialize(options: CreateEngineOptions = {}): Promise<EmbeddingService> {
    const models = await openModels(options);
    try {
      return new EmbeddingService(models, await models.embed({ texts: [''] }));
    } catch (error) {
      await models.close();
      throw error;
    }
  }

  /** One vector a text, in order. */
  async encodeDocuments(texts: readonly string[]): Promise<Float32Array[]> {
    return [...(await this.#models.embed({ texts })).vectors];
  }

  /** Models that tell questions from documents are told that this is a question. */
  async encodeQuery(text: string): Promise<Float32Array> {
    const { vectors } = await this.#models.embed({ texts: [text], kind: 'query' });
    return vectors[0] ?? new Float32Array(this.#dimensions);
  }

  getDimensions(): number {
    return this.#dimensions;
  }

  getModelName(): string {
    return this.#model;
  }

  close(): Promise<void> {
    return this.#models.close();
  }
}
