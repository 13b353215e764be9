import { inActiveVoice } from './active-voice.js';
import { LIST_MARKER } from './claim-parts.js';
import { type ComparedWord, comparedWords, isNegation } from './compared-words.js';
import { areContradictory, areOpposed } from './opposed-words.js';
import type { SourceStatement, SourceText } from './source-text.js';

/** A longer claim is compared by its beginning. */
const MOST_WORDS = 150;
/** Words before a statement that are none of it: `No,` denies the question. */
const LEAD_IN =
  /^\s*(?:(?:yes|no|overall|additionally|furthermore|moreover|however|therefore|finally|also|in (?:short|summary|addition|particular)|according to [^,]{1,60}),|note that\b)/i;

/** The words of a claim, as its source says them where a denial and an opposite come to the same: "not open" for "closed". */
export function claimWords(text: string, source: SourceText): readonly ComparedWord[] {
  const written = comparedWords(text.replace(LIST_MARKER, ' ').replace(LEAD_IN, ' ')).slice(0, MOST_WORDS);
  const words = inActiveVoice(written);
  const near = source.near(words);
  return withOpposites(words, near);
}

/** Words behind a negation that it may deny; behind these another clause begins. */
const REACH = 5;
const REACH_OF_WITHOUT = 2;
const CLAUSES: ReadonlySet<string> = new Set('because since but and or if so as while when'.split(' '));
const AUXILIARIES: ReadonlySet<string> = new Set(['do', 'does', 'did']);

/** Places of the words that a negation at a place may deny. */
function reachedFrom(words: SourceStatement, at: number): number[] {
  const behind = words.slice(at + 1, at + 1 + (words[at]?.term === 'without' ? REACH_OF_WITHOUT : REACH));
  const end = behind.findIndex(({ text }) => CLAUSES.has(text.toLowerCase()));
  return behind.slice(0, end < 0 ? REACH : end).map((_, i) => at + 1 + i);
}

/** A word of the source, and the negation that denies it. */
interface SourceWord {
  readonly word: ComparedWord;
  readonly negation: ComparedWord | undefined;
  /** Nothing else is denied in its statement. */
  readonly isOnly: boolean;
}

const readSource = (near: readonly SourceStatement[]): SourceWord[] =>
  near.flatMap((statement) => {
    const negations = statement.flatMap((word, at) => (isNegation(word) ? [at] : []));
    return statement.map((word, at) => {
      const by = negations.find((negation) => reachedFrom(statement, negation).includes(at));
      return { word, negation: by === undefined ? undefined : statement[by], isOnly: negations.length === 1 };
    });
  });

function withOpposites(
  claim: readonly ComparedWord[],
  near: readonly SourceStatement[],
): readonly ComparedWord[] {
  const inSource = readSource(near);
  const isSaid = ({ term }: ComparedWord): boolean => inSource.some(({ word }) => word.term === term);
  const denials = [...claim.keys()].filter((at) => claim.slice(at, at + 1).some(isNegation));
  const reached = new Set(denials.flatMap((at) => reachedFrom(claim, at)));
  const words: (readonly ComparedWord[])[] = claim.map((own, at) => {
    const opposite =
      reached.has(at) || isSaid(own)
        ? undefined
        : inSource.find(
            ({ word, negation }) => negation !== undefined && areContradictory(own.term, word.term),
          );
    if (opposite?.negation === undefined) return [own];
    // Where more is denied, a negation more would hide that the claim denies less.
    return denials.length === 0 && opposite.isOnly
      ? [opposite.negation, opposite.word]
      : [{ ...opposite.word, isTurned: true }];
  });
  for (const at of denials) {
    const [found] = reachedFrom(claim, at).flatMap((place) => {
      const denied = claim[place];
      if (denied === undefined || isSaid(denied)) return [];
      const opposite = inSource.find(
        ({ word, negation }) => negation === undefined && areOpposed(denied.term, word.term),
      );
      return opposite === undefined ? [] : [{ place, word: opposite.word }];
    });
    if (found === undefined) continue;
    words[found.place] = [found.word];
    words[at] = [];
    if (AUXILIARIES.has(claim[at - 1]?.text.toLowerCase() ?? '')) words[at - 1] = [];
  }
  return words.flat();
}
