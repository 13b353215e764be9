import { madeWhenAsked } from '../core/made-once.js';
import { areAlternatives, areOpposite } from '../relations/conflicts/opposites.js';
import { termOf } from '../relations/conflicts/word-classes.js';

/** Words that exclude each other where both say something of the same thing; more than two in a line are all but the first against the first. */
const OPPOSED = [
  'accept refuse reject decline deny, accepted refused rejected declined denied, approve decline, agree disagree refuse',
  'allow forbid prohibit prevent block refuse reject deny, allowed refused rejected blocked prevented, adopt reject abandon drop, adopted rejected abandoned dropped',
  'increase decrease reduce lower cut shrink, increased decreased reduced lowered cut shrank, rise fall drop, rose fell dropped, raise lower reduce, raised lowered reduced',
  'grow shrink fall, grew shrank fell, gain lose, gained lost, more less fewer, most least fewest, larger smaller, bigger smaller, large small, greater less smaller lower',
  'higher lower, highest lowest, high low, longer shorter, longest shortest, long short, faster slower, fast slow, fastest slowest, quicker slower, better worse, best worst',
  'earlier later, early late, earliest latest, before after, first last, oldest newest, older newer, old new, previous next, start end, begin end stop, started stopped ended',
  'above below under beneath, over under below, inside outside, within outside, up down, top bottom, left right, upper lower, ascending descending, ascend descend',
  'always never sometimes rarely seldom, often rarely seldom never, all none some few, every no, everyone nobody, everybody nobody, both neither, any none',
  'many few, most few, much little, easy hard difficult, easily hardly difficult hard impossible, easier harder, simple difficult complicated, forever briefly temporarily, indefinitely briefly temporarily',
  'add remove delete drop, added removed deleted dropped, keep remove delete drop discard lose, kept removed deleted dropped discarded lost, retain delete drop',
  'include exclude omit skip, included excluded omitted skipped, includes excludes omits skips, with without, open close shut, opened closed, opens closes',
  'enable disable, enabled disabled, on off, lock unlock, locked unlocked, mount unmount, install uninstall, connect disconnect, connected disconnected',
  'pass fail, passed failed, succeed fail, succeeded failed, success failure, solve cause, win lose, won lost, healthy unhealthy broken, working broken',
  'read write, reads writes, send receive, sent received, sends receives, upload download, uploads downloads, uploaded downloaded, import export, imports exports, push pull',
  'source target, sender recipient receiver, client server, server phone, input output, request response, producer consumer, parent child, internal external',
  'present absent missing, full empty, empty full, true false, same different, equal unequal, single several multiple, alone together, optional required mandatory',
  'manual automatic automated, manually automatically, public private, local remote, global local, temporary permanent, static dynamic, synchronous asynchronous',
  'encrypted plain unencrypted, safe unsafe dangerous, valid invalid, known unknown, visible hidden, online offline, available unavailable, possible impossible',
  'buy sell, bought sold, borrow lend, free paid, cheaper costlier dearer, daily weekly hourly monthly yearly nightly, weekly daily monthly yearly, monthly yearly quarterly',
  'upgrade downgrade, upgrading downgrading, upgraded downgraded, ahead behind, minimum maximum, upwards downwards, forward backward, forwards backwards',
  'immediately later eventually, instantly later eventually, duplicate unique, prior subsequent, primary secondary standby replica, active passive inactive, day night',
  'sensitive insensitive, stateful stateless, strong weak, strengthen weaken, light dark, hot cold, warm cold, heat cool, freeze thaw melt',
  'multiply divide, addition subtraction, add subtract, sum difference, numerator denominator, positive negative, plus minus, odd even, round truncate',
  'expand collapse contract shrink, enlarge shrink reduce, extend shorten, widen narrow, wide narrow, deep shallow, thick thin, heavy light, tighten loosen, harden soften, hard soft',
  'append prepend, prefix suffix, leading trailing, header footer, front back, near far, nearest farthest, closest farthest, inner outer, horizontal vertical, horizontally vertically',
  'lazy eager, lazily eagerly, serial parallel, sequential parallel concurrent random, sequentially parallel concurrently, ingress egress, entry exit, enter leave exit, arrive depart leave',
  'resume pause freeze suspend, resumed paused frozen suspended, accelerate slow, strict lenient, optimistic pessimistic, verbose quiet, virtual physical, liquid solid, wet dry, clean dirty',
  'exceed miss, exceeded missed, meet miss, met missed, grant revoke withhold, granted revoked withheld, acquire release, commit abort, cover exclude, hire dismiss fire, promote demote',
  'credit debit, deposit withdraw withdrawal, profit loss, gross net, asset liability, supply demand, deficit surplus, majority minority, prefer avoid, recommend avoid discourage',
  'employer employee, landlord tenant, lender borrower, buyer seller, teacher student, plaintiff defendant, attacker defender, caller callee, reader writer, sooner later, singular plural',
  'appear vanish, remember forget, attach detach, attack defend, confirm deny, admit deny, tie untie, save spend, fill empty drain, ask answer, east west, north south, uppercase lowercase',
];

