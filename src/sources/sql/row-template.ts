import { RAGError } from '../../core/errors.js';
import { parseJson } from '../../core/parse-json.js';

/** A row with the values of its columns, as `sql-values.ts` leaves them. */
export type Row = Readonly<Record<string, unknown>>;

interface Placeholder {
  readonly column: string;
  /** Stands between the members of a list. */
  readonly separator: string;
}

type Part = string | Placeholder;

const DEFAULT_SEPARATOR = ', ';
/** `{{` and `}}` are braces; `{name}` and `{name|separator}` are values. */
const TOKEN = /\{\{|\}\}|\{([^{}|]+)(?:\|([^{}]*))?\}|[{}]/g;

/**
 * A text with places for the columns of a row: `Bug {id}: {summary}`. `{services|; }` joins a list with `; ` (default `, `);
 * `{{` is a brace.
 */
export class RowTemplate {
  /** Columns that it names, each once. */
  readonly columns: readonly string[];
  readonly #lines: readonly (readonly Part[])[];

  /**
   * @param setting the setting that holds it, for messages.
   * @throws RAGError `CONFIG_INVALID` for a brace without its partner.
   */
  constructor(text: string, setting: string) {
    this.#lines = text.split('\n').map((line) => parseLine(line, setting));
    this.columns = [...new Set(this.#lines.flatMap((line) => line.flatMap((part) => columnOf(part) ?? [])))];
  }

  /**
   * The text for one row. A line all of whose values are empty is left out, so that `Root cause: {root_cause}` disappears where
   * nobody found one.
   *
   * @param encode what is done to each value, for instance `encodeURIComponent`.
   */
  render(row: Row, encode: (value: string) => string = (value) => value): string {
    const lines: string[] = [];
    for (const line of this.#lines) {
      const values = line.map((part) =>
        typeof part === 'string' ? part : encode(textOf(row[part.column], part.separator)),
      );
      const hasPlaces = line.some((part) => typeof part !== 'string');
      const isFilled = line.some((part, index) => typeof part !== 'string' && values[index] !== '');
      if (!hasPlaces || isFilled) lines.push(values.join(''));
    }
    return lines.join('\n');
  }
}

const columnOf = (part: Part): string | undefined => (typeof part === 'string' ? undefined : part.column);

function parseLine(line: string, setting: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const token of line.matchAll(TOKEN)) {
    const [whole, column, separator] = token;
    if (token.index > end) parts.push(line.slice(end, token.index));
    end = token.index + whole.length;
    if (column !== undefined)
      parts.push({ column: column.trim(), separator: separator ?? DEFAULT_SEPARATOR });
    else if (whole.length === 2) parts.push(whole.charAt(0));
    else
      throw new RAGError(
        'CONFIG_INVALID',
        `${setting}: a "${whole}" has no partner. Write {column} for a value and ${whole}${whole} for a brace.`,
        { details: { key: setting } },
      );
  }
  if (end < line.length) parts.push(line.slice(end));
  return parts;
}

/** A value as a person reads it; empty where there is none. */
export function textOf(value: unknown, separator = DEFAULT_SEPARATOR): string {
  const list = listOf(value);
  if (list !== undefined)
    return list
      .map((member) => textOf(member, separator))
      .filter((text) => text !== '')
      .join(separator);
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A list, also where SQLite keeps it as JSON text. */
export function listOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string' || !value.startsWith('[') || !value.endsWith(']')) return undefined;
  const parsed = parseJson(value);
  return Array.isArray(parsed) ? parsed : undefined;
}
