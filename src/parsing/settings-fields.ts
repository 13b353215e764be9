import type { TextRange } from '../core/document.js';
import { escapeExpression } from '../core/escape-expression.js';
import { codeMediaType } from '../core/media-types.js';
import { labelReader } from './label-reader.js';
import { readYaml } from './markdown/front-matter.js';
import { hasEscapedName, unescaped } from './markdown/stated-fields.js';
import { type StatedFields, states } from './markdown/stated-names.js';
import { inYaml } from './markdown/yaml-fields.js';
import { levelLineEnds } from './text-range.js';

/** Languages in which a whole file is fields. */
export type SettingsLanguage = 'yaml' | 'toml' | 'ini';

const LANGUAGES: ReadonlyMap<string, SettingsLanguage> = new Map([
  ['yaml', 'yaml'],
  ['yml', 'yaml'],
  ['toml', 'toml'],
  ['ini', 'ini'],
  ['cfg', 'ini'],
  ['conf', 'ini'],
  ['env', 'ini'],
  ['properties', 'ini'],
]);

/** The language that a media type or one of several names of a file says. */
export function settingsLanguageOf(
  mediaType: string,
  names: readonly (string | undefined)[],
): SettingsLanguage | undefined {
  for (const name of names) {
    const language = LANGUAGES.get(/\.([^./\\]+)$/.exec(name ?? '')?.[1]?.toLowerCase() ?? '');
    if (language !== undefined) return language;
  }
  return mediaType === codeMediaType('ini') ? 'ini' : undefined;
}

