import type { ContextEnrichment } from './context-enrichment.js';

type Found = Pick<ContextEnrichment, 'similar_work' | 'past_decisions' | 'technical_docs'>;

/**
 * From this match on another item is worth a look before work begins: `match: 'strong'` of a result. However well it matches, it is called no
 * duplicate: of items that are as alike as can be few are (docs/backlog.md).
 */
const WORTH_READING = 70;

/** What to do with what was found, in sentences for a person; each names what it rests on. */
export function suggestionsFor({ similar_work, past_decisions, technical_docs }: Found): string[] {
  const [closest] = similar_work;
  const suggestions: string[] = [];
  if (closest !== undefined && closest.similarity >= WORTH_READING)
    suggestions.push(
      `Read ${closest.ref} "${closest.title}" (it matches by ${closest.similarity} %) before this is estimated.`,
    );
  const [decision] = past_decisions;
  if (decision !== undefined)
    suggestions.push(`Keep to what ${decision.ref} says, or change it on purpose: "${decision.decision}"`);
  const [page] = technical_docs;
  if (page !== undefined) suggestions.push(`Link "${page.title}" (${page.ref}) in this item.`);
  if (similar_work.length === 0 && page === undefined)
    suggestions.push('Nothing like this was found: ask who knows this area before this is estimated.');
  return suggestions;
}
