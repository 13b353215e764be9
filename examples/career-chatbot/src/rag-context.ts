import type { ContextPack } from 'ragstone';
import type { RagService } from './rag-service.js';

/** `format_rag_context` of the document, for a language model that this program asks itself. */
export const formatRagContext = ({ text }: ContextPack): string =>
  [
    '# Retrieved Information',
    'The following information was found in the knowledge base:',
    text,
    "Use this information to answer the user's question accurately.",
    'If the information is insufficient, acknowledge limitations.',
  ].join('\n\n');

/** Looked at, and kept of it, where the first search finds nothing. */
const WIDER = { looked: 10, kept: 3 };

/**
 * `get_context_with_fallback` of the document: what reaches the threshold, else the best three of a wider search, else the sentence that
 * there is nothing.
 */
export async function contextWithFallback(service: RagService, query: string): Promise<string> {
  const pack = await service.engine.context(query);
  if (!pack.isFallback) return formatRagContext(pack);
  const wider = await service.search(query, { options: { topK: WIDER.looked, minSimilarity: 0 } });
  if (wider.results.length === 0) return pack.text;
  const best = wider.results
    .slice(0, WIDER.kept)
    .map(({ content, metadata }) => `## ${metadata.title ?? ''}\n\n${content}`);
  return formatRagContext({ ...pack, text: best.join('\n\n') });
}
