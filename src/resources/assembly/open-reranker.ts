import type { ResolvedConfig } from '../../config/resolved-config.js';
import { RAGError } from '../../core/errors.js';
import type { Reranker } from '../../reranking/reranker.js';
import { createChatModelFor } from './open-chat-model.js';
import { openVectorCacheFor } from './open-vector-cache.js';
import { borrowed } from './own-parts.js';
import { localModelOptions } from './resolve-model.js';
import { type ResolvedReranker, resolveReranker } from './resolve-reranker.js';

type Openers = {
  readonly [Kind in ResolvedReranker['kind']]: (
    model: Extract<ResolvedReranker, { kind: Kind }>,
    config: ResolvedConfig,
  ) => Promise<Reranker>;
};

async function openBuiltin(): Promise<Reranker> {
  const { createBuiltinReranker } = await import('../../reranking/builtin/builtin-reranker.js');
  const { loadWordRarity } = await import('../../embedding/static/word-rarity.js');
  return createBuiltinReranker({ rarityOf: await loadWordRarity() });
}

/** How a reranker of each kind is opened; its code is loaded then. */
const OPENERS: Openers = {
  builtin: openBuiltin,
  reader: async (_, config) => {
    const { ReaderThreads } = await import('../../embedding/static/reader/reader-threads.js');
    // First, because nothing else takes as long.
    const started = ReaderThreads.start();
    const { createReaderReranker } = await import('../../reranking/reader/reader-reranker.js');
    // Nothing of a text of a customer's own stays here.
    const cache = config.keepsNoText === true ? undefined : await openVectorCacheFor(config);
    const reader = new ReaderThreads(cache);
    const [builtin] = await Promise.all([openBuiltin(), started]);
    const characters = config.waitsForReader === true ? Number.POSITIVE_INFINITY : undefined;
    return createReaderReranker({ builtin, reader, characters });
  },
  hosted: async (model, config) => {
    const { createHostedReranker } = await import('../../reranking/hosted/hosted-reranker.js');
    return createHostedReranker({ ...model, price: config.rag.retrieval.rerank.price });
  },
  llm: async ({ model }, config) => {
    const stated = model === undefined ? undefined : { model, key: 'rag.retrieval.rerank.model' };
    const chatModel = await createChatModelFor(config, stated);
    if (chatModel === undefined) throw new RAGError('INTERNAL', 'A language model was named and not opened.');
    const { createLlmReranker } = await import('../../reranking/llm/llm-reranker.js');
    return createLlmReranker({ chatModel });
  },
  onnx: async (model, config) => {
    const { openBertClassifier } = await import('../../embedding/transformers/bert-classifier.js');
    const { createOnnxReranker } = await import('../../reranking/cross-encoder/onnx-reranker.js');
    const { sha256, deadlineMs } = config.rag.retrieval.rerank;
    const scorer = await openBertClassifier({
      ...localModelOptions(model, config),
      ...(sha256 === undefined ? {} : { sha256 }),
    });
    return createOnnxReranker({ scorer, deadlineMs });
  },
  'cross-encoder': async (model, config) => {
    const { createCrossEncoderReranker } = await import(
      '../../reranking/cross-encoder/cross-encoder-reranker.js'
    );
    const { findModelFolder } = await import('../../embedding/transformers/find-model-folder.js');
    const { batchSize, sha256 } = config.rag.retrieval.rerank;
    const folder = await findModelFolder(model.model, localModelOptions(model, config));
    if (sha256 !== undefined) {
      const { readModelSettings } = await import('../../embedding/transformers/model-settings.js');
      await readModelSettings(folder, { sha256 });
    }
    return createCrossEncoderReranker({ model: folder, batchSize });
  },
};

/**
 * Opens the configured reranker, or takes the one that was handed in; see `resolveReranker`. Where its model is not on this
 * machine the built-in one takes its place and says so.
 *
 * @throws RAGError `SECRET_MISSING`, `PACKAGE_MISSING`, `MODEL_NOT_FOUND`, `MODEL_INVALID` or `CONFIG_INVALID`.
 */
export async function createRerankerFor(config: ResolvedConfig): Promise<Reranker> {
  if (config.own?.reranker !== undefined) return borrowed(config.own.reranker);
  const model = await resolveReranker(config).catch((error: unknown) => {
    if (RAGError.isInstance(error) && error.reason === 'RERANKER_UNAVAILABLE') return error;
    throw error;
  });
  if (!(model instanceof Error)) return open(model, config);
  const standIn = await open({ kind: 'builtin' }, config);
  return { ...standIn, standsIn: `${model.message} The built-in reranker took its place.` };
}

const open = (model: ResolvedReranker, config: ResolvedConfig): Promise<Reranker> => {
  const opener = OPENERS[model.kind] as (
    model: ResolvedReranker,
    config: ResolvedConfig,
  ) => Promise<Reranker>;
  return opener(model, config);
};
