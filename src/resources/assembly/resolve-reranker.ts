import type { ResolvedConfig } from '../../config/resolved-config.js';
import { RAGError } from '../../core/errors.js';
import { splitModelName } from '../../platform/providers/provider-table.js';
import { findLocalModel, type LocalModel } from './resolve-model.js';
import { fetchModelSecrets, type ResolvedHostedModel, resolveHostedModel } from './resolve-provider.js';

/** Which reranker a configuration comes down to on this machine. */
export type ResolvedReranker =
  | { readonly kind: 'builtin' | 'reader' }
  /** A cross-encoder that needs no package. */
  | ({ readonly kind: 'onnx' } & LocalModel)
  /** One that the package runs. */
  | ({ readonly kind: 'cross-encoder' } & LocalModel)
  | ({ readonly kind: 'hosted' } & ResolvedHostedModel)
  | {
      readonly kind: 'llm';
      /** `provider:model` of the language model; absent where it is the one that was handed in as an object. */
      readonly model?: string;
    };

const KEY = 'rag.retrieval.rerank.model';
const LOCAL = /^(?:(onnx|transformers|cross-encoder):)?(.*)$/s;
const LLM = 'llm:';

/**
 * Finds the configured reranker: `builtin`; `llm`, the language model of `rag.chat`, or `llm:provider:model`; a hosted one
 * (`cohere:`, `voyage:`, `jina:`, an OpenAI-compatible server); or a cross-encoder, by `onnx:` without a package and by `transformers:`,
 * `cross-encoder:` or no prefix with it: a folder, the name of a model added with `ragstone model add`, or a hub id
 * (`cross-encoder/ms-marco-MiniLM-L-6-v2`), which is fetched only where downloads are allowed.
 *
 * @throws RAGError `RERANKER_UNAVAILABLE` where the model is not on this machine; see also `resolveHostedModel`.
 */
export async function resolveReranker(config: ResolvedConfig): Promise<ResolvedReranker> {
  const { model: stated } = config.rag.retrieval.rerank;
  if (stated === 'builtin' || stated === 'reader') return { kind: stated };
  if (stated === 'llm' && config.own?.chatModel !== undefined) return { kind: 'llm' };
  if (stated === 'llm' || stated.startsWith(LLM))
    return { kind: 'llm', model: languageModelOf(stated, config) };
  if (splitModelName(stated) !== undefined) {
    await fetchModelSecrets(stated, config);
    return { kind: 'hosted', ...resolveHostedModel(stated, 'reranking', { config, key: KEY }) };
  }
  const [, prefix, name = stated] = LOCAL.exec(stated) ?? [];
  const kind = prefix === 'onnx' ? 'onnx' : 'cross-encoder';
  const folder = await findLocalModel(name, config);
  if (folder !== undefined) return { kind, model: folder, isRemote: false };
  if (config.rag.embedding.allowRemote) return { kind, model: name, isRemote: true };
  throw new RAGError(
    'RERANKER_UNAVAILABLE',
    `${KEY}: the model "${name}" is not on this machine and downloads are off. Run "ragstone model use ms-marco-MiniLM-L6-v2", which fetches a recommended one, "ragstone model add PATH" with its folder, set rag.embedding.allowRemote: true, or use builtin.`,
    { details: { key: KEY, model: name } },
  );
}

function languageModelOf(stated: string, config: ResolvedConfig): string {
  const own = stated.startsWith(LLM) ? stated.slice(LLM.length) : config.rag.chat.model;
  if (own !== undefined && own !== '') return own;
  throw new RAGError(
    'CONFIG_INVALID',
    `${KEY}: "${stated}" reranks with a language model, and none is configured. Set rag.chat.model, or write llm:provider:model.`,
    { details: { key: KEY } },
  );
}
