import { RAGError } from '../core/errors.js';
import { findLocalModel } from './resolve-model.js';
import type { ResolvedConfig } from './resolved-config.js';

/** Which reranker a configuration comes down to on this machine. */
export type ResolvedReranker =
  | { readonly kind: 'builtin' }
  | {
      readonly kind: 'cross-encoder';
      /** Absolute folder, or hub id. */
      readonly model: string;
      readonly isRemote: boolean;
    };

const PREFIX = 'cross-encoder:';

/**
 * Finds the configured reranker: `builtin`; `cross-encoder:` and a folder; or a bare folder, name of a model added with
 * `ragstone model add`, or hub id (`cross-encoder/ms-marco-MiniLM-L-6-v2`), which is fetched only where downloads are allowed.
 *
 * @throws RAGError `RERANKER_UNAVAILABLE` where the model is not on this machine.
 */
export async function resolveReranker(config: ResolvedConfig): Promise<ResolvedReranker> {
  const { model: stated } = config.rag.retrieval.rerank;
  if (stated === 'builtin') return { kind: 'builtin' };
  const name = stated.startsWith(PREFIX) ? stated.slice(PREFIX.length) : stated;
  const folder = await findLocalModel(name, config);
  if (folder !== undefined) return { kind: 'cross-encoder', model: folder, isRemote: false };
  if (config.rag.embedding.allowRemote) return { kind: 'cross-encoder', model: name, isRemote: true };
  throw new RAGError(
    'RERANKER_UNAVAILABLE',
    `rag.retrieval.rerank.model: the model "${name}" is not on this machine and downloads are off. Run "ragstone model add PATH" with its folder, set rag.embedding.allowRemote: true, or use builtin.`,
    { details: { key: 'rag.retrieval.rerank.model', model: name } },
  );
}
