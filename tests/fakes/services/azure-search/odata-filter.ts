import type { FieldDefinition, IndexDefinition } from './index-definition.js';
import { fieldAt } from './index-definition.js';
import { type Constant, type Expression, ODataError, type Operator, parseFilter } from './odata-grammar.js';

/** A document as it is stored; lists of objects hold objects. */
export type StoredDocument = Readonly<Record<string, unknown>>;

export type Predicate = (document: StoredDocument) => boolean;

/** A filter that is held against the fields of an index, then run document by document. Throws `ODataError`. */
export function compileFilter(text: string, index: IndexDefinition): Predicate {
  return compile(parseFilter(text), { fields: index.fields, variable: undefined });
}

interface Bindings {
  /** What a path may begin with. */
  readonly fields: readonly FieldDefinition[];
  /** The range variable of the lambda that the expression stands in; without it no field may be named there. */
  readonly variable: { readonly name: string; readonly field: FieldDefinition } | undefined;
}

const TEXT = 'Edm.String';

function compile(expression: Expression, bindings: Bindings): Predicate {
  switch (expression.kind) {
    case 'and':
    case 'or': {
      const [left, right] = [compile(expression.left, bindings), compile(expression.right, bindings)];
      return expression.kind === 'and'
        ? (document) => left(document) && right(document)
        : (document) => left(document) || right(document);
    }
    case 'not': {
      const operand = compile(expression.operand, bindings);
      return (document) => !operand(document);
    }
    case 'literal':
      return () => expression.value;
    case 'variable': {
      const { field, read } = resolve(expression.path, bindings);
      if (field.type !== 'Edm.Boolean') throw new ODataError(`"${expression.path}" is not boolean.`);
      return (document) => read(document) === true;
    }
    case 'in': {
      const { field, read } = resolve(expression.path, bindings);
      // https://learn.microsoft.com/azure/search/search-query-odata-search-in-function
      if (field.type !== TEXT) throw new ODataError('search.in takes a field of type Edm.String.');
      return (document) => expression.values.has(String(read(document) ?? '\u0000none'));
    }
    case 'compare':
      return compileComparison(expression, bindings);
    case 'any':
    case 'all':
      return compileLambda(expression, bindings);
  }
}

function compileComparison(
  { path, operator, constant }: Extract<Expression, { kind: 'compare' }>,
  bindings: Bindings,
): Predicate {
  const { field, read } = resolve(path, bindings);
  const isOrder = operator !== 'eq' && operator !== 'ne';
  // "Azure AI Search does not support the lt/le/gt/ge operators for strings":
  // https://learn.microsoft.com/azure/search/search-query-troubleshoot-collection-filters
  if (isOrder && (field.type === TEXT || field.type === 'Edm.Boolean'))
    throw new ODataError(`The operator "${operator}" is not supported for ${field.type}.`);
  if (isOrder && constant.type === 'null') throw new ODataError(`"${operator}" null is not allowed.`);
  assertComparable(field, constant);
  const operand = operandOf(constant);
  return (document) => compares(comparableOf(field, read(document)), operator, operand);
}

/** https://learn.microsoft.com/azure/search/search-query-odata-comparison-operators */
function assertComparable({ name, type }: FieldDefinition, constant: Constant): void {
  const accepted: Readonly<Record<string, readonly Constant['type'][]>> = {
    [TEXT]: ['string', 'null'],
    'Edm.Boolean': ['boolean', 'null'],
    'Edm.DateTimeOffset': ['date', 'null'],
    'Edm.Double': ['double', 'integer', 'null'],
    'Edm.Int32': ['double', 'integer', 'null'],
    'Edm.Int64': ['double', 'integer', 'null'],
  };
  if (accepted[type]?.includes(constant.type) !== true)
    throw new ODataError(
      `"${name}" of type ${type} cannot be compared with a constant of type ${constant.type}.`,
    );
  const isWhole = type === 'Edm.Int32' || type === 'Edm.Int64';
  if (isWhole && constant.type === 'double' && !Number.isFinite(constant.value))
    throw new ODataError(`"${name}" cannot be compared with ${constant.value}.`);
}

const operandOf = (constant: Constant): unknown =>
  constant.type === 'null' ? null : constant.type === 'integer' ? Number(constant.value) : constant.value;

