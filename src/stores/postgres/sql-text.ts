import { RAGError } from '../../core/errors.js';
import type { SqlParameter } from '../../platform/postgres/postgres-session.js';

/** Most parameters of one statement in the server's protocol, less those of the statement around a filter. */
const MAX_PARAMETERS = 65_000;

/** A value that will be bound, with its SQL type. */
export interface Bound {
  readonly value: SqlParameter;
  readonly type: string;
}

/** SQL whose values are not yet numbered, so that a part of it can still be left out. */
export type SqlText = readonly (string | Bound)[];

/** A value for use inside `sql`. Used several times, it is sent once. */
export const bound = (value: SqlParameter, type: string): Bound => ({ value, type });

/** SQL from a template: its own words are code, and so are parts that are SQL already; a `Bound` is never part of the text. */
export function sql(words: TemplateStringsArray, ...parts: readonly (SqlText | Bound)[]): SqlText {
  return words.flatMap((word, i) => {
    const part = parts[i];
    if (part === undefined) return [word];
    return 'type' in part ? [word, part] : [word, ...part];
  });
}

/** Words of our own as SQL: names of columns and operators, never anything from outside. */
export const raw = (words: string): SqlText => [words];

/** Parts with a separator between them. */
export const joined = (parts: readonly SqlText[], separator: string): SqlText =>
  parts.flatMap((part, i) => (i === 0 ? part : [separator, ...part]));

/** The values bound in one statement, in the order of their `$n`. */
export class Parameters {
  readonly values: SqlParameter[] = [];
  readonly #numbers = new Map<Bound, number>();

  /** Adds a value and gives its placeholder. */
  bind(value: SqlParameter, type: string): string {
    return this.render([bound(value, type)]);
  }

  /** SQL as text. Throws `STORE_FILTER_UNSUPPORTED` where it has more values than a statement may have. */
  render(text: SqlText): string {
    return text.map((part) => (typeof part === 'string' ? part : this.#placeholder(part))).join('');
  }

  #placeholder(part: Bound): string {
    const number = this.#numbers.get(part) ?? this.values.push(part.value);
    if (number > MAX_PARAMETERS)
      throw new RAGError(
        'STORE_FILTER_UNSUPPORTED',
        `The filter has more than ${MAX_PARAMETERS} values; use fewer, or one "in" for many.`,
      );
    this.#numbers.set(part, number);
    return `$${number}::${part.type}`;
  }
}
