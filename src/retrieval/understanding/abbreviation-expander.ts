import { indexedTextOfStored } from '../../core/analysis/indexed-text.js';
import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import type { StoredChunk } from '../../core/chunk.js';
import { type Abbreviation, findAbbreviations } from './abbreviations.js';
import type { ExpandedQuery, ProcessedQuery, QueryExpander } from './query-expander.js';

/** Candidates that are read for definitions. */
const READ = 20;

const WORD = /[\p{L}\p{N}][\p{L}\p{N}./&-]*/gu;

/**
 * Looks among the first candidates for definitions of what the query abbreviates, or of what it writes out: for `PDB` also
 * the words of "Pod Disruption Budget (PDB)", and the reverse. Mined while searching, from what this asker was found, and kept
 * nowhere: no dictionary can grow stale or carry words from one tenant to another.
 */
export function createAbbreviationExpander(): QueryExpander {
  return {
    kind: 'abbreviations',
    expand: async (query, context) => expandWith(query, definitionsIn(await context.leading(READ))),
  };
}

/** Definitions with the number of passages that give them, most often first, then alphabetically. */
function definitionsIn(chunks: readonly StoredChunk[]): Abbreviation[] {
  const counted = new Map<string, { pair: Abbreviation; passages: number }>();
  for (const chunk of chunks)
    for (const pair of findAbbreviations(indexedTextOfStored(chunk))) {
      const key = `${pair.short} ${pair.long.toLowerCase()}`;
      counted.set(key, { pair, passages: (counted.get(key)?.passages ?? 0) + 1 });
    }
  return [...counted]
    .sort(([keyA, a], [keyB, b]) => b.passages - a.passages || (keyA < keyB ? -1 : 1))
    .map(([, { pair }]) => pair);
}

function expandWith({ text, terms }: ProcessedQuery, definitions: readonly Abbreviation[]): ExpandedQuery[] {
  const words = new Set((text.match(WORD) ?? []).map((word) => word.replace(/(?<=[A-Z0-9])s$/, '')));
  const written = ` ${plainWords(text)} `;
  const known = new Set(terms);
  const found: ExpandedQuery[] = [];
  const settled = new Set<string>();
  for (const { short, long } of definitions) {
    // Of several meanings the one that most passages give.
    if (settled.has(short)) continue;
    const isAbbreviated = words.has(short);
    const isWritten = plainWords(long).includes(' ') && written.includes(` ${plainWords(long)} `);
    if (isAbbreviated === isWritten) continue;
    const added = isAbbreviated ? long : short;
    const newTerms = analyzeText(added).filter((term) => !known.has(term));
    if (newTerms.length === 0) continue;
    settled.add(short);
    found.push({
      kind: 'abbreviations',
      text: added,
      reason: `A passage found says that ${short} is ${long}.`,
      terms: [...new Set(newTerms)],
    });
  }
  return found;
}

const plainWords = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
