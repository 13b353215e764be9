import type { Quantity } from '../relations/conflicts/quantities.js';
import type { AlignedGap } from './claim-alignment.js';
import {
  areSameWord,
  type ComparedWord,
  hasWord,
  isNegation,
  isNumber,
  isTerm,
  textOf,
} from './compared-words.js';
import { areOpposed } from './opposed-words.js';
import type { SourceStatement, SourceText } from './source-text.js';

/**
 * What a claim says otherwise than its source. `number`, `name`, `opposite`, `wording`: other words between the same words. `beside`: a word
 * beside one that both have excludes what stands beside that in the source. `negation`: one denies what the other says. `order`: two things
 * around a comparison or an order stand the other way round. `limited`: the same as `negation`, where both set other conditions or limits, or one denies a word that the other has not. `cause`: another reason for the same.
 */
export type DifferenceKind =
  | 'number'
  | 'name'
  | 'opposite'
  | 'wording'
  | 'beside'
  | 'negation'
  | 'limited'
  | 'order'
  | 'cause';

export interface ClaimDifference {
  readonly kind: DifferenceKind;
  /** The words of each. */
  readonly claim: string;
  readonly source: string;
  /** Words around it that are the same in both, in a row; 0 where it has no place among such. */
  readonly frame: number;
  /** It is a few words in the place of few others. */
  readonly isTight: boolean;
  /**
   * It may say the same: the source has what the claim says in another place (rows that are told in one sentence), or the opposite of the
   * opposite. @default false
   */
  readonly isUnsure?: boolean;
}

/** Longest frame that is counted. */
export const MOST_FRAME = 8;

export const frameOf = ({ before, behind }: AlignedGap): number => Math.min(MOST_FRAME, before + behind);

const isCompared = (word: ComparedWord): boolean => isTerm(word) || isNumber(word);

const MOST_REPLACED = 4;
/** Few words stand in the place of few others. */
export const isReplacement = ({ claim, source }: AlignedGap): boolean =>
  claim.some(isTerm) &&
  source.some(isTerm) &&
  claim.length <= MOST_REPLACED &&
  source.length <= MOST_REPLACED;

