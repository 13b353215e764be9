import { areSameWord, type ComparedWord, hasWord, isTerm, lower, textOf } from './compared-words.js';
import type { SourceText } from './source-text.js';

type Words = readonly ComparedWord[];

const ARTICLES: ReadonlySet<string> = new Set(
  'the a an your our their its his her my any each every'.split(' '),
);
const CONJUNCTIONS: ReadonlySet<string> = new Set(
  'and but or because since if so as while when whereas before after until once then who which that'.split(
    ' ',
  ),
);
/** Share of the words beside a party that a clause has to have, and how many. */
const LEAST_SAME = 0.6;
const FEWEST_SAME = 2;
const MOST_OF_PARTY = 3;

/** Clauses of a sentence; in the active voice each begins with who does something. */
function clausesOf(words: Words): Words[] {
  const clauses: ComparedWord[][] = [[]];
  for (const word of words) {
    if (word.beginsClause === true || CONJUNCTIONS.has(lower(word))) clauses.push([]);
    if (!CONJUNCTIONS.has(lower(word))) clauses.at(-1)?.push(word);
  }
  return clauses.filter((clause) => clause.some(isTerm));
}

/**
 * A party that a claim has in the place of another one of its source: the words at the beginning of a clause, before those that a clause of the
 * source says of somebody else. The source names both.
 */
export function exchangedParty(
  claim: Words,
  source: SourceText,
): { readonly claim: string; readonly source: string } | undefined {
  const others = source.near(claim).flatMap(clausesOf);
  const clauses = clausesOf(claim);
  for (const [at, words] of clauses.entries()) {
    // "Lite and Full" are two things, not two clauses.
    if (at > 0 && (clauses[at - 1] ?? []).filter(isTerm).length < FEWEST_SAME) continue;
    for (const clause of others) {
      const own = leading(words, clause);
      const held = leading(clause, words);
      if (own.length === 0 || held.length === 0) continue;
      if (
        own.some((word) => !source.has(word) || hasWord(clause, word)) ||
        held.some((word) => hasWord(words, word))
      )
        continue;
      if (own.some(isName) !== held.some(isName) || [...own, ...held].some(isDoing)) continue;
      if (!isParty(own, source)) continue;
      const rest = words.filter((word) => isTerm(word) && !own.includes(word));
      const same = rest.filter((word) => hasWord(clause, word)).length;
      const isSaidOfOwn = others.some(
        (other) =>
          own.every((word) => hasWord(other, word)) &&
          rest.filter((word) => hasWord(other, word)).length >= same,
      );
      if (!isSaidOfOwn && same >= FEWEST_SAME && same >= LEAST_SAME * rest.length)
        return { claim: textOf(own), source: textOf(held) };
    }
  }
  return undefined;
}

/** A clause of the source begins with it. */
const isParty = (party: Words, source: SourceText): boolean =>
  source.withAll(party).some((statement) =>
    clausesOf(statement).some((words) => {
      const first = words.findIndex(isTerm);
      return party.every(
        (word, at) => areSameWord(word, words[first + at] ?? word) && words[first + at] !== undefined,
      );
    }),
  );

/** "Leaving it out" and "encrypted" are no parties. */
const isDoing = ({ text }: ComparedWord): boolean => /^\p{L}+(?:ing|ed)$/iu.test(text);
const isName = ({ kind, text }: ComparedWord): boolean => kind === 'name' || /^\p{Lu}/u.test(text);

/** The terms with which a clause begins, before the first that the other one has; none where it begins otherwise. */
function leading(words: Words, other: Words): Words {
  const found: ComparedWord[] = [];
  for (const word of words) {
    if (isTerm(word)) {
      if (hasWord(other, word)) return found.length <= MOST_OF_PARTY ? found : [];
      found.push(word);
    } else if (!ARTICLES.has(lower(word)) && found.length === 0) return [];
  }
  return [];
}
