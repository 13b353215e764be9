import { madeWhenAsked } from '../../core/made-once.js';
import { termOf } from './word-classes.js';

/** Words that turn a statement round. */
export const NEGATIONS: ReadonlySet<string> = new Set(
  [
    "not no never none cannot neither nor without can't don't doesn't didn't isn't aren't wasn't weren't couldn't won't wouldn't",
    "shouldn't mustn't hasn't haven't hadn't needn't cant dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt",
  ]
    .join(' ')
    .split(' '),
);

/** Pairs that exclude each other. A statement with one instead of the other says the opposite. */
const PAIRS = [
  'enable disable, enabled disabled, allow forbid, allowed forbidden, allow prohibit, permit prohibit, allow disallow, permit forbid, allow deny',
  'supported unsupported, required optional, mandatory optional, required voluntary, mandatory voluntary, compulsory optional, public private',
  'synchronous asynchronous, minimum maximum, increase decrease, permit deny',
  'include exclude, included excluded, accept reject, approve reject',
  'possible impossible, available unavailable, paid unpaid, manual automatic, manually automatically, encouraged discouraged',
  'encourage discourage, recommended discouraged, safe unsafe, valid invalid, active inactive',
  'visible hidden, online offline, temporary permanent',
  'eligible ineligible, refundable nonrefundable, full partial, opt-in opt-out, inbound outbound, incoming outgoing, taxable untaxed, exempt nonexempt',
  'deprecated supported, encrypted unencrypted, necessary unnecessary, limited unlimited, restricted unrestricted, formal informal',
  'stable unstable, billable non-billable, hourly salaried, sync async, monolithic distributed',
  'retain delete, retained deleted, required unnecessary, part-time full-time',
]
  .join(', ')
  .split(', ')
  .map((pair) => pair.split(' '));

/** Alternatives of one kind: another one of the same list is another value. */
const ALTERNATIVES = [
  'monday tuesday wednesday thursday friday saturday sunday',
  'january february march april june july august september october november december',
  'jan feb mar apr jun jul aug sep sept oct nov dec',
  'morning afternoon evening night noon midnight',
  'red green blue yellow orange purple black white grey pink',
  'once twice thrice',
  'am pm',
  'major minor patch',
  'must should may can',
  'junior senior principal',
  'alpha beta stable',
  'dollar euro pound franc yen rupee yuan peso zloty krona',
  'litre gallon pint barrel',
].map((list) => list.split(' '));

const months = madeWhenAsked(
  (): ReadonlySet<string> => new Set([1, 2].flatMap((list) => (ALTERNATIVES[list] ?? []).map(termOf))),
);

export const isMonth = (term: string): boolean => months().has(term);

const opposites = madeWhenAsked(
  (): ReadonlySet<string> =>
    new Set(PAIRS.flatMap(([a = '', b = '']) => [`${termOf(a)} ${termOf(b)}`, `${termOf(b)} ${termOf(a)}`])),
);

const kinds = madeWhenAsked(
  (): ReadonlyMap<string, readonly number[]> =>
    ALTERNATIVES.flatMap((list, kind) => list.map((word) => [termOf(word), kind] as const)).reduce(
      (all, [word, kind]) => all.set(word, [...(all.get(word) ?? []), kind]),
      new Map<string, readonly number[]>(),
    ),
);

/** Whether two stemmed words exclude each other. */
export const areOpposite = (a: string, b: string): boolean => opposites().has(`${a} ${b}`);

/** Whether two different stemmed words are of one list of alternatives. */
export const areAlternatives = (a: string, b: string): boolean =>
  a !== b &&
  kinds()
    .get(a)
    ?.some((kind) => kinds().get(b)?.includes(kind) === true) === true;
