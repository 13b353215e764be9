import type { StoreCapabilities } from '../vector-store.js';

/** What holds whichever of the stores answers. */
export function managedCapabilities(all: readonly StoreCapabilities[]): StoreCapabilities {
  const [first, ...others] = all;
  if (first === undefined) throw new TypeError('A manager has stores.');
  return others.reduce(both, first);
}

const both = (a: StoreCapabilities, b: StoreCapabilities): StoreCapabilities => ({
  filterOperators: a.filterOperators.filter((operator) => b.filterOperators.includes(operator)),
  lexical: weaker(a.lexical, b.lexical),
  ...joined('addedTextIndex', [a.addedTextIndex, b.addedTextIndex]),
  maxTopK: Math.min(a.maxTopK, b.maxTopK),
  consistency: slower(a.consistency, b.consistency),
  persistent: a.persistent && b.persistent,
  exactVectorSearch: a.exactVectorSearch && b.exactVectorSearch,
  ...joined('keepsDeleted', [a.keepsDeleted, b.keepsDeleted]),
});

function weaker(a: StoreCapabilities['lexical'], b: StoreCapabilities['lexical']) {
  if (a === 'none' || b === 'none') return 'none';
  return a === 'bm25' && b === 'bm25' ? 'bm25' : 'other';
}

function slower(
  a: StoreCapabilities['consistency'],
  b: StoreCapabilities['consistency'],
): StoreCapabilities['consistency'] {
  if (a === 'immediate') return b;
  if (b === 'immediate') return a;
  return { eventualMs: Math.max(a.eventualMs, b.eventualMs) };
}

function joined<Name extends string>(name: Name, texts: readonly (string | undefined)[]) {
  const stated = [...new Set(texts.flatMap((text) => text ?? []))];
  return stated.length === 0 ? {} : ({ [name]: stated.join('; ') } as Readonly<Record<Name, string>>);
}
