import { join } from 'node:path';
import { tracedChatModel } from '../../answering/traced-chat-model.js';
import type { ChunkContextualiser } from '../../chunking/contextual/chunk-contextualiser.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import type { ChatModel } from '../../core/chat-model.js';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import { ownChatModel } from './own-parts.js';
import { resolveContextModel } from './resolve-model.js';
import { fetchModelSecrets, resolveHostedModel } from './resolve-provider.js';

/**
 * Opens the configured language model, or one that a setting of its own names; undefined where none is configured.
 *
 * @param given the model instead of `rag.chat.model`, and the setting that names it.
 * @throws RAGError `SECRET_MISSING`, `PACKAGE_MISSING` or `CONFIG_INVALID`, each with what to set or install.
 */
export async function createChatModelFor(
  config: ResolvedConfig,
  given?: { readonly model: string | undefined; readonly key: string },
): Promise<ChatModel | undefined> {
  const model = await openConfigured(config, given);
  return model && tracedChatModel(model);
}

async function openConfigured(
  config: ResolvedConfig,
  given: { readonly model: string | undefined; readonly key: string } | undefined,
): Promise<ChatModel | undefined> {
  if (given === undefined && config.own?.chatModel !== undefined) return ownChatModel(config);
  const stated = given ?? { model: config.rag.chat.model, key: 'rag.chat.model' };
  if (stated.model === undefined) return undefined;
  await fetchModelSecrets(stated.model, config);
  const hosted = resolveHostedModel(stated.model, 'chat', { config, key: stated.key });
  const { openChatModel } = await import('../../answering/providers/open-chat-model.js');
  const { model: own, price, contextWindow, limits, ...settings } = config.rag.chat;
  return openChatModel({
    ...hosted,
    ...settings,
    limits,
    // Price and window are those of the model that `rag.chat` names.
    ...(own === stated.model ? { price, contextWindow } : {}),
  });
}

/**
 * Opens what writes contexts of chunks (`rag.indexing.contextual`); undefined where it is off.
 *
 * @throws RAGError `CONFIG_INVALID` where it is on and no language model is configured; see also `createChatModelFor`.
 */
export async function createContextualiserFor(
  config: ResolvedConfig,
): Promise<ChunkContextualiser | undefined> {
  const stated = resolveContextModel(config);
  const chatModel =
    stated &&
    (await (stated.isOwn === true ? createChatModelFor(config) : createChatModelFor(config, stated)));
  if (chatModel === undefined) return undefined;
  const { maxDocumentTokens } = config.rag.indexing.contextual;
  const { ChunkContextualiser } = await import('../../chunking/contextual/chunk-contextualiser.js');
  const cacheFolder =
    config.keepsNoText === true ? undefined : join(config.dataDir, DATA_FOLDERS.cache, 'contexts');
  return new ChunkContextualiser({ chatModel, cacheFolder, maxDocumentTokens });
}
