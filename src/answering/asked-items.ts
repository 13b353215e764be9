import type { ContextEntry } from '../context/context-pack.js';
import { extractIdentifiers, isItemKey, withoutIdentifiers } from '../core/analysis/identifiers.js';
import { analyzeQuery, analyzeText } from '../core/analysis/lexical-analyzer.js';
import { itemIdsOf } from '../core/item-id.js';

/** Items that a question names by their keys. */
export interface AskedItems {
  /** Whether a passage is of one of them, not one that mentions it. */
  readonly has: (entry: Pick<ContextEntry, 'source' | 'metadata'>) => boolean;
  /** The question says hardly anything else: `What is SHOP-481 about?`, `the status of SHOP-481`. */
  readonly isAskedFor: boolean;
}

/** Whatever the case of the keys; `#297` is the item `297`. */
export function askedItems(question: string): AskedItems {
  const keys = new Set(
    extractIdentifiers(question)
      .filter(isItemKey)
      .map((key) => key.replace(/^#/, '')),
  );
  const said = new Set(analyzeText(withoutIdentifiers(question)));
  return {
    has: ({ source, metadata }) =>
      keys.size > 0 && [source, ...itemIdsOf(metadata)].some((name) => keys.has(name.toLowerCase())),
    isAskedFor: analyzeQuery(question).terms.filter((term) => said.has(term)).length <= 1,
  };
}
