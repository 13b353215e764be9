import type { Similarity } from '../answering/quotation-features.js';
import type { TextMeaning } from '../answering/support-features.js';
import { loadConfig } from '../config/load-config.js';
import type { ChatModel } from '../core/chat-model.js';
import { embedAll } from '../embedding/embed-all.js';
import { loadTextMeaning } from '../embedding/static/text-meaning.js';
import { checkedTexts } from '../operations/embedding.js';
import type { EmbeddedTexts, EmbedRequest } from '../operations/engine.js';
import type { CreateEngineOptions } from '../operations/engine-options.js';
import { checkedEngineOptions } from '../operations/engine-options.js';
import type { Reranker } from '../reranking/reranker.js';
import { EngineResources } from '../resources/engine-resources.js';
import { builtinSimilarity } from '../searching/text-similarity.js';

/** The models that a configuration names, for a program whose passages lie in tables of its own. */
export interface Models {
  /** Vectors by `rag.embedding.model`. */
  embed(request: EmbedRequest): Promise<EmbeddedTexts>;
  /** The language model of `rag.chat.model`; undefined where none is named. Throws what it cannot be opened for. */
  chatModel(): Promise<ChatModel | undefined>;
  /** The reranker of `rag.retrieval.rerank.model`. Throws what it cannot be opened for. */
  reranker(): Promise<Reranker>;
  /** How near texts are to a question, by the built-in model, on which `answerQuestion` was fitted. */
  readonly similarity: Similarity;
  /** Vectors by the built-in model, for the check of what a language model writes. */
  meaning(): Promise<TextMeaning>;
  /** Closes what was opened; models that were handed in stay open. */
  close(): Promise<void>;
}

/**
 * Opens the models of a configuration without an index: for vectors in a table of your own, and for `answerQuestion` over it. Nothing is
 * loaded until it is needed. Throws what the configuration is refused for.
 */
export async function openModels(options: CreateEngineOptions = {}): Promise<Models> {
  const { config, configFile, cwd, env, overrides, dataDir, secretResolvers, trust, ...own } =
    checkedEngineOptions(options);
  const settings = { config, env, overrides, dataDir, secretResolvers, trust };
  const resources = new EngineResources(await loadConfig({ ...settings, cwd, file: configFile, own }));
  return {
    embed: async (request) => {
      const { texts, kind = 'document', signal } = checkedTexts(request);
      const { embedder, cache } = await resources.models.embedder();
      const { vectors } = await embedAll(embedder, texts, kind, {
        cache,
        ...(signal === undefined ? {} : { signal }),
      });
      return { model: embedder.identity.model, dimensions: embedder.dimensions, vectors };
    },
    chatModel: () => resources.models.chatModel.open(),
    reranker: () => resources.models.reranker.open(),
    similarity: builtinSimilarity,
    meaning: loadTextMeaning,
    close: () => resources.close(),
  };
}
