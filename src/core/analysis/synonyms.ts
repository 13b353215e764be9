import { ENGLISH_STOP_WORDS } from './english-stop-words.js';
import { analyzeText } from './lexical-analyzer.js';
import { foldCase, normaliseText } from './normalise.js';

/** What is searched for too where a query holds certain words. */
export interface SynonymRule {
  /** As it is written. */
  readonly rule: string;
  /** Words and phrases of a query that it is about, each as its stems. */
  readonly from: readonly (readonly string[])[];
  /** What is added for each of them: words and phrases, as written. */
  readonly to: readonly string[];
  /** All of `from` and `to` mean the same. */
  readonly isBothWays: boolean;
}

/** Something that a query holds, and what is searched for beside it. */
export interface FoundSynonym {
  readonly rule: string;
  readonly text: string;
  readonly terms: readonly string[];
  /** The query in these words. */
  readonly query: string;
}

/**
 * A rule in the form of Solr: `k8s, kubernetes` means each for the others, `pager, beeper => on-call phone` one way. Undefined for a line
 * that is none: fewer than two sides, or one without a word.
 */
export function readSynonymRule(rule: string): SynonymRule | undefined {
  const sides = rule.split('=>').map((side) => side.split(',').map((words) => words.trim()));
  const [from = [], to = from] = sides;
  const isBothWays = sides.length === 1;
  const all = [...from, ...to];
  if (sides.length > 2 || all.some((words) => stemsOf(words).length === 0)) return undefined;
  if (isBothWays && from.length < 2) return undefined;
  return { rule: rule.trim(), from: from.map(stemsOf), to, isBothWays };
}

/** Lines of a file of rules, with their numbers; blank ones and comments (`#`) are none. */
export const ruleLines = (text: string): { readonly line: number; readonly rule: string }[] =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((rule, at) => ({ line: at + 1, rule: rule.replace(/(?:^|\s)#.*$/, '').trim() }))
    .filter(({ rule }) => rule !== '');

/** What rules add to a query: once each, and nothing that it holds already. */
export function synonymsIn(query: string, rules: readonly SynonymRule[]): FoundSynonym[] {
  const stems = stemsOf(query);
  const said = ` ${stems.join(' ')} `;
  const known = new Set(analyzeText(query));
  const added = new Set<string>();
  return rules.flatMap(({ rule, from, to }) => {
    const held = from.filter((words) => said.includes(` ${words.join(' ')} `));
    if (held.length === 0) return [];
    return to.flatMap((text): FoundSynonym[] => {
      const words = stemsOf(text).join(' ');
      if (said.includes(` ${words} `) || added.has(words)) return [];
      added.add(words);
      const terms = [...new Set(analyzeText(text))].filter((term) => !known.has(term));
      return terms.length === 0 ? [] : [{ rule, text, terms, query: inWordsOf(query, held, text) }];
    });
  });
}

/** The query with the first phrase of it that is held said as `text`. */
function inWordsOf(query: string, held: readonly (readonly string[])[], text: string): string {
  const words = [...query.matchAll(WORD)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    stem: stemsOf(match[0]).join(' '),
  }));
  for (const phrase of held)
    for (let at = 0; at + phrase.length <= words.length; at++) {
      const first = words[at];
      const last = words[at + phrase.length - 1];
      if (first === undefined || last === undefined) continue;
      if (phrase.every((stem, i) => words[at + i]?.stem === stem))
        return query.slice(0, first.start) + text + query.slice(last.end);
    }
  return `${query} ${text}`;
}

/** The query, or the query in the words of a synonym: whichever texts hold most of, the query among equals. */
export function saidAsIn(query: string, rules: readonly SynonymRule[], texts: readonly string[]): string {
  const others = synonymsIn(query, rules);
  if (others.length === 0) return query;
  const held = new Set(texts.flatMap((text) => analyzeText(text)));
  const shareOf = (text: string): number => {
    const terms = analyzeText(text);
    return terms.filter((term) => held.has(term)).length / Math.max(1, terms.length);
  };
  return others
    .map((other) => other.query)
    .reduce((best, other) => (shareOf(other) > shareOf(best) ? other : best), query);
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Words by their stems, those of grammar as they are, so that `sign in` is not `sign`. */
const stemsOf = (text: string): string[] =>
  (foldCase(normaliseText(text)).match(WORD) ?? []).map((word) =>
    ENGLISH_STOP_WORDS.has(word) ? word : (analyzeText(word)[0] ?? word),
  );