/** A line of YAML, as files of it have them: an item, a key, what goes on, a comment or the border of a document. */
const YAML_LINE = /^(?:\s*$|\s*#|\s+|-\s|(?:---|\.\.\.)\s*$|["']?[\w.-]+(?: [\w.-]+){0,3}["']?:(?:\s|$))/;
const YAML_KEY = /^["']?[\w.-]+(?: [\w.-]+){0,3}["']?:(?:\s|$)/m;

/** Whether a text that no name tells the format of is fields of YAML as a whole. */
export function isYaml(text: string): boolean {
  if (!YAML_KEY.test(text) || !text.split('\n').every((line) => YAML_LINE.test(line))) return false;
  const reading = readYaml(levelLineEnds(text));
  return 'document' in reading && typeof reading.value === 'object';
}

/** Where a file of settings states fields, at any depth. A document of YAML that cannot be read goes whole where it names one. */
export function settingsFields(
  text: string,
  language: SettingsLanguage,
  names: readonly string[],
): StatedFields[] {
  const source = levelLineEnds(text);
  const found =
    language === 'yaml'
      ? documentsOf(source).flatMap((range) => inDocument(source, range, names))
      : inStatements(source, language, names);
  return found.filter((stated) => stated.names.length > 0);
}

/** Documents of a stream of YAML. */
function documentsOf(source: string): TextRange[] {
  const marks = [...source.matchAll(/^(?:---|\.\.\.)(?=[ \t\n]|$)/gm)];
  const starts = [0, ...marks.map(({ index }) => index + 3)];
  return starts.map((start, at) => ({ start, end: marks[at]?.index ?? source.length }));
}

function inDocument(source: string, { start, end }: TextRange, names: readonly string[]): StatedFields[] {
  const yaml = source.slice(start, end);
  if (yaml.trim() === '') return [];
  const reading = readYaml(yaml);
  if ('document' in reading)
    return inYaml(yaml, reading, names).map((stated) => ({
      start: start + stated.start,
      end: start + stated.end,
      names: stated.names,
    }));
  const found = hasEscapedName(yaml) ? names : names.filter((name) => states(yaml, name));
  return [{ start, end, names: found, isUnread: true }];
}

/** Fields of TOML and of what is like INI, with all of a section that is named so. */
function inStatements(source: string, language: 'toml' | 'ini', names: readonly string[]): StatedFields[] {
  const searched = names.map((name) => ({ name, field: statementOf(name, language) }));
  const labelOf = labelReader(names);
  let section: readonly string[] = [];
  let part = 0;
  /** By the number of the section, what one of its statements gives as the name of the others. */
  const labels = new Map<number, readonly string[]>();
  const all = (language === 'toml' ? tomlStatements : iniStatements)(source).map((range) => {
    const lines = source.slice(range.start, range.end);
    const statement = unescaped(language === 'ini' ? lines.replace(/\\\n[ \t]*/g, '') : lines);
    const header = HEADER.exec(statement)?.[1];
    if (header !== undefined) {
      section = names.filter((name) => isInHeader(header, name, language));
      part += 1;
    }
    const stated = searched.filter(({ field }) => field.test(statement)).map(({ name }) => name);
    const value = VALUE.exec(statement)?.[1]?.trim() ?? '';
    const label = header === undefined ? labelOf(value.replace(/^(["'])(.*)\1$/, '$2')) : [];
    const inner = [...value.matchAll(QUOTED)].flatMap(([, quoted = '']) => labelOf(quoted));
    // Above the first section of INI everything else stands.
    if (label.length > 0 && part > 0) labels.set(part, [...(labels.get(part) ?? []), ...label]);
    return { ...range, part, names: [...section, ...stated, ...inner] };
  });
  return all.map(({ part: own, ...range }) => ({
    ...range,
    names: [
      ...range.names,
      ...(HEADER.test(source.slice(range.start, range.end)) ? [] : (labels.get(own) ?? [])),
    ],
  }));
}

const VALUE = /^[^=:]{1,200}[=:]([\s\S]*)$/;
const QUOTED = /["']([^"'\n]{1,120})["']/g;

const HEADER = /^[ \t]*\[([^\n]*)/;

const cased = (text: string, language: SettingsLanguage): string =>
  language === 'ini' ? text.toLowerCase() : text;

function isInHeader(header: string, name: string, language: SettingsLanguage): boolean {
  const title = cased(header, language).replace(/[[\]]/g, ' ').trim();
  const own = cased(name, language);
  const labelOf = labelReader([name]);
  return [title, ...title.split(/[\s."'`:/\\]+/)].some((each) => each === own || labelOf(each).length > 0);
}

/** What a statement of a field looks like; a name in `.properties` may stand before a blank alone. */
function statementOf(name: string, language: 'toml' | 'ini'): RegExp {
  const parts = String.raw`(?:\.[\t ]*["']?[\w-]{1,100}["']?[\t ]*){0,8}`;
  const written = `(?:${escapeExpression(name)}|${labelReader([name]).source})`;
  const anywhere = String.raw`(?<![\p{L}\p{N}_-])${written}["']?[ \t]*${parts}(?:\[[^\]\n]{0,100}\][ \t]*)?[:=]`;
  if (language === 'toml') return new RegExp(anywhere, 'iu');
  const first = String.raw`^[ \t]*(?:[^\s#;!=:]{1,200}\.)?${written}(?:\.\S*)?(?:[ \t]|$)`;
  return new RegExp(`${anywhere}|${first}`, 'imu');
}

/** From line to line, but for texts, lists and tables of several. */
function tomlStatements(source: string): TextRange[] {
  const statements: TextRange[] = [];
  const mark = /"""|'''|["'[\]{}#\n]/g;
  let start = 0;
  let depth = 0;
  for (let found = mark.exec(source); found !== null; found = mark.exec(source)) {
    const [token] = found;
    const isHeader = token === '[' && source.slice(start, found.index).trim() === '';
    if (token === '#' || isHeader) mark.lastIndex = endOf(source, '\n', mark.lastIndex);
    else if (token.length === 3) mark.lastIndex = endOf(source, token, mark.lastIndex) + 3;
    else if (token === '"' || token === "'") mark.lastIndex = endOfQuoted(source, token, mark.lastIndex);
    else if (token === '\n') {
      if (depth > 0) continue;
      statements.push({ start, end: found.index });
      start = found.index + 1;
    } else depth = Math.max(0, depth + (token === '[' || token === '{' ? 1 : -1));
  }
  return [...statements, { start, end: source.length }];
}

/** Of the text where it is not found. */
function endOf(source: string, token: string, from: number): number {
  const at = source.indexOf(token, from);
  return at < 0 ? source.length : at;
}

/** Behind the quotation mark, or at the end of the line. */
function endOfQuoted(source: string, quote: string, from: number): number {
  for (let at = from; at < source.length; at += 1) {
    const character = source[at];
    if (character === '\n') return at;
    if (character === quote) return at + 1;
    if (character === '\\' && quote === '"' && source[at + 1] !== '\n') at += 1;
  }
  return source.length;
}

/** A value of `.env` that is opened and not closed in its line. */
const OPEN_QUOTE = /^[^=\n]{1,200}=[ \t]*(?:"((?:[^"\\]|\\.)*)|'[^']*)$/;
/** In UTF-16 code units. */
const MAX_QUOTED = 4_000;

/** Lines, with those that a backslash goes on to, those of a text in quotation marks, and those below that are indented more. */
function iniStatements(source: string): TextRange[] {
  const statements: TextRange[] = [];
  let indent = Infinity;
  let goesOn = false;
  let quote: string | undefined;
  let start = 0;
  for (const line of source.split('\n')) {
    const end = start + line.length;
    const text = line.trim();
    const own = line.length - line.trimStart().length;
    const last = statements.at(-1);
    const isQuoted = quote !== undefined;
    if (quote !== undefined) quote = line.includes(quote) ? undefined : quote;
    else if (OPEN_QUOTE.test(text)) {
      const mark = text
        .slice(text.indexOf('=') + 1)
        .trimStart()
        .charAt(0);
      quote = source.slice(end, end + MAX_QUOTED).includes(mark) ? mark : undefined;
    }
    if (last !== undefined && (isQuoted || goesOn || (text !== '' && own > indent)))
      statements.splice(-1, 1, { start: last.start, end });
    else if (text !== '') {
      statements.push({ start, end });
      indent = /^[[#;!]/.test(text) ? Infinity : own;
    }
    goesOn = isContinued(text);
    start = end + 1;
  }
  return statements;
}

/** Whether the last of its backslashes escapes the end of the line. */
function isContinued(line: string): boolean {
  let count = 0;
  while (line.at(-1 - count) === '\\') count += 1;
  return count % 2 === 1;
}
