import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import { foldCase, normaliseText } from '../../core/analysis/normalise.js';
import { forEachWord } from '../../core/analysis/tokens.js';
import type { QueryWord } from './query-words.js';
import type { ReadableWords } from './readable-words.js';

/** Shorter words are seldom compounds, and shorter parts are in many words by chance. */
const SHORTEST_COMPOUND = 9;
const SHORTEST_PART = 4;
/** What joins the parts of a German compound. */
const LINKS = ['es', 'en', 'er', 's', 'n', 'e', ''] as const;
const ROUNDS = 2;

interface Split {
  readonly parts: readonly [string, string];
  readonly terms: readonly [string, string];
}

/** The two words that an unknown compound is made of, where passages hold both; undefined where it is none. */
export async function partsOfCompound(
  { text, folded }: QueryWord,
  words: ReadableWords,
): Promise<readonly [string, string] | undefined> {
  if (folded.length < SHORTEST_COMPOUND) return undefined;
  const shown = text.length === folded.length ? text : folded;
  const splits = splitsOf(folded, shown);
  const wanted = new Set(splits.flatMap(({ terms }) => terms));
  const seen = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const open = [...wanted].filter((term) => !seen.has(term));
    for (const passage of open.length === 0 ? [] : await words.textsWith(open))
      forEachWord(normaliseText(passage), (word) => {
        for (const term of analyzeText(foldCase(word))) if (wanted.has(term)) seen.add(term);
      });
  }
  const held = splits.filter(({ terms }) => terms.every((term) => seen.has(term)));
  // The more even, the likelier: `Rechnung` and `Adresse` before `Rech` and `nungsadresse`.
  const evenness = ({ parts }: Split): number => Math.min(...parts.map(({ length }) => length));
  return held.toSorted((a, b) => evenness(b) - evenness(a))[0]?.parts;
}

function splitsOf(folded: string, shown: string): Split[] {
  const splits: Split[] = [];
  for (let at = SHORTEST_PART; at <= folded.length - SHORTEST_PART; at++)
    for (const link of LINKS) {
      const end = at - link.length;
      if (end < SHORTEST_PART || !folded.slice(0, at).endsWith(link)) continue;
      const [first] = analyzeText(folded.slice(0, end));
      const [second] = analyzeText(folded.slice(at));
      if (first !== undefined && second !== undefined)
        splits.push({ parts: [shown.slice(0, end), shown.slice(at)], terms: [first, second] });
    }
  return splits;
}