const comparableOf = ({ type }: FieldDefinition, value: unknown): unknown =>
  type === 'Edm.DateTimeOffset' && typeof value === 'string' ? Date.parse(value) : (value ?? null);

function compares(value: unknown, operator: Operator, operand: unknown): boolean {
  if (operator === 'eq') return value === operand;
  if (operator === 'ne') return value !== operand;
  if (typeof value !== 'number' || typeof operand !== 'number') return false;
  if (operator === 'gt') return value > operand;
  if (operator === 'ge') return value >= operand;
  return operator === 'lt' ? value < operand : value <= operand;
}

function compileLambda(
  { kind, path, lambda }: Extract<Expression, { kind: 'any' | 'all' }>,
  bindings: Bindings,
): Predicate {
  const { field, read } = resolve(path, bindings, true);
  const elementType = /^Collection\((.+)\)$/.exec(field.type)?.[1];
  if (elementType === undefined) throw new ODataError(`"${path}" is no collection.`);
  const elements = (document: StoredDocument): readonly unknown[] => {
    const value = read(document);
    return Array.isArray(value) ? value : [];
  };
  if (lambda === undefined) return (document) => elements(document).length > 0;
  if (elementType === TEXT) assertStringLambda(kind, lambda.body);
  const element: FieldDefinition = { ...field, type: elementType };
  const body = compile(lambda.body, { fields: [], variable: { name: lambda.variable, field: element } });
  // The element stands under the name of the variable, which is all that its body may name.
  const holds = (value: unknown): boolean => body({ [lambda.variable]: value });
  return kind === 'any'
    ? (document) => elements(document).some(holds)
    : (document) => elements(document).every(holds);
}

/** Rules for string collections: https://learn.microsoft.com/azure/search/search-query-troubleshoot-collection-filters */
function assertStringLambda(kind: 'any' | 'all', body: Expression): void {
  const isNegated = kind === 'all';
  const check = (expression: Expression, negations: number): void => {
    if (expression.kind === 'not') {
      check(expression.operand, negations + 1);
      return;
    }
    if (expression.kind === 'and' || expression.kind === 'or') {
      const isOdd = negations % 2 === 1;
      const joins = (expression.kind === 'or') !== isOdd ? 'or' : 'and';
      if (joins !== (kind === 'any' ? 'or' : 'and'))
        throw new ODataError(
          `Invalid lambda expression. In "${kind}" over Collection(Edm.String) "${expression.kind}" is not supported.`,
        );
      check(expression.left, negations);
      check(expression.right, negations);
      return;
    }
    const isInequality = expression.kind === 'compare' && expression.operator === 'ne';
    if (
      (expression.kind !== 'compare' && expression.kind !== 'in') ||
      (isInequality !== (negations % 2 === 1)) !== isNegated
    )
      throw new ODataError(
        'Invalid lambda expression. Found a test for equality or inequality where the opposite was expected in a lambda expression that iterates over a field of type Collection(Edm.String).',
      );
  };
  check(body, 0);
}

function resolve(
  path: string,
  { fields, variable }: Bindings,
  isCollection = false,
): { readonly field: FieldDefinition; readonly read: (document: StoredDocument) => unknown } {
  const [first = '', ...rest] = path.split('/');
  const isBound = variable !== undefined;
  if (isBound && first !== variable.name)
    throw new ODataError(`"${path}" is not bound to the range variable "${variable.name}".`);
  const field = isBound
    ? fieldAt([variable.field], [variable.field.name, ...rest])
    : fieldAt(fields, [first, ...rest]);
  if (field === undefined) throw new ODataError(`Could not find a property named "${path}".`);
  if (!isCollection && field.type.startsWith('Collection('))
    throw new ODataError(`"${path}" is a collection: use any or all.`);
  // https://learn.microsoft.com/rest/api/searchservice/indexes/create: only filterable fields can be named in filters.
  if (field.type.includes('ComplexType')) {
    if (!isCollection) throw new ODataError(`"${path}" is an object: name one of its fields.`);
  } else if (field.filterable !== true) throw new ODataError(`"${path}" is not a filterable field.`);
  return { field, read: (document) => readPath(document, [first, ...rest]) };
}

const readPath = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (part, name) =>
      typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined,
    value,
  );
