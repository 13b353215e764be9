/*
 * The OData that Azure AI Search takes as a filter, by the grammar of
 * https://learn.microsoft.com/azure/search/search-query-odata-syntax-reference. Geography and full-text functions are left out: a
 * filter with one is refused here. Knows nothing of how the store writes its filters.
 */

export type Operator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';

/** A constant and the type that its form gives it. */
export type Constant =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'integer'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'date'; readonly value: number }
  | { readonly type: 'null' };

export type Expression =
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'not'; readonly operand: Expression }
  | {
      readonly kind: 'compare';
      readonly path: string;
      readonly operator: Operator;
      readonly constant: Constant;
    }
  | { readonly kind: 'in'; readonly path: string; readonly values: ReadonlySet<string> }
  | { readonly kind: 'variable'; readonly path: string }
  | { readonly kind: 'literal'; readonly value: boolean }
  | {
      readonly kind: 'any' | 'all';
      readonly path: string;
      /** Absent in `any()`. */
      readonly lambda?: { readonly variable: string; readonly body: Expression };
    };

export class ODataError extends Error {}

/** Parses a whole filter. Throws `ODataError`. */
export function parseFilter(text: string): Expression {
  const parser = new Parser(text);
  const expression = parser.or();
  parser.end();
  return expression;
}

const MAX_DEPTH = 400;
const OPERATORS: ReadonlySet<string> = new Set(['eq', 'ne', 'gt', 'ge', 'lt', 'le']);
const MIRRORED: Readonly<Record<Operator, Operator>> = {
  eq: 'eq',
  ne: 'ne',
  gt: 'lt',
  ge: 'le',
  lt: 'gt',
  le: 'ge',
};
const isOperator = (word: string): word is Operator => OPERATORS.has(word);

const TOKEN =
  /\s+|(?<date>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))|(?<number>[+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|INF\b))|(?<string>'(?:[^']|'')*')|(?<word>[A-Za-z_][A-Za-z_0-9.]*(?:\/[A-Za-z_][A-Za-z_0-9]*)*)|(?<sign>[(),:/])/uy;

