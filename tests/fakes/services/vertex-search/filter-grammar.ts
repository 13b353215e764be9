/*
 * Filters of the service, by the grammar of https://cloud.google.com/generative-ai-app-builder/docs/filter-search-metadata. Of it only
 * what this repository writes is known: `ANY` over texts, comparisons of numbers, AND, OR, NOT, parentheses.
 */

/** What a filter asks of a document, by the values of one of its fields. */
export type DocumentTest = (valuesOf: (field: string) => readonly unknown[]) => boolean;

export class FilterFault extends Error {}

type Token = { readonly is: 'text'; readonly text: string } | { readonly is: 'mark'; readonly mark: string };

const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|(<=|>=|[<>=():,-])|([A-Za-z0-9_.+]+))/y;

/** Parses a filter. `isFilterable` says which fields the schema has indexed. Throws `FilterFault`. */
export function parseFilter(text: string, isFilterable: (field: string) => boolean): DocumentTest {
  const parser = new Parser(tokensOf(text), isFilterable);
  const test = parser.disjunction();
  parser.end();
  return test;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (text.slice(TOKEN.lastIndex).trim() !== '') {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) throw new FilterFault(`Invalid filter: cannot be read at ${at}.`);
    const [, quoted, mark, word] = match;
    if (quoted === undefined) tokens.push({ is: 'mark', mark: mark ?? word ?? '' });
    else tokens.push({ is: 'text', text: quoted.slice(1, -1).replace(/\\(.)/g, '$1') });
  }
  return tokens;
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #isFilterable: (field: string) => boolean;
  #at = 0;

  constructor(tokens: readonly Token[], isFilterable: (field: string) => boolean) {
    this.#tokens = tokens;
    this.#isFilterable = isFilterable;
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw new FilterFault('Invalid filter: something follows it.');
  }

  disjunction(): DocumentTest {
    const parts = [this.#conjunction()];
    while (this.#takes('OR')) parts.push(this.#conjunction());
    return (valuesOf) => parts.some((part) => part(valuesOf));
  }

  #conjunction(): DocumentTest {
    const parts = [this.#negation()];
    while (this.#takes('AND')) parts.push(this.#negation());
    return (valuesOf) => parts.every((part) => part(valuesOf));
  }

  #negation(): DocumentTest {
    if (!this.#takes('NOT') && !this.#takes('-')) return this.#expression();
    const negated = this.#expression();
    return (valuesOf) => !negated(valuesOf);
  }

  #expression(): DocumentTest {
    if (this.#takes('(')) {
      const inner = this.disjunction();
      this.#expect(')');
      return inner;
    }
    const field = this.#mark();
    if (!/^[A-Za-z_][A-Za-z0-9_.]*$/.test(field))
      throw new FilterFault(`Invalid filter: "${field}" is no field.`);
    if (!this.#isFilterable(field))
      throw new FilterFault(`Invalid filter: field "${field}" is not indexable in the schema.`);
    if (this.#takes(':')) return this.#anyOf(field);
    return this.#comparison(field);
  }

  #anyOf(field: string): DocumentTest {
    this.#expect('ANY');
    this.#expect('(');
    const literals = new Set([this.#text()]);
    while (this.#takes(',')) literals.add(this.#text());
    this.#expect(')');
    return (valuesOf) => valuesOf(field).some((value) => typeof value === 'string' && literals.has(value));
  }

  #comparison(field: string): DocumentTest {
    const operator = this.#mark();
    const sign = this.#takes('-') ? -1 : 1;
    const operand = Number(this.#mark()) * sign;
    if (!['<', '<=', '=', '>=', '>'].includes(operator) || Number.isNaN(operand))
      throw new FilterFault('Invalid filter: a comparison is an operator and a number.');
    const holds = (value: number): boolean =>
      (operator.includes('=') && value === operand) ||
      (operator.startsWith('<') && value < operand) ||
      (operator.startsWith('>') && value > operand);
    return (valuesOf) => valuesOf(field).some((value) => typeof value === 'number' && holds(value));
  }

  #takes(mark: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.is !== 'mark' || token.mark !== mark) return false;
    this.#at++;
    return true;
  }

  #expect(mark: string): void {
    if (!this.#takes(mark)) throw new FilterFault(`Invalid filter: "${mark}" is missing.`);
  }

  #mark(): string {
    const token = this.#tokens[this.#at++];
    if (token?.is !== 'mark') throw new FilterFault('Invalid filter: it ends too early.');
    return token.mark;
  }

  #text(): string {
    const token = this.#tokens[this.#at++];
    if (token?.is !== 'text') throw new FilterFault('Invalid filter: ANY takes texts in double quotes.');
    return token.text;
  }
}
