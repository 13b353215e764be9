import type { PartName } from '../degradation/level.js';
import type { EngineResources } from '../engine/engine-resources.js';
import { splitModelName } from '../providers/provider-table.js';

/** A model that another program runs, and the least question to it. */
export interface ModelService {
  readonly part: Extract<PartName, 'embedder' | 'reranker'>;
  readonly ask: () => Promise<unknown>;
}

const WORD = 'health';

/** Models of a configuration that may be out while this process is well. */
export function servicesOf(resources: EngineResources): ModelService[] {
  const { rag, own } = resources.config;
  const { enabled: isReranking, model: reranker } = rag.retrieval.rerank;
  const isEmbedder = splitModelName(rag.embedding.model) !== undefined || own?.embedder !== undefined;
  const isReranker =
    isReranking &&
    (splitModelName(reranker) !== undefined || /^llm(:|$)/.test(reranker) || own?.reranker !== undefined);
  return [
    ...(isEmbedder ? [{ part: 'embedder' as const, ask: () => embedOne(resources) }] : []),
    ...(isReranker ? [{ part: 'reranker' as const, ask: () => rerankOne(resources) }] : []),
  ];
}

async function embedOne(resources: EngineResources): Promise<void> {
  // What was asked while it was out it may never answer.
  resources.forgetOpening();
  const live = await resources.live().catch(() => undefined);
  const { embedder } = await (live === undefined
    ? resources.configuredEmbedder()
    : resources.embedderOf(live.facts));
  await embedder.doEmbed([WORD], 'query');
}

async function rerankOne(resources: EngineResources): Promise<void> {
  const reranker = await resources.reranker();
  await reranker.doRerank(WORD, [{ content: WORD, headingPath: [], identifiers: [], fusedScore: 1 }]);
}
