import { isAlias, isMap, isNode, isScalar, type Pair, visit, type YAMLMap } from 'yaml';
import type { TextRange } from '../../core/document.js';
import { escapeExpression } from '../../core/escape-expression.js';
import type { Metadata } from '../../core/metadata.js';
import { FOLDED_KEY, liftFields, UNLIFTED_KEY } from '../../core/pushed-fields.js';
import { isJson } from '../is-json.js';
import { toMetadataValue } from '../metadata-value.js';
import { levelLineEnds } from '../text-range.js';
import { fencedArea, isYaml, readYaml, type YamlReading } from './front-matter.js';
import { behindComments, endOfLikeJson, endOfValue, type JsonRecord, recordsOf } from './json-scanner.js';

/** Where a text states fields, names and values. */
export interface StatedFields extends TextRange {
  /** Of the fields that are looked for. */
  readonly names: readonly string[];
  /** The field of the front matter that it is. Absent for comments, and where it could not be told. */
  readonly key?: string | undefined;
  /** It could not be told which fields are stated there. */
  readonly isUnread?: boolean;
}

/** Front matter of any kind at the beginning of a text. */
interface Area {
  /** With the lines that open and close it. */
  readonly range: TextRange;
  readonly body: TextRange;
  readonly kind: 'yaml' | 'json' | 'other';
  /** It may as well be text between rules. */
  readonly isLoose: boolean;
}

export interface StatedArea {
  readonly range: TextRange;
  readonly stated: readonly StatedFields[];
}

/**
 * Where the front matter of a text states fields: in YAML, and in TOML and JSON, which is otherwise not read. What states a field in TOML is not
 * told apart: all of it does. Of JSON, lists and lines of records are front matter as an object is.
 *
 * @param text as it is written or stored
 * @param names of the fields that are looked for
 * @param isLines its format is lines of JSON; a text that begins with two of them is taken for such
 */
export function statedFields(
  text: string,
  names: readonly string[],
  isLines = false,
): StatedArea | undefined {
  // Blank lines above it make front matter text, and tell a reader as much.
  const above = /^\s*/.exec(text)?.[0].length ?? 0;
  const source = withoutEscapes(levelLineEnds(text.slice(above)));
  const isOfLines = isLines || beginsWithLines(source);
  const area = isOfLines ? linesArea(source) : areaOf(source);
  if (area === undefined) return undefined;
  const stated = isOfLines ? inJsonLines(source, names) : statedIn(source, area, names);
  return {
    range: moved(area.range, above),
    stated: stated.filter((field) => field.names.length > 0).map((field) => moved(field, above)),
  };
}

const moved = <Range extends TextRange>(range: Range, by: number): Range => ({
  ...range,
  start: range.start + by,
  end: range.end + by,
});

function statedIn(source: string, area: Area, names: readonly string[]): StatedFields[] {
  const body = source.slice(area.body.start, area.body.end);
  if (area.kind === 'json') return inJson(body, names) ?? inLikeJson(body, names);
  const reading = area.kind === 'other' ? undefined : readYaml(body);
  return reading !== undefined && 'document' in reading
    ? inYaml(body, reading, names).map((field) => moved(field, area.body.start))
    : unread(source, area, names);
}

/** Front matter on a page of HTML, as the Markdown that is made of it has it. */
const withoutEscapes = (source: string): string =>
  /^(?:\\(?=---|\+\+\+|;;;)|(?:---|\+\+\+|;;;)\\\n)/.test(source)
    ? source.replace(/^\\(---|\+\+\+|;;;)/gm, '$1 ').replace(/\\$/gm, ' ')
    : source;

const linesArea = (source: string): Area => {
  const range = { start: 0, end: source.trimEnd().length };
  return { range, body: range, kind: 'json', isLoose: false };
};

