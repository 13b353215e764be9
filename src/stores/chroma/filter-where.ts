import { compareText, type Filter, type RangeBounds } from '../../core/filter.js';
import type { MetadataScalar } from '../../core/metadata.js';
import { FIRST_NUMBER_PIECE, FIRST_TEXT_PIECE, orderedPieces, prefixPieces } from '../ordered-pieces.js';
import { isSystemField } from '../record-fields.js';
import { elementFact, FACTS, type FieldKeys, fieldKeys, LEVEL_CEILING, pieceKey } from './metadata-keys.js';
import { all, any, type Condition, negate } from './where-condition.js';

/**
 * Reads the distinct values that lie under a key in the records of a condition. Asked only for texts that agree in all the
 * pieces that are kept, which few do.
 */
export type ValueReader = (condition: Condition, key: string) => Promise<readonly string[]>;

type Leaf = Exclude<Filter, { readonly op: 'and' | 'or' | 'not' }>;
type BoundOperator = '$gt' | '$gte' | '$lt' | '$lte';

/** A filter as a condition that Chroma runs, equal to `matchesFilter` record by record. */
export async function compileFilter(filter: Filter, readValues: ValueReader): Promise<Condition> {
  switch (filter.op) {
    case 'and':
    case 'or': {
      const parts: Condition[] = [];
      for (const part of filter.filters) parts.push(await compileFilter(part, readValues));
      return filter.op === 'and' ? all(...parts) : any(...parts);
    }
    case 'not':
      return negate(await compileFilter(filter.filter, readValues));
    default:
      return compileLeaf(filter, readValues);
  }
}

/**
 * A condition that every record of the filter meets, of the fewest lookups: the values that its conjuncts ask for. True where it
 * asks for none. Left out are the facts, each of which the server collects from nearly all records, and the tenant, which
 * most collections have one of.
 */
export const narrowingCondition = (filter: Filter): Condition =>
  all(
    ...conjunctsOf(filter)
      .filter(isNarrowing)
      .map((part) => isOneOf(fieldKeys(part.field), part.op === 'eq' ? [part.value] : part.values)),
  );

/** Whether a conjunct takes part in `narrowingCondition`. */
export const isNarrowing = (part: Filter): part is Extract<Filter, { readonly op: 'eq' | 'in' }> =>
  (part.op === 'eq' || part.op === 'in') && part.field !== '$tenant';

/** The parts of nested ANDs. */
export const conjunctsOf = (filter: Filter): readonly Filter[] =>
  filter.op === 'and' ? filter.filters.flatMap(conjunctsOf) : [filter];

async function compileLeaf(filter: Leaf, readValues: ValueReader): Promise<Condition> {
  const { field } = filter;
  const keys = fieldKeys(field);
  const present: Condition = keys.fact === undefined ? true : isFact(keys.fact);
  switch (filter.op) {
    case 'exists':
      return present;
    case 'contains':
      return isSystemField(field) && !keys.isList ? false : isFact(elementFact(field, filter.value));
    case 'eq':
      return all(present, isOneOf(keys, [filter.value]));
    case 'in':
      return all(present, isOneOf(keys, filter.values));
    case 'prefix':
      return keys.isList ? false : all(present, await startsWith(field, filter.value, readValues));
    case 'range':
      return keys.isList ? false : all(present, await isWithin(field, filter, readValues));
  }
}

const isFact = (fact: string): Condition => ({ key: FACTS, operator: '$contains', value: fact });

function isOneOf({ value: key, encode, isList }: FieldKeys, values: readonly MetadataScalar[]): Condition {
  const encoded = isList ? [] : [...new Set(values.flatMap((value) => encode(value) ?? []))];
  return isOneOfStored(key, encoded);
}

function isOneOfStored(key: string, stored: readonly string[]): Condition {
  const [first] = stored;
  if (first === undefined) return false;
  return stored.length === 1
    ? { key, operator: '$eq', value: first }
    : { key, operator: '$in', values: stored };
}

async function isWithin(field: string, range: RangeBounds, readValues: ValueReader): Promise<Condition> {
  const bounds = boundsOf(range);
  const types = new Set(bounds.map(([, bound]) => (typeof bound === 'string' ? 'text' : 'number')));
  if (types.size > 1) return false;
  const parts: Condition[] = isOfType(pieceKey(field, 0), types, range);
  for (const [operator, bound] of bounds)
    parts.push(
      levelAtMost(field, operator, bound) ?? (await compares(field, { operator, bound }, readValues)),
    );
  return all(...parts);
}

