import { type PassageUnit, passageUnits } from '../core/analysis/passage-units.js';
import { inActiveVoice } from './active-voice.js';
import {
  areSameAmount,
  areSameTerm,
  areSameWord,
  type ComparedWord,
  comparedWords,
  isNumber,
  isTerm,
} from './compared-words.js';

/** A sentence of a source, or a part of one that could be a sentence; a row of a table with what its head says of each cell. */
export type SourceStatement = readonly ComparedWord[];

/** Dashes between two numbers make a range; a colon behind few words belongs to a label. */
const PART =
  /;(?=\s)|(?<=\S\s{1,4}\S{1,40}\s{1,4}\S{1,40}\s{1,4}\S{1,40}):(?=\s)|\s[–—-]\s(?!\d)|(?<!\d)\s[–—-]\s/;
/** The rest of a longer one is compared with nothing. */
const MOST_WORDS = 300;

/** A unit of a passage; of an item of a list with the words that lead in to it: `Not supported:`, `## Out of scope`. */
export interface LedUnit extends PassageUnit {
  /** Empty where nothing does. */
  readonly lead: string;
}

export function ledUnits(text: string): LedUnit[] {
  let lead = '';
  return passageUnits(text).map((unit) => {
    if (unit.kind !== 'list-item') lead = leadIn(text.slice(unit.start, unit.end), unit.kind === 'heading');
    return { ...unit, lead: unit.kind === 'list-item' ? lead : '' };
  });
}

/** The statements of a text in order. */
export function statementsOf(text: string, units: readonly LedUnit[] = ledUnits(text)): SourceStatement[] {
  let head: readonly string[] = [];
  return units
    .flatMap(({ kind, start, end, lead }) => {
      const unit = text.slice(start, end);
      if (lead !== '') return unit.split(PART).map((part) => wordsOf(withLead(lead, part)));
      if (kind === 'table-row')
        return [
          wordsOf(
            cellsOf(unit)
              .map((cell, column) => named(cell, head[column], column))
              .join(', '),
          ),
        ];
      if (kind !== 'table-head') return partsOf(unit);
      if (/[^\s|:-]/.test(unit)) head = cellsOf(unit);
      return [];
    })
    .filter((words) => words.length > 0);
}

const ITEM_MARK = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
/** Words of what leads in to a list. */
const MOST_LEADING = 8;

