import type { TextRange } from '../../core/document.js';
import { escapeExpression } from '../../core/escape-expression.js';
import { madeOnce } from '../../core/made-once.js';
import { isJson } from '../is-json.js';
import { labelReader } from '../label-reader.js';
import { levelLineEnds, moved } from '../text-range.js';
import { fencedArea, isYaml, readYaml } from './front-matter.js';
import { inJson } from './json-fields.js';
import { behindComments, endOfLikeJson, endOfValue } from './json-scanner.js';
import { fieldsNamed, type StatedFields, states } from './stated-names.js';
import { titleBlock } from './title-block.js';
import { inYaml } from './yaml-fields.js';

/** Front matter of any kind at the beginning of a text. */
interface Area {
  /** With the lines that open and close it. */
  readonly range: TextRange;
  readonly body: TextRange;
  readonly kind: 'yaml' | 'json' | 'like-json' | 'title-block' | 'other';
  /** It may as well be text between rules. */
  readonly isLoose: boolean;
}

export interface StatedArea {
  readonly range: TextRange;
  /** It is JSON that can be read. */
  readonly isRecords: boolean;
  /** It is front matter in YAML or TOML, and no text between rules. */
  readonly isSettings: boolean;
  readonly stated: readonly StatedFields[];
}

/**
 * Where the front matter of a text states fields: in YAML, and in TOML and JSON, which is otherwise not read. What states a field in TOML is not
 * told apart: all of it does. Of JSON, lists and lines of records are front matter as an object is.
 *
 * @param text as it is written or stored
 * @param names of the fields that are looked for
 * @param isLines its format is lines of JSON; a text that begins with two of them is taken for such
 * @param isStating whether a text that is a value of JSON states one of the fields itself
 */
export function statedFields(
  text: string,
  names: readonly string[],
  isLines = false,
  isStating: (text: string) => boolean = () => false,
): StatedArea | undefined {
  // What stands above it makes front matter text, and tells a reader as much.
  const above = behindPageComments(text);
  const source = withoutEscapes(levelLineEnds(text.slice(above)));
  const isOfLines = isLines || beginsWithLines(source);
  const area = isOfLines ? linesArea(source) : areaOf(source);
  if (area === undefined) return undefined;
  const stated = isOfLines
    ? inJsonLines(source, names, isStating)
    : statedIn(source, area, { names, isStating });
  return {
    range: moved(area.range, above),
    isRecords: isOfLines || area.kind === 'json',
    isSettings: !isOfLines && !area.isLoose && (area.kind === 'yaml' || area.kind === 'other'),
    stated: stated.filter((field) => field.names.length > 0).map((field) => moved(field, above)),
  };
}

/** Where blank lines and comments of HTML at the beginning of a text end. */
function behindPageComments(text: string): number {
  BLANKS.lastIndex = 0;
  BLANKS.test(text);
  let start = BLANKS.lastIndex;
  while (text.startsWith('<!--', start)) {
    const closing = text.indexOf('-->', start);
    if (closing < 0) break;
    BLANKS.lastIndex = closing + 3;
    BLANKS.test(text);
    start = BLANKS.lastIndex;
  }
  return start;
}

const BLANKS = /\s*/y;

function statedIn(
  source: string,
  area: Area,
  { names, isStating }: { readonly names: readonly string[]; readonly isStating: (text: string) => boolean },
): StatedFields[] {
  const body = source.slice(area.body.start, area.body.end);
  if (area.kind === 'json') return inJson(body, names, isStating);
  if (area.kind === 'title-block') {
    const found = ['title', 'author', 'date'].flatMap((key) => fieldsNamed(key, names));
    return [{ ...area.range, names: found, isUnread: true }];
  }
  if (area.kind === 'like-json') return inLikeJson(body, names);
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

/** Each line on its own, whatever stands beside it, unless all are rows of one list. */
function inJsonLines(
  source: string,
  names: readonly string[],
  isStating: (text: string) => boolean,
): StatedFields[] {
  // A list of names, and rows of as many values.
  const list = source.startsWith('[') ? `[${source.trimEnd().replaceAll('\n', ',')}]` : '';
  if (isJson(list)) return inJson(list, names, isStating).map((field) => moved(field, -1));
  const stated: StatedFields[] = [];
  let start = 0;
  for (const line of source.split('\n')) {
    const from = start;
    if (line.trim() !== '')
      for (const field of isJson(line) ? inJson(line, names, isStating) : inLikeJson(line, names))
        stated.push(moved(field, from));
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
  if (mark === null) {
    const range = titleBlock(source)?.range;
    return range === undefined ? undefined : { range, body: range, kind: 'title-block', isLoose: false };
  }
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
const YAML_FIRST = /^[ \t]*(?:[{#?&!"']|(?:-[ \t]+)*[^\s:#{}[\]-][^:\n]*:(?:[ \t]|\n|$))/;
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
  return { range, body: range, kind: isValid && start === 0 ? 'json' : 'like-json', isLoose: false };
}

function startsAt(form: RegExp, source: string, start: number): boolean {
  form.lastIndex = start;
  return form.test(source);
}

const OBJECT = /\{\s*(?:["'}/#]|[\w$\\{}-]+[ \t]*:)/y;
const LIST = /(?:\[\s*)+\{\s*(?:["'}/#]|[\w$\\-]+[ \t]*:)/y;

/** All of what is no JSON, where it names a field: with comments, or in whatever quotation marks. */
function inLikeJson(text: string, names: readonly string[]): StatedFields[] {
  const withoutBlocks = text.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ');
  const forms = [text, withoutBlocks, withoutBlocks.replace(/(?:\/\/|#)[^\n]*/g, ' ')].map(unescaped);
  const patterns = membersNamed(names);
  const found = names.filter((_, at) => forms.some((form) => patterns[at]?.test(form)));
  return [{ start: 0, end: text.length, names: found, isUnread: true }];
}

/** Of each name what it is in what is no JSON. */
const membersNamed = madeOnce((names: readonly string[]): readonly RegExp[] =>
  names.map(
    (name) =>
      new RegExp(
        String.raw`(?<![\p{L}\p{N}_-])(?:${escapeExpression(name)}|${labelReader([name]).source})(?:\.[^\n:=]*)?["']?\s*[:=]`,
        'iu',
      ),
  ),
);

/** A text with what its escapes stand for. */
export const unescaped = (text: string): string =>
  text.replace(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{0*([\da-f]{1,5})\}|(\n)|(.))/gi,
    (_, x?: string, u?: string, braced?: string, line?: string, other?: string) => {
      const code = x ?? u ?? braced;
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
      return line === undefined ? (other ?? '') : '';
    },
  );

/**
 * Of front matter that cannot be read: all of it where a line states a field, for nobody knows where its value ends. Of what may as well be text
 * between rules, what follows the line up to a heading.
 */
function unread(source: string, { range, isLoose, body }: Area, names: readonly string[]): StatedFields[] {
  const over = ({ start, end }: TextRange): StatedFields => {
    const text = source.slice(start, end);
    const found = hasEscapedName(text) ? names : names.filter((name) => states(text, name, isLoose));
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
export const hasEscapedName = (text: string): boolean =>
  [...text.matchAll(QUOTED_NAME)].some(([, name = '']) => ESCAPE.test(name));

const QUOTED_NAME = /"(?=([^"\n]*)"[ \t]*[\].:=])/g;
const ESCAPE = /\\(?:x[\da-f]{2}|u[\da-f]{4})/i;
