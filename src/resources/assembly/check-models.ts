import type { ResolvedConfig } from '../../config/resolved-config.js';
import { RAGError } from '../../core/errors.js';
import { resolveContextModel, resolveEmbeddingModel } from './resolve-model.js';
import { fetchModelSecrets, resolveHostedModel } from './resolve-provider.js';
import { resolveReranker } from './resolve-reranker.js';

/**
 * Resolves every model that the configuration names, without a call to any. What does not keep an index from working is told
 * as a notice: a search without its reranker and an answer without its language model are made all the same.
 *
 * @returns notices, one sentence each.
 * @throws RAGError `CONFIG_INVALID` for a name that no provider has; whatever would stop `index`, such as `SECRET_MISSING`
 *   of the embedding model or of the one that writes contexts.
 */
export async function checkModels(config: ResolvedConfig): Promise<string[]> {
  const embedding = await resolveEmbeddingModel(config);
  const writer = resolveContextModel(config);
  if (writer !== undefined && writer.isOwn !== true)
    await checkChatModel(writer.model, { config, key: writer.key });
  const found = [
    embedding.kind === 'builtin' ? embedding.notice : undefined,
    await noticeOf(() => checkReranker(config)),
    await noticeOf(() => checkChatModel(config.rag.chat.model, { config, key: 'rag.chat.model' })),
    await noticeOf(() =>
      checkChatModel(config.rag.graph.extraction.model, { config, key: 'rag.graph.extraction.model' }),
    ),
  ];
  return found.filter((notice) => notice !== undefined);
}

async function checkReranker(config: ResolvedConfig): Promise<void> {
  if (!config.rag.retrieval.rerank.enabled) return;
  const reranker = await resolveReranker(config);
  if (reranker.kind === 'llm' && reranker.model !== undefined)
    await checkChatModel(reranker.model, { config, key: 'rag.retrieval.rerank.model' });
}

async function checkChatModel(
  model: string | undefined,
  where: { readonly config: ResolvedConfig; readonly key: string },
): Promise<void> {
  await fetchModelSecrets(model, where.config);
  if (model !== undefined) resolveHostedModel(model, 'chat', where);
}

/** What a check complains of and a search or an answer does without; a wrong configuration is thrown on. */
async function noticeOf(check: () => void | Promise<void>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof RAGError && error.reason !== 'CONFIG_INVALID') return error.message;
    throw error;
  }
}