/** Holds a value within its type, at the ends that no bound closes. */
function isOfType(key: string, types: ReadonlySet<'text' | 'number'>, range: RangeBounds): Condition[] {
  const hasLower = range.gt !== undefined || range.gte !== undefined;
  const hasUpper = range.lt !== undefined || range.lte !== undefined;
  const first = types.has('text') ? FIRST_TEXT_PIECE : FIRST_NUMBER_PIECE;
  // Nothing comes after texts, and every level is a number.
  const needsEnd = types.has('number') && !hasUpper;
  if (key === pieceKey('$level', 0)) return [!types.has('text')];
  return [
    hasLower || { key, operator: '$gte', value: first },
    !needsEnd || { key, operator: '$lt', value: FIRST_TEXT_PIECE },
  ];
}

function levelAtMost(field: string, operator: BoundOperator, bound: string | number): Condition | undefined {
  const isWhole = typeof bound === 'number' && Number.isSafeInteger(bound);
  if (field !== '$level' || !isWhole || (operator !== '$lte' && operator !== '$gt')) return undefined;
  return { key: LEVEL_CEILING, operator, value: bound + 0 };
}

const boundsOf = (range: RangeBounds): (readonly [BoundOperator, string | number])[] =>
  (
    [
      ['$gt', range.gt],
      ['$gte', range.gte],
      ['$lt', range.lt],
      ['$lte', range.lte],
    ] as const
  ).flatMap(([operator, bound]) => (bound === undefined ? [] : [[operator, bound] as const]));

async function compares(
  field: string,
  { operator, bound }: { readonly operator: BoundOperator; readonly bound: string | number },
  readValues: ValueReader,
): Promise<Condition> {
  const pieces = orderedPieces(bound);
  const { pieces: kept } = fieldKeys(field);
  const strict = operator === '$gt' || operator === '$gte' ? '$gt' : '$lt';
  const isWhole = pieces.length <= kept;
  const known = pieces.slice(0, kept);
  const atEnd: Condition = isWhole
    ? operator !== strict
    : await isSharedText(
        field,
        { known, holds: (text) => holds(operator, compareText(text, `${bound}`)) },
        readValues,
      );
  // From the last piece back: greater here, or equal here and (greater in the next, or ...).
  return known.reduceRight<Condition>((rest, piece, index) => {
    const key = pieceKey(field, index);
    return any({ key, operator: strict, value: piece }, all({ key, operator: '$eq', value: piece }, rest));
  }, atEnd);
}

const holds = (operator: BoundOperator, order: number): boolean =>
  ({ $gt: order > 0, $gte: order >= 0, $lt: order < 0, $lte: order <= 0 })[operator];

async function startsWith(field: string, prefix: string, readValues: ValueReader): Promise<Condition> {
  const { shared, last } = prefixPieces(prefix);
  const { pieces: kept } = fieldKeys(field);
  const known = shared.slice(0, kept);
  const agrees = all(...agreement(field, known));
  if (shared.length + (last === undefined ? 0 : 1) <= kept)
    return last === undefined ? agrees : all(agrees, isInSpan(pieceKey(field, shared.length), last));
  return all(
    agrees,
    await isSharedText(field, { known, holds: (text) => text.startsWith(prefix) }, readValues),
  );
}

/** Of the texts that agree in all kept pieces, those that the test holds for, read from the server and named one by one. */
async function isSharedText(
  field: string,
  shared: { readonly known: readonly number[]; readonly holds: (text: string) => boolean },
  readValues: ValueReader,
): Promise<Condition> {
  const { value: key, decodeText, fact } = fieldKeys(field);
  const present: Condition = fact === undefined ? true : isFact(fact);
  const stored = await readValues(all(present, ...agreement(field, shared.known)), key);
  const admitted = stored.filter((value) => {
    const text = decodeText(value);
    return text !== undefined && shared.holds(text);
  });
  return isOneOfStored(key, admitted);
}

const agreement = (field: string, pieces: readonly number[]): Condition[] =>
  pieces.map((piece, index) => ({ key: pieceKey(field, index), operator: '$eq', value: piece }));

const isInSpan = (
  key: string,
  { from, before }: { readonly from: number; readonly before: number },
): Condition => all({ key, operator: '$gte', value: from }, { key, operator: '$lt', value: before });
