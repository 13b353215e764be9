import type { ResolvedConfig } from '../../config/resolved-config.js';
import { RAGError } from '../../core/errors.js';
import { ownChatModelId } from './own-parts.js';

/** A language model as the configuration states it, and the setting that complaints name. */
export interface StatedModel {
  /** `provider:model` */
  readonly model: string;
  readonly key: string;
  /** It is the model that was handed in as an object. */
  readonly isOwn?: boolean;
}

/**
 * The language model that writes contexts of chunks (`rag.indexing.contextual`): its own, or that of `rag.chat`; undefined
 * where contexts are off.
 *
 * @throws RAGError `CONFIG_INVALID` where they are on and no language model is configured.
 */
export function resolveContextModel(config: ResolvedConfig): StatedModel | undefined {
  const { enabled, model: stated } = config.rag.indexing.contextual;
  const key = 'rag.indexing.contextual.model';
  if (!enabled) return undefined;
  const model = contextModelName(config);
  const isOwn = stated === undefined && config.own?.chatModel !== undefined;
  if (model !== undefined) return { model, key, isOwn };
  throw new RAGError(
    'CONFIG_INVALID',
    `rag.indexing.contextual is on and no language model is configured. Set rag.chat.model or ${key}.`,
    { details: { key } },
  );
}

/** Its name, whether contexts are on or off; undefined where there is none. */
export const contextModelName = (config: ResolvedConfig): string | undefined =>
  config.rag.indexing.contextual.model ?? ownChatModelId(config) ?? config.rag.chat.model;