function leadIn(unit: string, isHeading: boolean): string {
  const isLead = isHeading || /:[*_]*$/.test(unit);
  const words = unit
    .replace(/^[#\s]+|[\s#]+$|\n[=-]+$/g, '')
    .replace(/[*_]*:[*_]*$/, '')
    .replace(FOLLOWING, '')
    .trim();
  return isLead && words.split(/\s+/).length <= MOST_LEADING ? words : '';
}

/** These lead in from the front: "Employees must never", "Avoid". What is said of the items is as well said behind them: "Oracle 19c is not supported". */
const LEADS_FROM_FRONT =
  /^\S+$|\b(?:not|never|no|cannot|can|may|must|should|do|to|only|\w+n['’]t|avoid|prefer|use)$/i;
const FOLLOWING = /\b(?:the )?following\b[ ,]*/i;

/** A part of an item of a list with what leads in to the list. */
export function withLead(lead: string, asWritten: string): string {
  if (lead === '') return asWritten;
  const part = asWritten.replace(ITEM_MARK, '');
  return LEADS_FROM_FRONT.test(lead) ? `${lead}: ${part}` : `${part} ${uncapitalised(lead)}`;
}

const uncapitalised = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** A field: `Root Cause: The timeout`. One word before a colon may be the name of what is told of. */
const LABEL = /^[^\p{L}\p{N}]*((?:\p{Lu}\p{L}* ){1,3}\p{Lu}\p{L}*)[*_]*:[*_]*\s/gmu;

const wordsOf = (text: string): SourceStatement => inActiveVoice(comparedWords(text).slice(0, MOST_WORDS));

/** The parts of a sentence or item. Capitals of a label make no names. */
function partsOf(unit: string): SourceStatement[] {
  const labels = new Set([...unit.matchAll(LABEL)].flatMap(([, label = '']) => label.split(' ')));
  const parts = unit.split(PART).map(wordsOf);
  if (labels.size === 0) return parts;
  return parts.map((words) =>
    words.map((word) =>
      word.kind === 'name' && labels.has(word.text) ? { ...word, kind: 'content' } : word,
    ),
  );
}

const cellsOf = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** What a row is about stands in its first cell and needs no name. */
const named = (cell: string, head: string | undefined, column: number): string =>
  column === 0 || head === undefined ? cell : `${head} ${cell}`;

const MOST_STATEMENTS = 3;
/** Share of a claim's words that another statement has to add. */
const LEAST_ADDED = 0.2;
/** A name or number says more of where a claim is from than another word. */
const NAME_WEIGHT = 2;

/** A source as claims are compared with it, read once. */
export class SourceText {
  readonly statements: readonly SourceStatement[];
  readonly #vocabulary = new Map<string, Set<number>>();
  readonly #amounts: readonly ComparedWord[];
  readonly #squeezed: string;
  /** Statements by words that were looked up. */
  readonly #found = new Map<string, ReadonlySet<number>>();

  constructor(statements: readonly SourceStatement[]) {
    this.statements = statements;
    const words = statements.flat();
    for (const [at, statement] of statements.entries()) {
      for (const word of statement.filter(isTerm)) {
        const places = this.#vocabulary.get(word.term) ?? new Set();
        this.#vocabulary.set(word.term, places.add(at));
      }
    }
    this.#amounts = words.filter((word) => isNumber(word) || word.quantity !== undefined);
    this.#squeezed = squeezed(words.map(({ text }) => text).join(''));
  }

  /** The word, a form of it, one that means nearly the same, or the same letters with other marks between them (`SHA-256`, `SHA256`). */
  has(word: ComparedWord): boolean {
    return this.#statementsWith(word).size > 0 || (word.kind === 'name' && this.#hasSqueezed(word.text));
  }

  /** A number, with its unit or without any. */
  hasAmount({ quantity, term }: ComparedWord): boolean {
    return this.#amounts.some((other) => {
      if (quantity === undefined || other.quantity === undefined) return other.term === term;
      return areSameAmount(quantity, other.quantity);
    });
  }

  /** A number of the same unit, or that counts the same. */
  hasOtherAmount({ quantity }: ComparedWord): boolean {
    return this.#amounts.some(
      ({ quantity: other }) =>
        other?.dimension === quantity?.dimension && other?.counted === quantity?.counted,
    );
  }

  /** The few statements that together hold most of a claim's words, in the order of the source. */
  near(claim: readonly ComparedWord[]): SourceStatement[] {
    const wanted = claim
      .filter((word) => isTerm(word) || isNumber(word))
      .map((word) => ({
        weight: word.kind === 'content' ? 1 : NAME_WEIGHT,
        places: this.#statementsWith(word),
      }));
    const least = Math.max(2, LEAST_ADDED * wanted.length);
    const chosen = new Set<number>();
    let missing = wanted;
    while (chosen.size < MOST_STATEMENTS) {
      const added = new Map<number, number>();
      for (const { weight, places } of missing)
        for (const place of places) added.set(place, (added.get(place) ?? 0) + weight);
      const [best] = [...added].sort(([a, most], [b, other]) => other - most || a - b);
      if (best === undefined || (chosen.size > 0 && best[1] < least)) break;
      chosen.add(best[0]);
      missing = missing.filter(({ places }) => !places.has(best[0]));
    }
    return [...chosen].sort((a, b) => a - b).flatMap((at) => [this.statements[at] ?? []]);
  }

  /** The statement that holds most of a claim's terms, whatever its numbers. */
  nearest(claim: readonly ComparedWord[]): SourceStatement {
    const held = new Map<number, number>();
    for (const word of claim.filter(isTerm))
      for (const place of this.#statementsWith(word)) held.set(place, (held.get(place) ?? 0) + 1);
    const [best] = [...held].sort(([a, most], [b, other]) => other - most || a - b);
    return best === undefined ? [] : (this.statements[best[0]] ?? []);
  }

  /** Statements that hold each of some words. */
  withAll(words: readonly ComparedWord[]): SourceStatement[] {
    const places = words.map((word) => this.#statementsWith(word));
    return this.statements.filter((_, at) => places.every((of) => of.has(at)));
  }

  #statementsWith(word: ComparedWord): ReadonlySet<number> {
    const key = `${word.kind === 'number' ? '#' : ''}${word.quantity?.dimension ?? ''}${word.quantity?.amount ?? ''} ${word.term}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const places = isTerm(word)
      ? [...this.#vocabulary].flatMap(([term, at]) => (areSameTerm(word.term, term) ? [...at] : []))
      : this.statements.flatMap((words, at) => (words.some((other) => areSameWord(word, other)) ? [at] : []));
    const found = new Set(places);
    this.#found.set(key, found);
    return found;
  }

  #hasSqueezed(text: string): boolean {
    const wanted = squeezed(text.replace(/['’]s$/, ''));
    return wanted.length > 1 && this.#squeezed.includes(wanted);
  }
}

const squeezed = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
