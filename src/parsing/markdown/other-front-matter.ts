import { parse as parseToml, TomlError } from 'smol-toml';
import type { TextRange } from '../../core/document.js';
import { endOfValue } from './json-scanner.js';

/** Front matter that is no YAML: its place, and what it says. */
export interface OtherFrontMatter {
  readonly range: TextRange;
  readonly language: 'toml' | 'json';
  readonly body: string;
}

const TOML = /^\+\+\+[ \t]*\n([\s\S]*?)^\+\+\+[ \t]*(?=\n|$)/m;
const JSON_FENCE = /^;;;[ \t]*\n([\s\S]*?)^;;;[ \t]*(?=\n|$)/m;

/** TOML between `+++`, JSON between `;;;`, or an object of JSON with a line of its own behind it, at the very start of a text. */
export function otherFrontMatter(source: string): OtherFrontMatter | undefined {
  if (source.startsWith('+++')) return fenced(source, TOML, 'toml');
  if (source.startsWith(';;;')) return fenced(source, JSON_FENCE, 'json');
  if (!/^\{\s*"/.test(source)) return undefined;
  const end = endOfValue(source);
  // Without a text below it is a file of JSON.
  if (end === undefined || !/^[ \t]*\n\s*\S/.test(source.slice(end))) return undefined;
  return { range: { start: 0, end }, language: 'json', body: source.slice(0, end) };
}

function fenced(
  source: string,
  fence: RegExp,
  language: OtherFrontMatter['language'],
): OtherFrontMatter | undefined {
  const [whole, body = ''] = fence.exec(source) ?? [];
  return whole === undefined || !source.startsWith(whole)
    ? undefined
    : { range: { start: 0, end: whole.trimEnd().length }, language, body };
}

/** Deeper tables and lists are no front matter. */
const MOST_NESTED = 32;

/** What it says, or what is wrong, in words that repeat nothing of the text. */
export function readOther(
  language: OtherFrontMatter['language'],
  body: string,
): { readonly value: unknown } | { readonly fault: string } {
  try {
    return { value: language === 'json' ? JSON.parse(body) : parseToml(body, { maxDepth: MOST_NESTED }) };
  } catch (error) {
    const place = error instanceof TomlError ? `, line ${error.line}, column ${error.column} of it` : '';
    return { fault: `is not valid ${language.toUpperCase()} and was not read${place}` };
  }
}
