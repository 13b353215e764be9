import type { StoredChunk } from '../core/chunk.js';
import { compareText, type Filter, type RangeBounds } from '../core/filter.js';
import { all, any, anyOf, type Comparison, type Condition, type Fact, not } from './filter-condition.js';
import { orderedPieces, prefixPieces } from './ordered-pieces.js';
import { piecesKept } from './record-facts.js';
import { fieldLookup } from './record-fields.js';

/**
 * Reads the texts that a field has in the records of a condition. Asked only for texts that agree in all the pieces that are
 * kept, which few do.
 */
export type TextReader = (condition: Condition, field: string) => Promise<readonly string[]>;

/** Reads texts out of the chunks that a condition, which is no constant, admits. */
export const textsOfChunks =
  (chunksOf: (condition: Exclude<Condition, boolean>) => AsyncIterable<readonly StoredChunk[]>): TextReader =>
  async (condition, field) => {
    if (typeof condition === 'boolean') return [];
    const texts = new Set<string>();
    for await (const chunks of chunksOf(condition))
      for (const chunk of chunks) {
        const value = fieldLookup(chunk)(field);
        if (typeof value === 'string') texts.add(value);
      }
    return [...texts];
  };

type Leaf = Exclude<Filter, { readonly op: 'and' | 'or' | 'not' }>;

/** A filter as a condition that is yes for exactly what `matchesFilter` admits. */
export async function compileFilter(filter: Filter, readTexts: TextReader): Promise<Condition> {
  switch (filter.op) {
    case 'and':
    case 'or': {
      const parts: Condition[] = [];
      for (const part of filter.filters) parts.push(await compileFilter(part, readTexts));
      return filter.op === 'and' ? all(...parts) : any(...parts);
    }
    case 'not':
      return not(await compileFilter(filter.filter, readTexts));
    default:
      return compileLeaf(filter, readTexts);
  }
}

async function compileLeaf(filter: Leaf, readTexts: TextReader): Promise<Condition> {
  const { field } = filter;
  switch (filter.op) {
    case 'exists':
      return anyOf([{ is: 'present', field }]);
    case 'contains':
      return anyOf([{ is: 'element', field, value: filter.value }]);
    case 'eq':
      return anyOf([{ is: 'value', field, value: filter.value }]);
    case 'in':
      return anyOf(filter.values.map((value): Fact => ({ is: 'value', field, value })));
    case 'prefix':
      return all(isText(field), await startsWith(field, filter.value, readTexts));
    case 'range':
      return isWithin(field, filter, readTexts);
  }
}

const isText = (field: string): Condition => anyOf([{ is: 'text', field }]);
const isNumber = (field: string): Condition => anyOf([{ is: 'number', field }]);

async function isWithin(field: string, range: RangeBounds, readTexts: TextReader): Promise<Condition> {
  const bounds = boundsOf(range);
  const types = new Set(bounds.map(([, bound]) => typeof bound));
  // Without any bound a range admits whatever has an order: numbers and text.
  if (types.size === 0) return any(isNumber(field), isText(field));
  if (types.size > 1) return false;
  const parts: Condition[] = [types.has('number') ? isNumber(field) : isText(field)];
  for (const [comparison, bound] of bounds)
    parts.push(
      typeof bound === 'number'
        ? comparesNumber(field, comparison, bound)
        : await comparesText(field, { comparison, bound }, readTexts),
    );
  return all(...parts);
}

type Bound = readonly [Exclude<Comparison, '='>, string | number];

const boundsOf = ({ gt, gte, lt, lte }: RangeBounds): Bound[] =>
  (
    [
      ['>', gt],
      ['>=', gte],
      ['<', lt],
      ['<=', lte],
    ] as const
  ).flatMap(([comparison, bound]): Bound[] => (bound === undefined ? [] : [[comparison, bound]]));

function comparesNumber(field: string, comparison: Bound[0], bound: number): Condition {
  // JSON has no infinity, and no stored number is infinite.
  if (!Number.isFinite(bound)) return comparison.startsWith('<') === bound > 0;
  return { number: field, comparison, operand: bound + 0 };
}

async function comparesText(
  field: string,
  { comparison, bound }: { readonly comparison: Bound[0]; readonly bound: string },
  readTexts: TextReader,
): Promise<Condition> {
  const pieces = orderedPieces(bound);
  const kept = piecesKept(field);
  const strict = comparison.startsWith('>') ? '>' : '<';
  const known = pieces.slice(0, kept);
  const atEnd: Condition =
    pieces.length <= kept
      ? comparison !== strict
      : await isSharedText(
          field,
          { known, holds: (text) => holds(comparison, compareText(text, bound)) },
          readTexts,
        );
  // From the last piece back: greater here, or equal here and (greater in the next, or ...).
  return known.reduceRight<Condition>((rest, operand, piece) => {
    const differs = { text: field, piece, comparison: strict, operand } as const;
    return any(differs, all({ text: field, piece, comparison: '=', operand }, rest));
  }, atEnd);
}

const holds = (comparison: Bound[0], order: number): boolean =>
  ({ '>': order > 0, '>=': order >= 0, '<': order < 0, '<=': order <= 0 })[comparison];

async function startsWith(field: string, prefix: string, readTexts: TextReader): Promise<Condition> {
  const { shared, last } = prefixPieces(prefix);
  const kept = piecesKept(field);
  const known = shared.slice(0, kept);
  const agrees = all(...agreement(field, known));
  if (shared.length + (last === undefined ? 0 : 1) <= kept) {
    if (last === undefined) return agrees;
    const piece = shared.length;
    return all(
      agrees,
      { text: field, piece, comparison: '>=', operand: last.from },
      { text: field, piece, comparison: '<', operand: last.before },
    );
  }
  return all(
    agrees,
    await isSharedText(field, { known, holds: (text) => text.startsWith(prefix) }, readTexts),
  );
}

/** Of the texts that agree in all kept pieces, those that the test holds for, read from the server and named one by one. */
async function isSharedText(
  field: string,
  shared: { readonly known: readonly number[]; readonly holds: (text: string) => boolean },
  readTexts: TextReader,
): Promise<Condition> {
  const texts = await readTexts(all(isText(field), ...agreement(field, shared.known)), field);
  return anyOf(texts.filter(shared.holds).map((value): Fact => ({ is: 'value', field, value })));
}

const agreement = (field: string, pieces: readonly number[]): Condition[] =>
  pieces.map((operand, piece) => ({ text: field, piece, comparison: '=', operand }));