interface Token {
  readonly type: 'date' | 'number' | 'string' | 'word' | 'sign';
  readonly text: string;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const { lastIndex } = TOKEN;
    const match = TOKEN.exec(text);
    if (match === null) throw new ODataError(`Syntax error at position ${lastIndex}.`);
    for (const [type, found] of Object.entries(match.groups ?? {}))
      if (found !== undefined) tokens.push({ type: type as Token['type'], text: found });
  }
  return tokens;
}

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;
  #depth = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  end(): void {
    const token = this.#tokens[this.#position];
    if (token !== undefined) throw new ODataError(`Syntax error: unexpected "${token.text.slice(0, 40)}".`);
  }

  /** Of the logical operators `or` binds least, then `and`, then `not`. */
  or(): Expression {
    if (++this.#depth > MAX_DEPTH)
      throw new ODataError('Invalid expression: The recursion limit has been exceeded.');
    let left = this.#and();
    while (this.#takeWord('or')) left = { kind: 'or', left, right: this.#and() };
    this.#depth--;
    return left;
  }

  #and(): Expression {
    let left = this.#unary();
    while (this.#takeWord('and')) left = { kind: 'and', left, right: this.#unary() };
    return left;
  }

  #unary(): Expression {
    // It binds more tightly than a comparison, so that needs parentheses behind it.
    if (!this.#takeWord('not')) return this.#comparison();
    const operand = this.#unaryOperand();
    return { kind: 'not', operand };
  }

  #unaryOperand(): Expression {
    if (this.#takeWord('not')) return { kind: 'not', operand: this.#unaryOperand() };
    if (this.#take('(')) return this.#inParentheses();
    const token = this.#next();
    if (token.type !== 'word')
      throw new ODataError('A unary operator with an incompatible type was detected.');
    return this.#primary(token.text);
  }

  #comparison(): Expression {
    if (this.#take('(')) return this.#inParentheses();
    const token = this.#next();
    const constant = constantOf(token);
    if (constant !== undefined) return this.#afterConstant(constant);
    if (token.type !== 'word') throw new ODataError(`Syntax error: unexpected "${token.text.slice(0, 40)}".`);
    const primary = this.#primary(token.text);
    const operator = this.#takeOperator();
    if (operator === undefined) return primary;
    if (primary.kind !== 'variable')
      throw new ODataError('Only a field or a range variable can be compared.');
    const operand = constantOf(this.#next());
    if (operand === undefined) throw new ODataError('A field can be compared with a constant only.');
    return { kind: 'compare', path: primary.path, operator, constant: operand };
  }

  #afterConstant(constant: Constant): Expression {
    const operator = this.#takeOperator();
    if (operator === undefined) {
      if (constant.type !== 'boolean')
        throw new ODataError('A constant that is not boolean is no expression.');
      return { kind: 'literal', value: constant.value };
    }
    const token = this.#next();
    if (token.type !== 'word') throw new ODataError('A constant can be compared with a field only.');
    return { kind: 'compare', path: token.text, operator: MIRRORED[operator], constant };
  }

  #inParentheses(): Expression {
    const inner = this.or();
    this.#expect(')');
    return inner;
  }

  /** A function, a collection with `any` or `all`, or a variable. */
  #primary(word: string): Expression {
    if (!this.#take('(')) return { kind: 'variable', path: word };
    if (word === 'search.in') return this.#searchIn();
    const collection = /^(.+)\/(any|all)$/.exec(word);
    if (collection === null) throw new ODataError(`Unknown function "${word}".`);
    const [, path = '', kind = ''] = collection;
    return this.#lambda(path, kind === 'any' ? 'any' : 'all');
  }

  #lambda(path: string, kind: 'any' | 'all'): Expression {
    if (this.#take(')')) {
      if (kind === 'all') throw new ODataError('The operator "all" needs a lambda expression.');
      return { kind, path };
    }
    const { type, text: variable } = this.#next();
    if (type !== 'word' || /[./]/.test(variable))
      throw new ODataError('A lambda expression names its variable.');
    this.#expect(':');
    const body = this.or();
    this.#expect(')');
    return { kind, path, lambda: { variable, body } };
  }

  #searchIn(): Expression {
    const { type, text: path } = this.#next();
    if (type !== 'word') throw new ODataError('search.in takes a field or range variable first.');
    this.#expect(',');
    const list = this.#string();
    const delimiters = this.#take(',') ? this.#string() : ' ,';
    this.#expect(')');
    const parts = delimiters === '' ? [list] : list.split(new RegExp(`[${escapeClass(delimiters)}]`, 'u'));
    // Empty parts are what several delimiters in a row leave.
    return { kind: 'in', path, values: new Set(parts.filter((part) => part !== '')) };
  }

  #string(): string {
    const constant = constantOf(this.#next());
    if (constant?.type !== 'string') throw new ODataError('A text was expected.');
    return constant.value;
  }

  #next(): Token {
    const token = this.#tokens[this.#position++];
    if (token === undefined) throw new ODataError('Syntax error: the filter ends too early.');
    return token;
  }

  #take(sign: string): boolean {
    const token = this.#tokens[this.#position];
    if (token?.type !== 'sign' || token.text !== sign) return false;
    this.#position++;
    return true;
  }

  #takeWord(word: string): boolean {
    const token = this.#tokens[this.#position];
    if (token?.type !== 'word' || token.text !== word) return false;
    this.#position++;
    return true;
  }

  #takeOperator(): Operator | undefined {
    const token = this.#tokens[this.#position];
    if (token?.type !== 'word' || !isOperator(token.text)) return undefined;
    this.#position++;
    return token.text;
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) throw new ODataError(`Syntax error: "${sign}" was expected.`);
  }
}

const escapeClass = (characters: string): string => characters.replace(/[\\\]^-]/gu, String.raw`\$&`);

function constantOf({ type, text }: Token): Constant | undefined {
  if (type === 'string') return { type, value: text.slice(1, -1).replaceAll("''", "'") };
  if (type === 'date') return { type, value: Date.parse(text) };
  if (type === 'number') return numberOf(text);
  if (type !== 'word') return undefined;
  if (text === 'true' || text === 'false') return { type: 'boolean', value: text === 'true' };
  if (text === 'null') return { type: 'null' };
  if (text === 'NaN') return { type: 'double', value: Number.NaN };
  return text === 'INF' ? { type: 'double', value: Number.POSITIVE_INFINITY } : undefined;
}

const MAX_INT64 = 2n ** 63n - 1n;

function numberOf(text: string): Constant {
  if (text.endsWith('INF')) return { type: 'double', value: text.startsWith('-') ? -Infinity : Infinity };
  if (!/^[+-]?\d+$/.test(text)) return { type: 'double', value: Number(text) };
  const value = BigInt(text.replace('+', ''));
  if (value > MAX_INT64 || value < -MAX_INT64 - 1n)
    throw new ODataError(`${text} does not fit into Edm.Int64.`);
  return { type: 'integer', value };
}