/** Amounts of which one can stand for the other: of one dimension; of numbers without a unit, those that count the same. */
export const isOfKind = (a: Quantity | undefined, b: Quantity | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.dimension === b.dimension &&
  (a.dimension !== '' || a.counted === undefined || b.counted === undefined || a.counted === b.counted);

/** Compounds too: `file-vault` is written small. */
const isNamed = ({ kind, text }: ComparedWord): boolean =>
  kind === 'name' || (kind === 'content' && /[\p{L}\p{N}][-_.][\p{L}\p{N}]/u.test(text));

/** What is said otherwise between the words of a claim that are matched. */
export function differencesIn(gap: AlignedGap, source: SourceText): ClaimDifference[] {
  const isTight = gap.claim.length <= MOST_REPLACED && gap.source.length <= MOST_REPLACED;
  const difference = (
    kind: DifferenceKind,
    own: readonly ComparedWord[],
    others: readonly ComparedWord[],
  ): ClaimDifference => ({
    kind,
    claim: textOf(own),
    source: textOf(others),
    frame: frameOf(gap),
    isTight,
  });
  const pairs = (kind: DifferenceKind, differ: (own: ComparedWord, other: ComparedWord) => boolean) =>
    gap.claim.flatMap((own) =>
      gap.source
        .filter((other) => differ(own, other))
        .map((other) => ({
          ...difference(kind, [own], [other]),
          isUnsure: isNumber(own) && source.hasAmount(own),
        })),
    );
  const exact = [
    ...pairs('number', (own, other) => isOfKind(own.quantity, other.quantity) && !areSameWord(own, other)),
    // Of units the amounts tell: 24 months are 2 years.
    ...pairs(
      'opposite',
      (own, other) => areOpposed(own.term, other.term) && !(own.isUnit === true && other.isUnit === true),
    ),
  ];
  if (!isReplacement(gap)) return exact;
  const [names, others] = [gap.claim, gap.source].map((words) =>
    words.filter((word) => isNamed(word) && word.isUnit !== true),
  ) as [ComparedWord[], ComparedWord[]];
  return [
    ...exact,
    ...(names.length > 0 &&
    others.length > 0 &&
    !names.some((name) => others.some((other) => areShortAndLong(name, other)))
      ? [difference('name', names, others)]
      : []),
    ...(gap.claim.some((word) => isTerm(word) && !source.has(word))
      ? [difference('wording', gap.claim, gap.source)]
      : []),
  ];
}

/** `TTL` for `ttlSecondsAfterFinished`. */
const areShortAndLong = (a: ComparedWord, b: ComparedWord): boolean => {
  const [one, other] = [a.text.toLowerCase(), b.text.toLowerCase()];
  return one.includes(other) || other.includes(one);
};

const DENYING: ReadonlySet<string> = new Set(
  'refus reject declin deni forbid forbidden prohibit prevent block fail lack miss stop skip avoid without except unless unabl imposs instead rather drop lose lost remov exclud onli abandon unlik ignor discard'.split(
    ' ',
  ),
);

/** Words after a negation among which the term that it denies stands. */
const REACH = 4;

/** Behind a negation these make no denial of it ("no more than", "not only"), and behind these another clause begins. */
const NO_DENIAL: ReadonlySet<string> = new Set(
  'more less fewer only later earlier just necessarily'.split(' '),
);
const CLAUSES: ReadonlySet<string> = new Set('because since but and or if so as while'.split(' '));

/** The words that each negation reaches. */
const reachedByNegations = (words: readonly ComparedWord[]): (readonly ComparedWord[])[] =>
  words.flatMap((word, at) => {
    if (!isNegation(word) || NO_DENIAL.has(words[at + 1]?.text.toLowerCase() ?? '')) return [];
    const reached = words.slice(at + 1, at + 1 + REACH);
    const end = reached.findIndex(({ text }) => CLAUSES.has(text.toLowerCase()));
    return [end < 0 ? reached : reached.slice(0, end)];
  });

const deniedTerms = (words: readonly ComparedWord[]): ReadonlySet<string> =>
  new Set(reachedByNegations(words).flatMap((reached) => reached.find(isTerm)?.term ?? []));

/** What is denied may be another word than the one that both have: "not installed automatically" is installed all the same. */
const deniesMore = (words: readonly ComparedWord[], others: readonly ComparedWord[]): boolean =>
  reachedByNegations(words)
    .flat()
    .some((word) => isTerm(word) && !hasWord(others, word));

/** A word that denies without a negation, and that the other has not: it may say what the other one denies. */
const hasOwnDenial = (words: readonly ComparedWord[], others: readonly ComparedWord[]): boolean =>
  words.some((word) => DENYING.has(word.term) && !hasWord(others, word));

/** One of both has a negation, and nothing in the other one says the same in other words. */
export function isDeniedAlone(claim: readonly ComparedWord[], source: readonly ComparedWord[]): boolean {
  const hasIn = (words: readonly ComparedWord[], term: string): boolean =>
    words.some((word) => word.term === term);
  // "Without a key" is in both, and denies nothing else.
  const isBoth = hasIn(claim, 'without') && hasIn(source, 'without');
  const isDenying = (word: ComparedWord): boolean => isNegation(word) && !(isBoth && word.term === 'without');
  const isInClaim = claim.some(isDenying);
  if (isInClaim === source.some(isDenying)) return false;
  return isInClaim ? !hasOwnDenial(source, claim) : !hasOwnDenial(claim, source);
}

/** Terms that are denied in one and stated in the other, by every statement that has them. */
export function deniedOtherwise(
  claim: readonly ComparedWord[],
  near: readonly SourceStatement[],
): ClaimDifference[] {
  const own = deniedTerms(claim);
  return claim.filter(isTerm).flatMap(({ term, text }): ClaimDifference[] => {
    const holding = near.filter((statement) => statement.some((word) => word.term === term));
    const isOtherwise = holding.map(
      (statement) => deniedTerms(statement).has(term) !== own.has(term) && isDeniedAlone(claim, statement),
    );
    if (holding.length === 0 || isOtherwise.includes(false)) return [];
    const sides = own.has(term)
      ? { claim: `not ${text}`, source: text }
      : { claim: text, source: `not ${text}` };
    const isLimited =
      holding.some((statement) => limitsIn(claim) !== limitsIn(statement)) ||
      deniesMore(claim, near.flat()) ||
      holding.some((statement) => deniesMore(statement, claim));
    return [{ kind: isLimited ? 'limited' : 'negation', ...sides, frame: 0, isTight: false }];
  });
}

/** A negation denies what stands so near behind it, whatever the clause: "not preserved", "not be preserved". */
const NEAREST = 2;
const deniedNearest = (words: readonly ComparedWord[]): ReadonlySet<string> =>
  new Set(
    words.flatMap((word, at) => {
      const next = words.slice(at + 1, at + 1 + NEAREST);
      const end = next.findIndex(({ beginsClause }) => beginsClause === true);
      return isNegation(word) ? (next.slice(0, end < 0 ? NEAREST : end).find(isTerm)?.term ?? []) : [];
    }),
  );

/**
 * Both deny the same, and one of them denies a term more, which every statement states: "not preserved when it is not set" of "preserved when it
 * is not set".
 */
export function deniesOneMore(claim: readonly ComparedWord[], near: readonly SourceStatement[]): boolean {
  const isMore = (words: readonly ComparedWord[], others: readonly ComparedWord[]): boolean => {
    const [denied, deniedThere] = [deniedNearest(words), deniedNearest(others)];
    const reached = reachedByNegations(others).flat();
    const more = [...denied].filter((term) => !deniedThere.has(term));
    return (
      deniedThere.size > 0 &&
      [...deniedThere].every((term) => denied.has(term)) &&
      more.some((term) => others.some((word) => word.term === term)) &&
      !more.some((term) => reached.some((word) => word.term === term)) &&
      !hasOwnDenial(others, words)
    );
  };
  return near.length > 0 && near.every((statement) => isMore(claim, statement) || isMore(statement, claim));
}

/** With these a denial may say the same as a statement: only with a ticket, not without one; wait until it has ended, not before. */
const LIMITS: ReadonlySet<string> = new Set(
  'only if whether unless until before after while except otherwise without again sure need needs requires'.split(
    ' ',
  ),
);
const limitsIn = (words: readonly ComparedWord[]): string =>
  words
    .map(({ text }) => text.toLowerCase())
    .filter((word) => LIMITS.has(word))
    .sort()
    .join();

const BESIDE = 2;
const termsBeside = (words: readonly ComparedWord[], word: ComparedWord): readonly ComparedWord[] => {
  const terms = words.filter((each) => isCompared(each) || each === word);
  const at = terms.indexOf(word);
  return [...terms.slice(Math.max(0, at - BESIDE), at), ...terms.slice(at + 1, at + 1 + BESIDE)];
};

/** @param near what is near to the claim, `statement` among it: a word that stands there is not opposed. */
export function opposedBeside(
  claim: readonly ComparedWord[],
  statement: SourceStatement,
  near: readonly ComparedWord[],
): ClaimDifference[] {
  return claim
    .filter((word) => !hasWord(near, word))
    .flatMap((word) =>
      statement
        .filter(
          (other) => areOpposed(word.term, other.term) && !(word.isUnit === true && other.isUnit === true),
        )
        .filter((other) => {
          const around = termsBeside(statement, other);
          return termsBeside(claim, word).some((near) => hasWord(around, near));
        })
        .map(
          (other): ClaimDifference => ({
            kind: 'beside',
            claim: word.text,
            source: other.text,
            frame: 0,
            isTight: false,
          }),
        ),
    );
}

/** What stands before one of these and what stands behind it are not to be exchanged. */
const PIVOTS: readonly ReadonlySet<string>[] = [
  'over instead than rather',
  'before until',
  'after once',
  'by',
  'to',
  'but',
].map((line) => new Set(line.split(' ')));
const PIVOT_REACH = 3;

export function turnedAround(
  claim: readonly ComparedWord[],
  near: readonly ComparedWord[],
): ClaimDifference[] {
  return PIVOTS.flatMap((pivots) => {
    const own = aroundPivot(claim, pivots);
    // Of several of one clause none tells what belongs to which: "divide it by 12 and multiply it by 4".
    return (own.length > 1 ? [] : own).flatMap((a) =>
      aroundPivot(near, pivots).flatMap((b): ClaimDifference[] => {
        const first = a.left.find((word) => hasWord(b.right, word) && !hasWord(b.left, word));
        const second = a.right.find((word) => hasWord(b.left, word) && !hasWord(b.right, word));
        if (first === undefined || second === undefined) return [];
        const claimed = `${first.text} ${a.pivot} ${second.text}`;
        return [
          {
            kind: 'order',
            claim: claimed,
            source: `${second.text} ${b.pivot} ${first.text}`,
            frame: 0,
            isTight: false,
          },
        ];
      }),
    );
  });
}

/** Words between `from` and `to`, `not` and `but`. */
const FROM_REACH = 4;
const isPivot = (words: readonly ComparedWord[], at: number, pivots: ReadonlySet<string>): boolean => {
  const text = words[at]?.text.toLowerCase() ?? '';
  const before = words.slice(Math.max(0, at - FROM_REACH), at).map((word) => word.text.toLowerCase());
  if (text === 'to') return pivots.has(text) && before.includes('from');
  if (text === 'but') return pivots.has(text) && before.includes('not') && !before.includes('only');
  // "Rather than" is one.
  return pivots.has(text) && !(text === 'than' && before.at(-1) === 'rather');
};

function aroundPivot(words: readonly ComparedWord[], pivots: ReadonlySet<string>) {
  return words.flatMap((word, at) =>
    isPivot(words, at, pivots)
      ? [
          {
            pivot: word.text,
            left: words.slice(0, at).filter(isCompared).slice(-PIVOT_REACH),
            right: words
              .slice(at + 1)
              .filter(isCompared)
              .slice(0, PIVOT_REACH),
          },
        ]
      : [],
  );
}

const CAUSES: ReadonlySet<string> = new Set(['because', 'since', 'due', 'therefore']);
/** Shares of the terms before the reason that both have, and of those behind it. */
const SAME_EFFECT = 0.6;
const SAME_CAUSE = 0.34;

/** The same, and another reason for it. */
export function otherCause(claim: readonly ComparedWord[], statement: SourceStatement): ClaimDifference[] {
  const [own, other] = [claim, statement].map((words) =>
    words.findIndex(({ text }) => CAUSES.has(text.toLowerCase())),
  );
  if (own === undefined || other === undefined || own < 1 || other < 1) return [];
  const share = (words: readonly ComparedWord[], held: readonly ComparedWord[]): number => {
    const terms = words.filter(isCompared);
    return terms.length === 0 ? 0 : terms.filter((word) => hasWord(held, word)).length / terms.length;
  };
  const [reason, otherReason] = [claim.slice(own + 1), statement.slice(other + 1)];
  const isOther =
    share(claim.slice(0, own), statement.slice(0, other)) >= SAME_EFFECT &&
    share(reason, otherReason) <= SAME_CAUSE &&
    reason.some(isTerm);
  return isOther
    ? [{ kind: 'cause', claim: textOf(reason), source: textOf(otherReason), frame: 0, isTight: false }]
    : [];
}
