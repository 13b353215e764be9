import type { MetadataScalar } from '../../core/metadata.js';
import type { Atom, Comparison, Condition, Fact } from '../filter-condition.js';
import { factKey, fieldKey } from '../record-facts.js';
import { documentKey } from './azure-names.js';

/** Fields of the index that hold a text of the record as it is. */
const TEXT_FIELDS: Readonly<
  Record<string, { readonly name: string; readonly encode: (text: string) => string }>
> = {
  $tenant: { name: 'tenantId', encode: (text) => text },
  $project: { name: 'projectId', encode: (text) => text },
  $source: { name: 'source', encode: (text) => text },
  $documentId: { name: 'documentId', encode: (text) => text },
  $chunkId: { name: 'id', encode: documentKey },
};

/** The list of the index that holds what a chunk has; see `record-facts.ts`. */
const FACTS = 'facts';

const OPERATORS: Readonly<Record<Comparison, string>> = {
  '<': 'lt',
  '<=': 'le',
  '=': 'eq',
  '>=': 'ge',
  '>': 'gt',
};

/** A filter in OData; true where everything passes, false where nothing can. */
export type ODataFilter = string | boolean;

/**
 * A condition in the part of OData that the service knows. It compares numbers, but texts only for equality, which is why a
 * condition has pieces. Every text is a literal of `literal`, and nothing else of a filter comes from a caller.
 */
export function toOData(condition: Condition): ODataFilter {
  if (typeof condition === 'boolean') return condition;
  if ('all' in condition) return join('and', condition.all.map(toOData));
  if ('any' in condition) return join('or', condition.any.map(toOData));
  if ('not' in condition) return negate(toOData(condition.not));
  return atomOf(condition);
}

/** Both filters. */
export const bothOf = (a: ODataFilter, b: ODataFilter): ODataFilter => join('and', [a, b]);

/** A text as a literal: in single quotes, those within it doubled. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A number as a literal of Edm.Double: never one that could be read as a whole number, which has fewer digits. */
export function doubleLiteral(value: number): string {
  const digits = String(value + 0);
  return /^-?\d+$/.test(digits) ? `${digits}.0` : digits;
}

function join(operator: 'and' | 'or', parts: readonly ODataFilter[]): ODataFilter {
  const neutral = operator === 'and';
  if (parts.includes(!neutral)) return !neutral;
  const open = parts.filter((part) => typeof part === 'string');
  const [only] = open;
  if (only === undefined) return neutral;
  return open.length === 1 ? only : `(${open.join(` ${operator} `)})`;
}

const negate = (filter: ODataFilter): ODataFilter =>
  typeof filter === 'boolean' ? !filter : `(not ${filter.startsWith('(') ? filter : `(${filter})`})`;

function atomOf(atom: Atom): ODataFilter {
  if ('anyOf' in atom) return hasOneOf(atom.anyOf);
  const operator = OPERATORS[atom.comparison];
  if ('text' in atom) return ofOrdered(atom.text, `o/piece${atom.piece} ${operator} ${atom.operand}`);
  const operand = doubleLiteral(atom.operand);
  if (atom.number === '$level') return `level ${operator} ${operand}`;
  return ofOrdered(atom.number, `o/number ${operator} ${operand}`);
}

/** Every field has at most one entry in the list, so several of these about one field are about the same entry. */
const ofOrdered = (field: string, comparison: string): string =>
  `ordered/any(o: o/field eq ${literal(fieldKey(field))} and ${comparison})`;

function hasOneOf(facts: readonly Fact[]): ODataFilter {
  const keys: string[] = [];
  const groups: string[] = [];
  const texts = new Map<string, string[]>();
  for (const fact of facts) {
    if (fact.is === 'any') return true;
    const field =
      fact.is === 'value' && Object.hasOwn(TEXT_FIELDS, fact.field) ? TEXT_FIELDS[fact.field] : undefined;
    if (field !== undefined && 'value' in fact) addText(texts, field, fact.value);
    else if (fact.is === 'element' && fact.field === '$groups') groups.push(...textsOf(fact.value));
    else keys.push(factKey(fact));
  }
  return join('or', [
    ...[...texts].map(([name, values]) => isOneOf(name, values)),
    hasElement('groups', groups),
    hasElement(FACTS, keys),
  ]);
}

/** A field of texts equals nothing of another type. */
function addText(
  texts: Map<string, string[]>,
  { name, encode }: { readonly name: string; readonly encode: (text: string) => string },
  value: MetadataScalar,
): void {
  texts.set(name, [...(texts.get(name) ?? []), ...textsOf(value).map(encode)]);
}

const textsOf = (value: MetadataScalar): string[] => (typeof value === 'string' ? [value] : []);

function hasElement(list: string, values: readonly string[]): ODataFilter {
  const one = isOneOf('e', values);
  return typeof one === 'boolean' ? one : `${list}/any(e: ${one})`;
}

/** What a list of values may be parted by: one that none of them holds is taken. */
const DELIMITERS = ['|', ',', ';', '~', '^', '\t', '\u001f', '\u001e'];
/** `search.in` is one clause, however long its list; a chain of comparisons has a clause each, and hundreds are too many. */
const MIN_LIST = 2;

function isOneOf(variable: string, values: readonly string[]): ODataFilter {
  const distinct = [...new Set(values)];
  // Whether the service trims what it takes apart is not said, so what would change is compared by itself.
  const listed = distinct.filter((value) => value !== '' && value === value.trim());
  const delimiter = DELIMITERS.find((candidate) => !listed.some((value) => value.includes(candidate)));
  const isList = listed.length >= MIN_LIST && delimiter !== undefined;
  const compared = isList ? distinct.filter((value) => !listed.includes(value)) : distinct;
  return join('or', [
    ...(isList ? [`search.in(${variable}, ${literal(listed.join(delimiter))}, ${literal(delimiter)})`] : []),
    ...compared.map((value) => `${variable} eq ${literal(value)}`),
  ]);
}
