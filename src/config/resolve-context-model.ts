import { RAGError } from '../core/errors.js';
import type { ResolvedConfig } from './resolved-config.js';

/** A language model as the configuration states it, and the setting that complaints name. */
export interface StatedModel {
  /** `provider:model` */
  readonly model: string;
  readonly key: string;
}

/**
 * The language model that writes contexts of chunks (`rag.indexing.contextual`): its own, or that of `rag.chat`; undefined
 * where contexts are off.
 *
 * @throws RAGError `CONFIG_INVALID` where they are on and no language model is configured.
 */
export function resolveContextModel({ rag }: ResolvedConfig): StatedModel | undefined {
  const { enabled, model = rag.chat.model } = rag.indexing.contextual;
  const key = 'rag.indexing.contextual.model';
  if (!enabled) return undefined;
  if (model !== undefined) return { model, key };
  throw new RAGError(
    'CONFIG_INVALID',
    `rag.indexing.contextual is on and no language model is configured. Set rag.chat.model or ${key}.`,
    { details: { key } },
  );
}