/** Whether the first two lines that are not blank are each an object or a list of JSON. */
function beginsWithLines(source: string): boolean {
  const [, first, second] = FIRST_LINES.exec(source) ?? [];
  return [first, second].every((line) => line !== undefined && /^\s*[{[]/.test(line) && isJson(line));
}

const FIRST_LINES = /^([^\n]*)\n\s*([^\n]*)/;

/** Each line on its own, whatever stands beside it. */
function inJsonLines(source: string, names: readonly string[]): StatedFields[] {
  const stated: StatedFields[] = [];
  let start = 0;
  for (const line of source.split('\n')) {
    const from = start;
    if (line.trim() !== '')
      for (const field of inJson(line, names) ?? inLikeJson(line, names)) stated.push(moved(field, from));
    start += line.length + 1;
  }
  return stated;
}

function areaOf(source: string): Area | undefined {
  const value = jsonArea(source);
  if (value !== undefined) return value;
  const fenced = fencedArea(source);
  if (fenced !== undefined) {
    const kind = isYaml(fenced) ? 'yaml' : 'other';
    const isLoose = !YAML_FIRST.test(source.slice(fenced.body.start, fenced.body.end));
    return { ...fenced, kind, isLoose };
  }
  const mark = /^(---|\+\+\+|;;;)[ \t]*(?:#[^\n]*)?\n/.exec(source);
  if (mark === null) return undefined;
  const start = mark[0].length;
  const isOfYaml = mark[1] === '---';
  const closing = isOfYaml
    ? -1
    : source.slice(start).search(mark[1] === ';;;' ? /^;;;[ \t]*$/m : /^\+\+\+[ \t]*$/m);
  if (closing >= 0) {
    const end = start + closing;
    return { range: { start: 0, end: end + 3 }, body: { start, end }, kind: 'other', isLoose: false };
  }
  const end = start + openLength(source.slice(start), isOfYaml ? YAML_LINE : TOML_LINE);
  return {
    range: { start: 0, end },
    body: { start, end },
    kind: isOfYaml ? 'yaml' : 'other',
    isLoose: isOfYaml,
  };
}

const NEVER = /(?!)/;
const YAML_FIRST = /^[ \t]*(?:[{#?&!"']|[^\s:#{}[\]-][^:\n]*:(?:[ \t]|\n|$))/;
const YAML_LINE = /^(?:[ \t]|- |[?{&!]|(?:"[^"\n]*"|'[^'\n]*'|[\w$.-][\w$. -]*)[ \t]*:(?:[ \t]|\n|$))/;
const TOML_LINE = /^[ \t]*(?:\[|\{|"[^"\n]*"|[\w.-]+[ \t]*=)/;

/** Of front matter that is never closed: the paragraph below the opening line, and those that begin as it may go on. */
function openLength(source: string, line: RegExp): number {
  let end = 0;
  for (const { 0: paragraph, index } of source.matchAll(PARAGRAPH)) {
    if (index > 0 && !line.test(paragraph)) break;
    end = index + paragraph.length;
  }
  return end;
}

const PARAGRAPH = /^[ \t]*\S[^\n]*(?:\n[ \t]*\S[^\n]*)*/gm;

/**
 * An object or a list of JSON, or what begins like one, up to its closing mark. Where there is none an object ends with the first paragraph, and a
 * list with the text.
 */
function jsonArea(source: string): Area | undefined {
  const start = behindComments(source);
  const isList = source[start] === '[';
  const value = source.slice(start);
  const closing = isList || startsAt(OBJECT, source, start) ? endOfValue(value) : undefined;
  const isValid = closing !== undefined && isJson(value.slice(0, closing));
  if (!isValid && !startsAt(isList ? LIST : OBJECT, source, start)) return undefined;
  const unread = isList
    ? value.length
    : Math.max(closing ?? 0, endOfLikeJson(value) ?? openLength(value, NEVER));
  const range = { start: 0, end: start + (isValid ? closing : unread) };
  return { range, body: range, kind: 'json', isLoose: false };
}

function startsAt(form: RegExp, source: string, start: number): boolean {
  form.lastIndex = start;
  return form.test(source);
}

const OBJECT = /\{\s*(?:["'}/#]|[\w$\\{}-]+[ \t]*:)/y;
const LIST = /(?:\[\s*)+\{\s*(?:["'}/#]|[\w$\\-]+[ \t]*:)/y;

/** The members of records of JSON, of whatever size; undefined where it is none. */
function inJson(json: string, names: readonly string[]): StatedFields[] | undefined {
  if (!isJson(json)) return undefined;
  return recordsOf(json).flatMap((record) => inRecord(json, record, names));
}

function inRecord(json: string, { members, ...range }: JsonRecord, names: readonly string[]): StatedFields[] {
  const folded = members.some(({ key }) => key === FOLDED_KEY)
    ? foldedNames(JSON.parse(json.slice(range.start, range.end)) as Metadata, names)
    : [];
  const found = members.map(({ key }) => [
    ...names.filter((name) => name === key),
    ...(key === FOLDED_KEY ? folded : []),
    ...restNames(key, names),
  ]);
  // With a comma beside it, so that JSON is left.
  const firstLeft = found.findIndex((stated) => stated.length === 0);
  return members.map(({ key, start, end }, at) => ({
    key,
    names: found[at] ?? [],
    ...(firstLeft >= 0 && at > firstLeft
      ? { start: members[at - 1]?.end ?? start, end }
      : { start, end: members[at + 1]?.start ?? end }),
  }));
}

/** All of what is no JSON, where it names a field: with comments, or in whatever quotation marks. */
function inLikeJson(text: string, names: readonly string[]): StatedFields[] {
  const withoutBlocks = text.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ');
  const forms = [text, withoutBlocks, withoutBlocks.replace(/(?:\/\/|#)[^\n]*/g, ' ')].map(unescaped);
  const found = names.filter((name) => {
    const field = new RegExp(String.raw`(?<![\p{L}\p{N}_-])${escapeExpression(name)}["']?\s*[:=]`, 'u');
    return forms.some((form) => field.test(form));
  });
  return [{ start: 0, end: text.length, names: found, isUnread: true }];
}

const unescaped = (text: string): string =>
  text.replace(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{0*([\da-f]{1,5})\}|(\n)|(.))/gi,
    (_, x?: string, u?: string, braced?: string, line?: string, other?: string) => {
      const code = x ?? u ?? braced;
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
      return line === undefined ? (other ?? '') : '';
    },
  );

function inYaml(yaml: string, { document, value }: YamlReading, names: readonly string[]): StatedFields[] {
  const { contents } = document;
  const texts = textsIn(yaml, document);
  const comments = inComments(yaml, names).filter(
    (comment) =>
      comment.names.length > 0 &&
      !texts.some(({ start, end }) => comment.start > start && comment.start < end),
  );
  if (!isMap(contents)) return value === null || value === undefined ? comments : [];
  const fields = rangesOf(contents, yaml).map((range) => ({ ...range, key: keyOf(range.pair, document) }));
  const all = toMetadataValue(value) as Metadata;
  const folded = foldedNames(all, names);
  const isMerging = fields.some(({ key }) => key === '<<');
  // A name that no field has itself was merged from another field.
  const merged = names.filter(
    (name) => isMerging && Object.hasOwn(all, name) && fields.every(({ key }) => key !== name),
  );
  const named = fields.map(({ key, start, end }) => {
    const lines = yaml.slice(start, end);
    return [
      // A field list of reStructuredText begins with a colon.
      ...names.filter((name) => name === key || `:${name}` === key),
      ...(key === FOLDED_KEY ? folded : []),
      ...restNames(key, names),
      ...merged.filter((name) => key === '<<' || states(lines, name)),
    ];
  });
  const { groups, copied } = repeatedIn(fields);
  const shared = groups.map(() => new Set<string>());
  for (const [at, group] of groups.entries()) for (const name of named[at] ?? []) shared[group]?.add(name);
  const stated = fields.flatMap(({ key, start, end }, at): StatedFields[] => {
    const group = groups[at] ?? at;
    const field = { start, end, key, names: [...(shared[group] ?? [])] };
    return copied.has(group)
      ? [
          field,
          ...broughtBy(key, all, fields)
            .filter((brought) => !names.includes(brought))
            .map((brought) => ({ ...field, key: brought })),
        ]
      : [field];
  });
  return [...stated, ...comments];
}

interface Field {
  readonly key: string | undefined;
  readonly pair: Pair;
}

/** Fields of the document that another one brings: a merge, or the metadata of a push. */
function broughtBy(key: string | undefined, all: Metadata, fields: readonly Field[]): string[] {
  if (key === FOLDED_KEY) return Object.keys(liftFields({ [FOLDED_KEY]: all[FOLDED_KEY] ?? null }));
  const own = new Set(fields.map((field) => field.key));
  return key === '<<' ? Object.keys(all).filter((name) => !own.has(name)) : [];
}

/** Where quoted texts are, and those of several lines. */
function textsIn(yaml: string, document: YamlReading['document']): TextRange[] {
  const found: TextRange[] = [];
  visit(document, {
    Scalar: (_, { range, type = 'PLAIN' }) => {
      const [start = 0, end = 0] = range ?? [];
      // The line that opens a text of several lines may have a comment.
      if (type !== 'PLAIN')
        found.push({ start: type.startsWith('BLOCK') ? yaml.indexOf('\n', start) : start, end });
    },
  });
  return found;
}

/**
 * Of each field the group of those that repeat each other by aliases, however many are between them.
 * Copied are groups in which an alias does more than to merge fields under their own names.
 */
function repeatedIn(fields: readonly Field[]): { readonly groups: number[]; readonly copied: Set<number> } {
  const groups = [...fields.keys()];
  const groupOf = (at: number): number => {
    let group = at;
    for (let next = groups[group]; next !== undefined && next !== group; next = groups[group]) {
      groups[group] = groups[next] ?? next;
      group = next;
    }
    return group;
  };
  const anchors = new Map<string, number>();
  const copies: number[] = [];
  for (const [at, { key, pair }] of fields.entries())
    for (const part of [pair.key, pair.value].filter(isNode))
      visit(part, {
        Value: (_, { anchor }) => void (anchor !== undefined && anchors.set(anchor, at)),
        Alias: (_, { source }) => {
          const repeated = anchors.get(source);
          if (repeated === undefined) return;
          groups[groupOf(at)] = groupOf(repeated);
          if (key !== '<<' || repeated === at) copies.push(at);
        },
      });
  return { groups: groups.map((_, at) => groupOf(at)), copied: new Set(copies.map(groupOf)) };
}

/** Names of fields that become the document's own, of what is under `knowledgeMetadata`; all, where that cannot be told. */
function foldedNames(fields: Metadata, names: readonly string[]): readonly string[] {
  const { [FOLDED_KEY]: folded } = fields;
  if (folded === undefined || folded === null) return [];
  const lifted = liftFields({ [FOLDED_KEY]: folded });
  return lifted[UNLIFTED_KEY] === folded ? names : names.filter((name) => Object.hasOwn(lifted, name));
}

/** What could not become fields may hold any of them. */
const restNames = (key: string | undefined, names: readonly string[]): readonly string[] =>
  key === UNLIFTED_KEY ? names : [];

function keyOf({ key }: Pair, document: YamlReading['document']): string | undefined {
  const node = isAlias(key) ? key.resolve(document) : key;
  if (!isScalar(node)) return undefined;
  return typeof node.value === 'symbol' ? node.value.description : String(node.value);
}

/** From each key to the next one, so that anchors, tags, comments and all lines of a value are part of it. */
function rangesOf({ items, flow, range }: YAMLMap, yaml: string): (TextRange & { readonly pair: Pair })[] {
  const starts = items.map(({ key }) => {
    const at = (isNode(key) ? key.range?.[0] : undefined) ?? 0;
    return flow === true ? at : yaml.lastIndexOf('\n', at - 1) + 1;
  });
  const last = flow === true ? (range?.[1] ?? yaml.length) - 1 : yaml.length;
  return items.map((pair, index) => ({ pair, start: starts[index] ?? 0, end: starts[index + 1] ?? last }));
}

const COMMENTS = /(?<=^|[ \t])#.*(?:\n[ \t]*#.*)*/gm;

/** Fields that are commented out: of neighbouring lines all belong to each. */
const inComments = (yaml: string, names: readonly string[]): StatedFields[] =>
  [...yaml.matchAll(COMMENTS)].map(({ 0: lines, index }) => ({
    start: index,
    end: index + lines.length,
    names: names.filter((name) => states(lines, name)),
  }));

/**
 * Of front matter that cannot be read: all of it where a line states a field, for nobody knows where its value ends. Of what may as well be text
 * between rules, what follows the line up to a heading.
 */
function unread(source: string, { range, isLoose, body }: Area, names: readonly string[]): StatedFields[] {
  const over = ({ start, end }: TextRange): StatedFields => {
    const text = source.slice(start, end);
    const found = hasEscapedName(text) ? names : names.filter((name) => states(text, name));
    return { start, end, names: found, isUnread: true };
  };
  if (!isLoose) return [over(range)];
  const sections: StatedFields[] = [];
  for (const { 0: paragraph, index } of source.slice(body.start, body.end).matchAll(PARAGRAPH)) {
    const start = body.start + index;
    const end = start + paragraph.length;
    const before = sections.at(-1);
    const isNew = before === undefined || before.names.length === 0 || /^#{1,6}(?:[ \t]|$)/.test(paragraph);
    if (isNew) sections.push(over({ start, end }));
    else sections.splice(-1, 1, { ...before, end });
  }
  return sections.map((section) => (section.names.length > 0 ? over(section) : section));
}

/** Whether a name may be written by escapes. */
const hasEscapedName = (text: string): boolean =>
  [...text.matchAll(QUOTED_NAME)].some(([, name = '']) => ESCAPE.test(name));

const QUOTED_NAME = /"(?=([^"\n]*)"[ \t]*[\].:=])/g;
const ESCAPE = /\\(?:x[\da-f]{2}|u[\da-f]{4})/i;

/** Whether a line states a field, in YAML, JSON or TOML, commented out or not. */
function states(text: string, name: string): boolean {
  const quoted = `["']?${escapeExpression(name)}["']?`;
  const line = String.raw`^(?:[ \t?#{]|//|[&!]\S*[ \t])*`;
  const flow = String.raw`\{(?:[^{}]*,)?\s*`;
  return new RegExp(
    String.raw`(?:${line}|${flow})${quoted}[ \t]*[:=]|^[ \t]*\?[ \t]*${quoted}[ \t]*$|^[ \t#]*\[{1,2}[ \t]*${quoted}[ \t]*\]{1,2}[ \t]*$|^[ \t#]*${quoted}[ \t]*\.[^\n=]*=|^[ \t#]*\[{1,2}[ \t]*${quoted}[ \t]*\.`,
    'm',
  ).test(text);
}
