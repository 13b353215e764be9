import { parse as parseToml, TomlError } from 'smol-toml';
import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { TextRange } from '../../core/document.js';
import type { Metadata } from '../../core/metadata.js';
import { toMetadataValue } from '../metadata-value.js';
import { endOfValue } from './json-scanner.js';
import { titleBlock } from './title-block.js';
import { hasDeepKeys, isTooDeep, MAX_YAML_DEPTH } from './yaml-nesting.js';

export interface FrontMatter {
  /** From the opening to the closing line. */
  readonly range: TextRange;
  /** Everything that was declared; empty where it could not be read. */
  readonly fields: Metadata;
  readonly warnings: readonly string[];
}

/** Where front matter in YAML, or fenced like it, lies. */
export interface FencedArea {
  /** From the opening to the closing line. */
  readonly range: TextRange;
  /** What is between them. */
  readonly body: TextRange;
  /** What the opening line calls it; empty where it does not. */
  readonly language: string;
}

/** Longer front matter is kept as text but not read. */
export const MAX_YAML_LENGTH = 65_536;
/** Aliases that may be resolved: enough for real anchors, far below a "billion laughs" document. */
const MAX_ALIASES = 100;

const OPENING = /^---(?:[ \t]*([a-z][\w+-]*))?[ \t]*(?:\n|[ \t](?=#))/i;
const CLOSING = /^(?:---|\.\.\.)[ \t]*$/gm;

/** Undefined where a text does not begin with `---`, or it is never closed. */
export function fencedArea(source: string): FencedArea | undefined {
  const opening = OPENING.exec(source);
  if (opening === null) return undefined;
  CLOSING.lastIndex = opening[0].length;
  const closing = CLOSING.exec(source);
  if (closing === null) return undefined;
  return {
    range: { start: 0, end: closing.index + closing[0].trimEnd().length },
    body: { start: opening[0].length, end: closing.index },
    language: opening[1] ?? '',
  };
}

export const isYaml = ({ language }: FencedArea): boolean => /^(?:ya?ml)?$/i.test(language);

/**
 * Front matter at the very start of a document. YAML, TOML and JSON are read, never run: another language (`---js`), a syntax
 * error or an alias bomb leaves the text as it is, with a warning and no fields.
 *
 * @param source text whose only line end is a line feed
 * @returns undefined where the document has none (`---` without a closing line, or around something that is not a mapping)
 */
export function readFrontMatter(source: string): FrontMatter | undefined {
  const area = fencedArea(source);
  if (area === undefined) {
    const other = otherFrontMatter(source);
    if (other !== undefined) return otherFields(other);
    const block = titleBlock(source);
    return block === undefined ? undefined : { ...block, warnings: [] };
  }
  const { range, body } = area;
  const ignored = (warning: string): FrontMatter => ({ range, fields: {}, warnings: [warning] });
  const language = area.language.toLowerCase();
  if (language === 'toml' || language === 'json')
    return otherFields({ range, language, body: source.slice(body.start, body.end) });
  if (!isYaml(area))
    return ignored('Front matter in another language was not read: YAML, TOML and JSON are.');
  const reading = readYaml(withQuotedTags(source.slice(body.start, body.end)));
  if ('fault' in reading) {
    const { fault, line, column } = reading;
    const firstLine = source.slice(0, body.start).split('\n').length;
    const place = line === undefined ? '' : ` at line ${firstLine + line - 1}, column ${column}`;
    return ignored(`Front matter ${fault}${place}.`);
  }
  if (reading.value === null || reading.value === undefined) return { range, fields: {}, warnings: [] };
  const fields = toMetadataValue(reading.value);
  // A scalar between two rules is ordinary Markdown.
  return isMapping(fields) ? { range, fields, warnings: [] } : undefined;
}

function otherFields({ range, language, body }: OtherFrontMatter): FrontMatter | undefined {
  const ignored = (fault: string): FrontMatter => ({
    range,
    fields: {},
    warnings: [`Front matter ${fault}.`],
  });
  if (body.length > MAX_YAML_LENGTH) return ignored(`longer than ${MAX_YAML_LENGTH} characters was not read`);
  const reading = readOther(language, body);
  if ('fault' in reading) return ignored(reading.fault);
  const fields = toMetadataValue(reading.value);
  return isMapping(fields) ? { range, fields, warnings: [] } : undefined;
}

/** Tags with hashes, which YAML takes for comments, as texts. */
const withQuotedTags = (yaml: string): string =>
  yaml
    .replace(INLINE_TAGS, (line: string, name: string, tags: string) =>
      /#[^\s#]/.test(tags) ? `${name}[${tags.match(HASHED)?.map(quotedTag).join(', ') ?? ''}]` : line,
    )
    .replace(LISTED_TAGS, (list) =>
      list.replaceAll(LISTED_TAG, (_, dash: string, tag: string) => dash + quotedTag(tag)),
    );

const INLINE_TAGS = /^(tags?[ \t]*:[ \t]*)(\[?(?:[ \t,]*#[^\s,#[\]"']+)+[ \t]*\]?)[ \t]*$/gim;
const LISTED_TAGS = /^tags?[ \t]*:[ \t]*(?:\n[ \t]*-[ \t]+#[^\s#"']+[ \t]*(?=\n|$))+/gim;
const LISTED_TAG = /(\n[ \t]*-[ \t]+)(#[^\s#"']+)/g;
const HASHED = /#[^\s,#[\]"']+/g;
const quotedTag = (tag: string): string => JSON.stringify(tag);

export interface YamlReading {
  readonly document: Document.Parsed;
  readonly value: unknown;
}

/** What is wrong, in words that repeat nothing of the text. */
export interface YamlFault {
  readonly fault: string;
  /** 1-based, in the YAML. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export function readYaml(yaml: string): YamlReading | YamlFault {
  if (yaml.length > MAX_YAML_LENGTH)
    return { fault: `longer than ${MAX_YAML_LENGTH} characters was not read` };
  if (isTooDeep(yaml)) return { fault: TOO_DEEP };
  try {
    const lines = new LineCounter();
    const document = parseDocument(yaml, {
      // Its own check compares every key with every other one.
      uniqueKeys: false,
      lineCounter: lines,
      // It shows the line of each, as long as that is.
      prettyErrors: false,
      schema: 'core',
      merge: true,
      logLevel: 'error',
    });
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      return { fault: `${INVALID}: ${error.code}`, line, column: col };
    }
    if (hasDeepKeys(document)) return { fault: TOO_DEEP };
    const doubled = doubledKey(document);
    if (doubled !== undefined) {
      const { line, col } = lines.linePos(doubled);
      return { fault: `${INVALID}: DUPLICATE_KEY`, line, column: col };
    }
    return { document, value: document.toJS({ maxAliasCount: MAX_ALIASES }) };
  } catch (error) {
    const what =
      error instanceof ReferenceError
        ? 'an alias names no anchor, or too much'
        : 'it is nested too deep, or merges what is no mapping';
    return { fault: `${INVALID}: ${what}` };
  }
}

const INVALID = 'is not valid YAML and was not read';
const TOO_DEEP = `nested deeper than ${MAX_YAML_DEPTH} levels, or in keys of keys, was not read`;

/** Offset of the first key that its mapping has had before. */
function doubledKey(document: Document.Parsed): number | undefined {
  let found: number | undefined;
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          found = key.range?.[0];
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}

const isMapping = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Front matter that is no YAML: its place, and what it says. */
interface OtherFrontMatter {
  readonly range: TextRange;
  readonly language: 'toml' | 'json';
  readonly body: string;
}

const TOML = /^\+\+\+[ \t]*\n([\s\S]*?)^\+\+\+[ \t]*(?=\n|$)/m;
const JSON_FENCE = /^;;;[ \t]*\n([\s\S]*?)^;;;[ \t]*(?=\n|$)/m;

/** TOML between `+++`, JSON between `;;;`, or an object of JSON with a line of its own behind it, at the very start of a text. */
function otherFrontMatter(source: string): OtherFrontMatter | undefined {
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
function readOther(
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
