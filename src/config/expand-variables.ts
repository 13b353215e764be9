/** Variables by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A `${NAME}` or `${NAME:?message}` whose variable is not set. */
export interface MissingVariable {
  readonly variable: string;
  /** What the configuration says after `:?`. */
  readonly message?: string;
}

/** What became of one text. */
export interface Expansion {
  readonly text: string;
  /** Variables that gave part of the text. */
  readonly used: readonly string[];
  /** Variables that were not set (or empty) and whose default was taken. */
  readonly defaulted: readonly string[];
  readonly missing: readonly MissingVariable[];
}

/** A `${...}` that cannot be read. */
export class ExpansionSyntaxError extends Error {
  override readonly name = 'ExpansionSyntaxError';
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;

/** True where `expandVariables` would look at anything. */
export const mentionsVariable = (text: string): boolean => text.includes('$');

/**
 * Replaces `${NAME}`, `${NAME:-default}` (also for an empty variable) and `${NAME:?message}`; `$$` is one dollar sign, and
 * any other dollar sign stands for itself. A default may hold further references. The value of a variable is put in as it is
 * and never looked at again. The rules are those of POSIX parameter expansion.
 *
 * @throws ExpansionSyntaxError for an unclosed or misspelt reference.
 */
export function expandVariables(text: string, environment: Environment): Expansion {
  const reader = new ReferenceReader(text, environment);
  const result = reader.readUntilEnd();
  return { text: result, used: reader.used, defaulted: reader.defaulted, missing: reader.missing };
}

class ReferenceReader {
  readonly used: string[] = [];
  readonly defaulted: string[] = [];
  readonly missing: MissingVariable[] = [];
  readonly #text: string;
  readonly #environment: Environment;
  #position = 0;

  constructor(text: string, environment: Environment) {
    this.#text = text;
    this.#environment = environment;
  }

  readUntilEnd(): string {
    return this.#readText(false, true);
  }

  /** Reads up to the end, or up to the brace that closes a reference. What is not `live` is skipped without a trace. */
  #readText(insideReference: boolean, live: boolean): string {
    let result = '';
    while (this.#position < this.#text.length) {
      const character = this.#text[this.#position] ?? '';
      const pair = this.#text.slice(this.#position, this.#position + 2);
      if (pair === '$$') {
        result += '$';
        this.#position += 2;
      } else if (pair === '${') {
        result += this.#readReference(live);
      } else if (insideReference && character === '}') {
        return result;
      } else {
        result += character;
        this.#position++;
      }
    }
    return result;
  }

  #readReference(live: boolean): string {
    const start = this.#position;
    this.#position += 2;
    const variable = this.#readName(start);
    const operator = this.#readOperator(start);
    const argument = this.#readArgument({ start, operator, live, variable });
    if (!live) return '';
    return this.#valueOf(variable, operator, argument);
  }

  #readArgument(reference: { start: number; operator: string; live: boolean; variable: string }): string {
    const { start, operator, live, variable } = reference;
    // A default that is not needed must not ask for its own variables.
    const isNeeded = live && operator !== '' && this.#isUnset(variable, operator);
    const argument = operator === '' ? '' : this.#readText(true, isNeeded);
    if (this.#text[this.#position] !== '}')
      throw new ExpansionSyntaxError(`"${this.#text.slice(start, start + 40)}" lacks its closing brace`);
    this.#position++;
    return argument;
  }

  #readName(start: number): string {
    NAME.lastIndex = this.#position;
    const name = NAME.exec(this.#text)?.[0];
    if (name === undefined)
      throw new ExpansionSyntaxError(
        `"${this.#text.slice(start, start + 40)}" does not name a variable; write "$$" for a dollar sign`,
      );
    this.#position += name.length;
    return name;
  }

  #readOperator(start: number): string {
    if (this.#text[this.#position] === '}') return '';
    const operator = this.#text.slice(this.#position, this.#position + 2);
    if (operator !== ':-' && operator !== ':?')
      throw new ExpansionSyntaxError(
        `"${this.#text.slice(start, start + 40)}" is not one of \${NAME}, \${NAME:-default} and \${NAME:?message}`,
      );
    this.#position += 2;
    return operator;
  }

  #isUnset(variable: string, operator: string): boolean {
    const value = this.#environment[variable];
    return value === undefined || (operator !== '' && value === '');
  }

  #valueOf(variable: string, operator: string, argument: string): string {
    if (!this.#isUnset(variable, operator)) {
      this.used.push(variable);
      return this.#environment[variable] ?? '';
    }
    if (operator === ':-') {
      this.defaulted.push(variable);
      return argument;
    }
    this.missing.push(operator === ':?' && argument !== '' ? { variable, message: argument } : { variable });
    return '';
  }
}
