import { isMap, isScalar, type Pair, parseDocument } from 'yaml';
import type { TextRange } from '../../core/document.js';
import type { Metadata } from '../../core/metadata.js';
import { toMetadataValue } from '../metadata-value.js';
import { levelLineEnds } from '../text-range.js';

/** Where a text states a field, name and value. */
export interface StatedField extends TextRange {
  /** Absent where it could not be told which fields are stated there. */
  readonly name?: string;
}

export interface FrontMatter {
  /** From the opening to the closing line. */
  readonly range: TextRange;
  /** Everything that was declared; empty where it could not be read. */
  readonly fields: Metadata;
  /** Where each field stands; all of it, without a name, where it could not be read. */
  readonly stated: readonly StatedField[];
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
  return readYaml(source.slice(opening[0].length, closing.index), { range, start: opening[0].length });
}

function readYaml(
  yaml: string,
  { range, start }: { readonly range: TextRange; readonly start: number },
): FrontMatter | undefined {
  if (yaml.length > MAX_YAML_LENGTH) {
    return ignored(range, `Front matter longer than ${MAX_YAML_LENGTH} characters was not read.`);
  }
  try {
    const document = parseDocument(yaml, { schema: 'core', customTags: ['timestamp'], logLevel: 'error' });
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    const stated = [
      ...commentedFields(yaml),
      ...(isMap(document.contents) ? rangesOf(document.contents.items, yaml) : []),
    ];
    const placed = stated.map((field) => ({ ...field, start: field.start + start, end: field.end + start }));
    if (value === null || value === undefined) return { range, fields: {}, stated: placed, warnings: [] };
    const fields = toMetadataValue(value);
    // A scalar between two rules is ordinary Markdown.
    return isMapping(fields) ? { range, fields, stated: placed, warnings: [] } : undefined;
  } catch (error) {
    return ignored(range, `Front matter is not valid YAML and was not read: ${firstLine(error)}`);
  }
}

/** From each key to the next one, so that anchors, tags, comments and all lines of a value are part of it. */
function rangesOf(pairs: readonly Pair[], yaml: string): StatedField[] {
  const keys = pairs.map(({ key }) => (isScalar(key) ? key : undefined));
  const starts = keys.map((key) => key?.range?.[0]);
  return keys.map((key, index): StatedField => {
    const range = {
      start: starts[index] ?? 0,
      end: starts.slice(index + 1).find((start) => start !== undefined) ?? yaml.length,
    };
    return key === undefined ? range : { ...range, name: String(key.value) };
  });
}

const COMMENTS = /^[ \t]*#.*(?:\n[ \t]*#.*)*/gm;
const COMMENTED_KEY = /^[ \t]*#+[ \t]*["']?([\w-]+)["']?[ \t]*:/gm;

/** Fields that are commented out: of neighbouring lines all belong to each. */
const commentedFields = (yaml: string): StatedField[] =>
  [...yaml.matchAll(COMMENTS)].flatMap(({ 0: lines, index }) =>
    fieldsOver(
      [...lines.matchAll(COMMENTED_KEY)].map(([, name = '']) => name),
      { start: index, end: index + lines.length },
    ),
  );

const TOML = /^\+\+\+[ \t]*\n[\s\S]*?^\+\+\+[ \t]*$/m;
const TOML_KEY = /(?:^|[{,.])[ \t[]*["']?([\w-]+)["']?[ \t]*[\].=]/gm;
const JSON_END = /^\}[ \t]*$/m;

/**
 * Where the beginning of a text states fields, whatever kind of document it is of: front matter, in TOML and JSON too, which is otherwise not
 * read. What states a field in TOML is not told apart: all of it states each.
 *
 * @param text as it is stored
 */
export function statedFields(text: string): readonly StatedField[] {
  // Blank lines above it make front matter text, and tell a reader as much.
  const above = /^\s*/.exec(text)?.[0].length ?? 0;
  const whole = text.slice(above);
  if (!/^(?:---|\+\+\+|\{)/.test(whole)) return [];
  const source = levelLineEnds(whole);
  const stated =
    readFrontMatter(source)?.stated ?? tomlFields(source) ?? openFields(source) ?? jsonFields(source);
  return stated.map((field) => ({ ...field, start: field.start + above, end: field.end + above }));
}

/** Of front matter in YAML that is never closed: its first paragraph. */
function openFields(source: string): readonly StatedField[] | undefined {
  const paragraph = /^---[ \t]*\n(?:[ \t]*[^\s].*(?:\n|$))+/.exec(source)?.[0];
  if (paragraph === undefined || /^(?:---|\.\.\.)[ \t]*$/m.test(paragraph.slice('---'.length)))
    return undefined;
  const start = paragraph.indexOf('\n') + 1;
  const range = { start: 0, end: paragraph.length };
  return readYaml(paragraph.slice(start), { range, start })?.stated;
}

function tomlFields(source: string): StatedField[] | undefined {
  const toml = source.startsWith('+++') ? TOML.exec(source) : null;
  if (toml?.index !== 0) return undefined;
  const names = [...toml[0].matchAll(TOML_KEY)].map(([, name = '']) => name);
  return fieldsOver(names, { start: 0, end: toml[0].length });
}

/** Read as YAML, which JSON is a part of. */
function jsonFields(source: string): readonly StatedField[] {
  const end = source.startsWith('{') ? JSON_END.exec(source) : null;
  if (end === null || end.index > MAX_YAML_LENGTH) return [];
  const range = { start: 0, end: end.index + 1 };
  return readYaml(source.slice(0, range.end), { range, start: 0 })?.stated ?? [];
}

const fieldsOver = (names: readonly string[], range: TextRange): StatedField[] =>
  [...new Set(names)].map((name) => ({ ...range, name }));

const isMapping = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ignored = (range: TextRange, warning: string): FrontMatter => ({
  range,
  fields: {},
  stated: [range],
  warnings: [warning],
});

/** The parser's message without the excerpt below it, which would repeat document text. */
const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
