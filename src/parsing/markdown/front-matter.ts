import { parse as parseYaml } from 'yaml';
import type { TextRange } from '../../core/document.js';
import type { Metadata } from '../../core/metadata.js';
import { toMetadataValue } from '../metadata-value.js';

export interface FrontMatter {
  /** From the opening to the closing line. */
  readonly range: TextRange;
  /** Everything that was declared; empty where it could not be read. */
  readonly fields: Metadata;
  readonly warnings: readonly string[];
}

/** Longer front matter is kept as text but not read. */
const MAX_YAML_LENGTH = 65_536;
/** Aliases that may be resolved: enough for real anchors, far below a "billion laughs" document. */
const MAX_ALIASES = 100;

const OPENING = /^---[ \t]*([^\s-][^\n]*)?\n/;
const CLOSING = /^(?:---|\.\.\.)[ \t]*$/gm;

/**
 * Front matter at the very start of a document. Only YAML is read, never run: another language (`---js`), a syntax
 * error or an alias bomb leaves the text as it is, with a warning and no fields.
 *
 * @param source text whose only line end is a line feed
 * @returns undefined where the document has none (`---` without a closing line, or around something that is not a mapping)
 */
export function readFrontMatter(source: string): FrontMatter | undefined {
  const opening = OPENING.exec(source);
  if (opening === null) return undefined;
  CLOSING.lastIndex = opening[0].length;
  const closing = CLOSING.exec(source);
  if (closing === null) return undefined;
  const range = { start: 0, end: closing.index + closing[0].trimEnd().length };
  const language = opening[1]?.trim() ?? '';
  if (language !== '' && !/^ya?ml$/i.test(language)) {
    return ignored(range, `Front matter in "${language.slice(0, 40)}" was not read: only YAML is.`);
  }
  return readYaml(source.slice(opening[0].length, closing.index), range);
}

function readYaml(yaml: string, range: TextRange): FrontMatter | undefined {
  if (yaml.length > MAX_YAML_LENGTH) {
    return ignored(range, `Front matter longer than ${MAX_YAML_LENGTH} characters was not read.`);
  }
  try {
    const value: unknown = parseYaml(yaml, {
      maxAliasCount: MAX_ALIASES,
      schema: 'core',
      customTags: ['timestamp'],
      logLevel: 'error',
    });
    if (value === null || value === undefined) return { range, fields: {}, warnings: [] };
    const fields = toMetadataValue(value);
    // A scalar between two rules is ordinary Markdown.
    return isMapping(fields) ? { range, fields, warnings: [] } : undefined;
  } catch (error) {
    return ignored(range, `Front matter is not valid YAML and was not read: ${firstLine(error)}`);
  }
}

const isMapping = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ignored = (range: TextRange, warning: string): FrontMatter => ({
  range,
  fields: {},
  warnings: [warning],
});

/** The parser's message without the excerpt below it, which would repeat document text. */
const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
