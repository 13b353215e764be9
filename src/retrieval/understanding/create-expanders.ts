import { createAbbreviationExpander } from './abbreviation-expander.js';
import { createChatExpander, type LoadChatModel } from './chat-expanders.js';
import { createVectorFeedback, createWordFeedback } from './feedback-expanders.js';
import type { ExpansionKind, QueryExpander } from './query-expander.js';

/** The expanders of the kinds asked for, each once. */
export function createExpanders(
  kinds: readonly ExpansionKind[],
  loadChatModel: LoadChatModel,
): QueryExpander[] {
  return [...new Set(kinds)].map((kind) => {
    switch (kind) {
      case 'abbreviations':
        return createAbbreviationExpander();
      case 'feedback-words':
        return createWordFeedback();
      case 'feedback-vectors':
        return createVectorFeedback();
      default:
        return createChatExpander(kind, loadChatModel);
    }
  });
}