/** Places in a row: each excludes the others. */
const ordinals = madeWhenAsked(
  (): ReadonlySet<string> =>
    new Set(
      'first second third fourth fifth sixth seventh eighth ninth tenth'
        .split(' ')
        .flatMap((word) => [word, termOf(word)]),
    ),
);

/** Words of grammar are compared as they are written. */
const formsOf = (word: string): string[] => [...new Set([word, termOf(word)])];

/** Each first word of a line with each of the others, both ways. */
const pairsOf = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(
    lines.flatMap((line) => {
      const [first = [], ...others] = line.split(' ').map(formsOf);
      return others.flat().flatMap((b) => first.flatMap((a) => [`${a} ${b}`, `${b} ${a}`]));
    }),
  );

const pairs = madeWhenAsked(() => pairsOf(OPPOSED.join(', ').split(', ')));

/** Whether two terms exclude each other as words for one thing: another direction, order, state or measure. Terms are those of `termOf`. */
export const areOpposed = (a: string, b: string): boolean =>
  pairs().has(`${a} ${b}`) ||
  (a !== b && ordinals().has(a) && ordinals().has(b)) ||
  areOpposite(a, b) ||
  isUndone(a, b) ||
  isUndone(b, a) ||
  haveOpposedPrefixes(a, b) ||
  (areAlternatives(a, b) && !(modals().has(a) && modals().has(b)));

const LEAST_UNDONE = 5;
const UNDOING = /^(?:un|dis|non-?|in|im|il|ir|de|counter|anti|a(?=syn))/u;
/** `uncompressed` of `compressed`, `unreachable` of `reachable`, `disassemble` of `assemble`: the other word may be a longer form. */
const isUndone = (word: string, other: string): boolean => {
  const rest = word.replace(UNDOING, '');
  return rest !== word && rest.length >= LEAST_UNDONE && other.startsWith(rest);
};

/** Prefixes that lead to opposites before the same rest: `encrypt` and `decrypt`, `inflow` and `outflow`. */
const OPPOSED_PREFIXES = 'en-de in-de in-ex im-ex in-out up-down over-under pre-post'
  .split(' ')
  .map((pair) => pair.split('-'));
const LEAST_REST = 3;

const haveOpposedPrefixes = (a: string, b: string): boolean =>
  OPPOSED_PREFIXES.some((pair) =>
    [pair, [...pair].reverse()].some(
      ([one = '', other = '']) =>
        a.startsWith(one) &&
        b.startsWith(other) &&
        a.length >= one.length + LEAST_REST &&
        a.slice(one.length) === b.slice(other.length),
    ),
  );

const PREFIX = /^(?:un|in|im|il|ir|dis|non-?|de)(?=\p{L}{3})/u;
/** Of these nothing is neither: what is not the one is the other. */
const eitherOr = madeWhenAsked(() =>
  pairsOf([
    'open closed shut',
    'pass fail',
    'accept refuse reject',
    'allow forbid forbidden prohibit',
    'optional required mandatory',
    'possible impossible',
    'manual automatic',
    'same different',
    'include exclude',
    'public private',
    'present absent',
    'keep delete',
  ]),
);

/** Whether two terms exclude each other so that what is not the one is the other: valid and invalid, not small and large. */
export const areContradictory = (a: string, b: string): boolean =>
  eitherOr().has(`${a} ${b}`) ||
  isUndone(a, b) ||
  isUndone(b, a) ||
  (areOpposed(a, b) && (a.replace(PREFIX, '') === b || b.replace(PREFIX, '') === a));

/** Other ways of saying how far something is wanted: "can" and "may" are often the same. */
const modals = madeWhenAsked(
  (): ReadonlySet<string> => new Set(['should', 'may', 'can', 'must', termOf('must')]),
);
