import type { TextRange } from '../core/document.js';
import { areAlternatives, areOpposite } from './opposites.js';
import { type Quantity, quantitiesOf } from './quantities.js';
import type { Statement } from './statements.js';
import type { StatementWord } from './words.js';

/** `quantity`: another number, amount, version or date. `negation`: one denies what the other says. `opposite`: words that exclude each other. `alternative`: another day, rhythm, rank. `name`: another name at the same place. */
export type DifferenceKind = 'quantity' | 'negation' | 'opposite' | 'alternative' | 'name';

export interface Difference {
  readonly kind: DifferenceKind;
  /** What differs, as each statement has it. Empty for a negation that the other one lacks. */
  readonly a: string;
  readonly b: string;
}

export interface Compared {
  /** Share of common terms (Dice), 0 to 1. */
  readonly overlap: number;
  readonly shared: number;
  readonly differences: readonly Difference[];
  /** Names on one side alone */
  readonly onlyA: readonly StatementWord[];
  readonly onlyB: readonly StatementWord[];
}

export interface Told {
  readonly text: string;
  readonly statement: Statement;
}

export function compare(a: Told, b: Told): Compared {
  const setA = new Set(a.statement.terms);
  const setB = new Set(b.statement.terms);
  const shared = a.statement.terms.filter((t) => setB.has(t)).length;
  const overlap = (2 * shared) / (setA.size + setB.size);
  const only = (words: readonly StatementWord[], other: ReadonlySet<string>) =>
    words.filter(({ kind, term }) => (kind === 'content' || kind === 'name') && !other.has(term));
  const onlyA = only(a.statement.words, setB);
  const onlyB = only(b.statement.words, setA);
  const differences = [
    ...quantities(a, b),
    ...polarity(a, b, onlyA, onlyB),
    ...alternatives(onlyA, onlyB, a, b),
    ...names(onlyA, onlyB, a, b),
  ];
  return { overlap, shared, differences, onlyA, onlyB };
}

const shown = ({ text }: Told, { start, end }: TextRange): string => text.slice(start, end);

function quantities(a: Told, b: Told): Difference[] {
  const qa = quantitiesOf(a.statement.words, a.text);
  const qb = quantitiesOf(b.statement.words, b.text);
  const key = (q: Quantity) => q.amount;
  const inA = new Set(qa.map(key));
  const inB = new Set(qb.map(key));
  const leftA = qa.filter((q) => !inB.has(key(q)));
  const leftB = qb.filter((q) => !inA.has(key(q)));
  const out: Difference[] = [];
  for (const q of leftA) {
    const r = leftB.find((r) => r.dimension === q.dimension);
    if (r === undefined) continue;
    leftB.splice(leftB.indexOf(r), 1);
    out.push({ kind: 'quantity', a: quote(a, q), b: quote(b, r) });
  }
  return out;
}

const quote = (told: Told, { at, end }: Quantity): string => {
  const first = told.statement.words[at];
  const last = told.statement.words[end - 1];
  return first === undefined || last === undefined ? '' : told.text.slice(first.start, last.end);
};

function polarity(
  a: Told,
  b: Told,
  onlyA: readonly StatementWord[],
  onlyB: readonly StatementWord[],
): Difference[] {
  const na = a.statement.words.filter(({ kind }) => kind === 'negation');
  const nb = b.statement.words.filter(({ kind }) => kind === 'negation');
  const pairs = onlyA.flatMap((x) => onlyB.flatMap((y) => (areOpposite(x.term, y.term) ? [[x, y] as const] : [])));
  const odd = (na.length + nb.length) % 2 === 1;
  if (odd === (pairs.length % 2 === 1)) return [];
  const [pair] = pairs;
  if (pair !== undefined) return [{ kind: 'opposite', a: shown(a, pair[0]), b: shown(b, pair[1]) }];
  return [
    {
      kind: 'negation',
      a: na[0] === undefined ? '' : shown(a, na[0]),
      b: nb[0] === undefined ? '' : shown(b, nb[0]),
    },
  ];
}

function alternatives(onlyA: readonly StatementWord[], onlyB: readonly StatementWord[], a: Told, b: Told): Difference[] {
  return onlyA.flatMap((x) => {
    const y = onlyB.find((y) => areAlternatives(x.term, y.term));
    return y === undefined ? [] : [{ kind: 'alternative' as const, a: shown(a, x), b: shown(b, y) }];
  });
}

function names(onlyA: readonly StatementWord[], onlyB: readonly StatementWord[], a: Told, b: Told): Difference[] {
  const x = onlyA.filter(({ kind }) => kind === 'name');
  const y = onlyB.filter(({ kind }) => kind === 'name');
  const [p] = x;
  const [q] = y;
  if (p === undefined || q === undefined) return [];
  return [{ kind: 'name', a: x.map((w) => shown(a, w)).join(' '), b: y.map((w) => shown(b, w)).join(' ') }];
}
