import { groupedBy } from '../core/grouped-by.js';
import { MEDIA_TYPES } from '../core/media-types.js';
import { labelReader, withoutMarkup } from './label-reader.js';
import type { StatedFields } from './markdown/stated-names.js';
import { asciidocTables } from './spanned-cells.js';
import { columnFields, isEmptyRow } from './table-fields.js';
import { type Row, recordsOf } from './table-rows.js';
import { levelLineEnds } from './text-range.js';

/** A name with its value, in small letters. */
interface Definition {
  readonly name: string;
  readonly start: number;
  end: number;
  readonly line: string;
  /** Names that its value is filled in from, or that are defined inside it. */
  readonly references: string[];
}

/** How a format defines names. */
interface Format {
  /** Undefined for a line that defines none. */
  readonly nameOf: (line: string) => string | undefined;
  /** Whether a line that is not blank belongs to what the first one defines, behind the line above it. */
  readonly goesOn: (first: string, line: string, above: string) => boolean;
  readonly reference: RegExp;
  /** A line that opens and closes a block. */
  readonly delimiter?: RegExp;
  /** Under which name a text defines what is metadata under another one. */
  readonly aliases?: Readonly<Record<string, string>>;
}

const ATTRIBUTE = /^[ \t]*:!?([\p{L}\p{N}_.-]+)!?:(?=[ \t]|$)/u;
/** Of a list of descriptions. */
const TERM = /^[ \t]*(?=\S)([^\n]{1,100}?)(?:::{1,3}|;;)(?=[ \t]|$)/;
const SUBSTITUTION = /^[ \t]*\.\. \|([^|]+)\| replace::/;
/** As a field list has it, and not a role in front of its text. */
const FIELD = /^[ \t]*(?:[-*+][ \t]+)*:(?=\S)/;

const FORMATS: ReadonlyMap<string, Format> = new Map([
  [
    MEDIA_TYPES.asciidoc,
    {
      nameOf: (line) => ATTRIBUTE.exec(line)?.[1] ?? termName(line),
      goesOn: isOfAttribute,
      reference: /\{([\p{L}\p{N}_.-]+)\}/gu,
      delimiter: /^(?:-{4,}|={4,}|\.{4,}|\*{4,}|_{4,})$/,
      aliases: { version: 'revnumber', date: 'revdate' },
    },
  ],
  [
    MEDIA_TYPES.rst,
    {
      nameOf: (line) => SUBSTITUTION.exec(line)?.[1] ?? fieldName(line),
      goesOn: (first, line) => indentOf(line) > indentOf(first),
      reference: /\|([^|\n]+)\|/g,
    },
  ],
]);

/**
 * Where a text defines a field as a name that its sentences are filled in from, or in a list of fields, with the names that its value is filled in
 * from, and in tables of AsciiDoc and of directives. Case of letters is of no account there.
 */
export function definedFields(text: string, mediaType: string, names: readonly string[]): StatedFields[] {
  const format = FORMATS.get(mediaType);
  if (format === undefined) return [];
  const definitions = groupedBy(definitionsIn(levelLineEnds(text), format), ({ name }) => name);
  const tables = mediaType === MEDIA_TYPES.asciidoc ? asciidocTables(text) : csvTables(text);
  const cells = [...tables].flatMap((rows) => columnFields(rows, labelReader(names)));
  const found = names.flatMap((name) => {
    const own = name.toLowerCase();
    const reached = new Set(
      [...definitions.keys()].filter(
        (key) => key === own || key === format.aliases?.[own] || key.startsWith(`${own}.`),
      ),
    );
    // What is added while the set is gone through comes, too.
    for (const key of reached)
      for (const { references } of definitions.get(key) ?? [])
        for (const reference of references) reached.add(reference);
    return [...reached].flatMap((key) =>
      (definitions.get(key) ?? []).map(({ start, end }) => ({ start, end, names: [name] })),
    );
  });
  return [...found, ...cells];
}

/** Tables of reStructuredText whose cells a sign parts: the names of columns, and the rows behind a blank line. */
function* csvTables(text: string): Generator<Row[]> {
  for (const { 0: all, 1: options = '', index } of text.matchAll(CSV_TABLE)) {
    const header = /:header:[ \t]*/.exec(options);
    if (header === null) continue;
    const delimiter = /:delim:[ \t]*(\S)/.exec(options)?.[1] ?? ',';
    const body = index + all.length;
    const start = body - options.length + header.index + header[0].length;
    const [names = []] = recordsOf(text.slice(0, body), delimiter, start);
    const end = body + (/\n(?:\S|[ \t]*\.\. )/.exec(text.slice(body))?.index ?? text.length);
    yield [names, ...recordsOf(text.slice(0, end), delimiter, body)].filter((row) => !isEmptyRow(row));
  }
}

const CSV_TABLE = /^[ \t]*\.\. csv-table::[^\n]*\n((?:[ \t]+:[^\n]*\n)+)/gm;

function definitionsIn(source: string, { nameOf, goesOn, reference, delimiter }: Format): Definition[] {
  const found: Definition[] = [];
  const open: Definition[] = [];
  const close = (): void => {
    const end = open.pop()?.end ?? 0;
    const outer = open.at(-1);
    if (outer !== undefined) outer.end = Math.max(outer.end, end);
  };
  let start = 0;
  let above = '';
  let block: string | undefined;
  for (const line of source.split('\n')) {
    const isBlank = line.trim() === '' || (block !== undefined && block !== line);
    const name = nameOf(line)?.trim().toLowerCase();
    for (let last = open.at(-1); !isBlank && last !== undefined; last = open.at(-1)) {
      if (goesOn(last.line, line, above)) break;
      close();
    }
    if (name !== undefined) {
      open.at(-1)?.references.push(name);
      const definition = { name, start, end: start, line, references: [] };
      found.push(definition);
      open.push(definition);
    }
    const last = open.at(-1);
    if (last !== undefined && !isBlank) {
      last.end = start + line.length;
      for (const [, other = ''] of line.matchAll(reference)) last.references.push(other.trim().toLowerCase());
    }
    const isOpening = block === undefined && open.length > 0 && delimiter?.test(line) === true;
    if (block === line) block = undefined;
    else if (isOpening && source.includes(`\n${line}\n`, start + line.length)) block = line;
    above = line;
    start += line.length + 1;
  }
  while (open.length > 0) close();
  return found;
}

function termName(line: string): string | undefined {
  const term = TERM.exec(line)?.[1];
  return term === undefined ? undefined : withoutMarkup(term.trim());
}

function fieldName(line: string): string | undefined {
  const mark = FIELD.exec(line);
  if (mark === null) return undefined;
  const field = line.slice(mark[0].length);
  const end = field.search(/:(?:[ \t]|$)/);
  return end < 0 ? undefined : withoutMarkup(field.slice(0, end).replaceAll('\\', '').trim());
}

/** A backslash or plus goes on to the next line; where nothing stands beside the name, the paragraph below is the value. */
function isOfAttribute(first: string, line: string, above: string): boolean {
  if (/[ \t][\\+]$/.test(above.trimEnd())) return true;
  const isBelow = above.trim() !== '' && !ATTRIBUTE.test(line) && !TERM.test(line) && !/^=+[ \t]/.test(line);
  const isTerm = !ATTRIBUTE.test(first) && TERM.test(first);
  return isBelow && (isTerm || first.replace(ATTRIBUTE, '').trim() === '');
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
