import { escapeExpression } from '../core/escape-expression.js';
import { withoutMarkup } from './converted-fields.js';
import type { StatedFields } from './markdown/stated-names.js';

/** Of what a person writes as a name the fields that it is the name of. */
export interface Label {
  (written: string): readonly string[];
  /** Whether one of them may be written anywhere in a text. */
  readonly occursIn: (text: string) => boolean;
}

/** Longer ones are sentences. In UTF-16 code units. */
const MAX_LABEL_LENGTH = 120;

/** Names of fields as people write them: `salary_band` is `Salary band`, `**salary-band**` and `Salary band (EUR)`, and of it is `salary_band.base`. */
export function labelReader(names: readonly string[]): Label {
  const folded = names.map((name) => ({ name, fold: fold(name) }));
  const anywhere = new RegExp(
    names.map((name) => fold(name).split('_').map(escapeExpression).join(String.raw`[\s_\\-]+`)).join('|'),
    'i',
  );
  const read = (written: string): readonly string[] => {
    if (written.length > MAX_LABEL_LENGTH || !anywhere.test(written)) return [];
    const label = fold(written);
    const plain = label.replace(/_?[([].*[)\]]$/, '');
    return folded
      .filter(({ fold: own }) => [label, plain].some((each) => each === own || each.startsWith(`${own}.`)))
      .map(({ name }) => name);
  };
  return Object.assign(read, { occursIn: (text: string) => names.length > 0 && anywhere.test(text) });
}

const fold = (written: string): string =>
  withoutMarkup(written.replace(/[\\*`"|]/g, '').trim())
    .toLowerCase()
    .replace(/[\s_-]+/g, '_')
    .replace(/_$/, '');

/** A line with what opens an item, a heading or a quotation. */
const OPENING = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+)*/;
/** A term in front of what is said of it. */
const BOLD = /^\*\*([^*]{1,100})\*\*:?[ \t]/;
const BULLET = /^[-*+][ \t]/;
const FENCE = /^\s*(`{3,}|~{3,})\s*(\w*)/;
/** Code in other languages says what a program does. */
const DATA_FENCES: ReadonlySet<string> = new Set(['', 'text', 'yaml', 'yml', 'json', 'toml', 'ini']);
/** A line as long as this may have been broken by a program. In UTF-16 code units. */
const WRAPPED_LENGTH = 60;
const ANY_LABEL = /^[^\s:=][^:=]{0,60}[:=](?:\s|$)/;

interface Line {
  readonly text: string;
  readonly start: number;
  readonly indent: number;
  readonly isBlank: boolean;
}

/**
 * What of a text states fields: terms that a colon below defines, of a text that was made of another format also items of a list that are a term and what
 * is said of it, and where that format is known lines of the form `name: value`.
 */
export type LabelForm = 'terms' | 'items' | 'lines';

/** Where lines of a text state fields. */
export function labelFields(text: string, names: readonly string[], form: LabelForm): StatedFields[] {
  const labelOf = labelReader(names);
  const found = form === 'terms' ? [] : headersOfMail(text, labelOf);
  if (!labelOf.occursIn(text)) return found;
  const lines = linesOf(text);
  let fence: { readonly mark: string; readonly isData: boolean } | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    if (line === undefined || line.isBlank) continue;
    const [, mark, language = ''] = FENCE.exec(line.text) ?? [];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence.mark))) {
      fence = fence === undefined ? { mark, isData: DATA_FENCES.has(language.toLowerCase()) } : undefined;
      continue;
    }
    if (fence?.isData === false) continue;
    const stated = statementAt(lines, at, labelOf, form);
    if (stated === undefined) continue;
    const last = lines[stated.last] ?? line;
    found.push({ start: line.start + stated.from, end: last.start + last.text.length, names: stated.names });
    at = stated.last;
  }
  return found;
}

interface Statement {
  readonly names: readonly string[];
  /** Where it begins in its first line. */
  readonly from: number;
  /** The number of its last line. */
  readonly last: number;
}

function statementAt(
  lines: readonly Line[],
  at: number,
  labelOf: Label,
  form: LabelForm,
): Statement | undefined {
  const { text, indent } = lines[at] as Line;
  const from = OPENING.exec(text)?.[0].length ?? 0;
  const opened = text.slice(from);
  const isItem = /[-*+] +$/.test(text.slice(0, from));
  const term = labelOf(opened.replace(/\\$/, ''));
  if (term.length > 0) {
    const last = !isItem
      ? endOfDefinition(lines, at, indent)
      : form === 'terms'
        ? at
        : endOfItem(lines, at, from);
    if (last > at) return { names: term, from, last };
  }
  if (form === 'terms') return undefined;
  const bold = isItem ? labelOf(BOLD.exec(opened)?.[1] ?? '') : [];
  if (bold.length > 0) return { names: bold, from, last: endOfItem(lines, at, from) };
  if (form === 'items') return undefined;
  const sign = opened.slice(0, MAX_LABEL_LENGTH).search(/[:=：]/);
  const names = sign < 0 ? [] : labelOf(opened.slice(0, sign));
  if (names.length === 0) return undefined;
  const value = withoutMarkup(
    opened
      .slice(sign)
      .replace(/^[:=：]+/, '')
      .replace(/\\$/, '')
      .trim(),
  );
  return { names, from, last: value.trim() === '' ? endOfBlock(lines, at) : endOfValue(lines, at, from) };
}

/** The title of a message stands above its other headers. */
function headersOfMail(text: string, labelOf: Label): StatedFields[] {
  const [, title = '', headers = ''] = MAIL.exec(text) ?? [];
  const subject = title === '' ? [] : labelOf('subject');
  const found = subject.length === 0 ? [] : [{ start: 0, end: title.trimEnd().length, names: subject }];
  let start = title.length;
  for (const line of headers.split('\n')) {
    const names = labelOf(line.slice(0, line.indexOf(':')));
    if (names.length > 0) found.push({ start, end: start + line.length, names });
    start += line.length + 1;
  }
  return found;
}

const MAIL = /^(# [^\n]*\n+)?((?:(?:From|To|Cc|Date|Attachments): [^\n]*(?:\n|$))+)/;

/** What an item says below its term; a term in a list of its own is said of in the item around it. */
function endOfItem(lines: readonly Line[], at: number, from: number): number {
  const indent = lines[at]?.indent ?? 0;
  let last = at;
  for (let next = at + 1; next < lines.length; next += 1) {
    const { text, indent: own, isBlank } = lines[next] as Line;
    if (isBlank) continue;
    const isInside = own >= from || own > indent;
    const isAround = own === indent && indent > 0 && !BULLET.test(text.trimStart());
    if (!isInside && !isAround) break;
    last = next;
  }
  return last;
}

/** Lines that begin with a colon, or are indented below a term. */
function endOfDefinition(lines: readonly Line[], at: number, indent: number): number {
  const below = lines[at + 1]?.isBlank === true ? at + 2 : at + 1;
  if (!/^[ \t]*:[ \t]/.test(lines[below]?.text ?? '')) return at;
  let last = below;
  for (let next = below + 1; next < lines.length; next += 1) {
    const { text, indent: own, isBlank } = lines[next] as Line;
    if (isBlank) continue;
    if (own <= indent && !/^[ \t]*:[ \t]/.test(text)) break;
    last = next;
  }
  return last;
}

/** The paragraph or list below. */
function endOfBlock(lines: readonly Line[], at: number): number {
  let next = at + 1;
  if (lines[next]?.isBlank === true) next += 1;
  if (/^\s*#{1,6} /.test(lines[next]?.text ?? '')) return at;
  let last = at;
  for (; next < lines.length && lines[next]?.isBlank === false; next += 1) last = next;
  return last;
}

/** With lines that are indented below it, and those that a long one was broken into. */
function endOfValue(lines: readonly Line[], at: number, from: number): number {
  const own = lines[at]?.indent ?? 0;
  let last = at;
  for (let next = at + 1; next < lines.length; next += 1) {
    const { text, indent, isBlank } = lines[next] as Line;
    const isWrapped =
      (lines[next - 1]?.text.length ?? 0) >= WRAPPED_LENGTH && !ANY_LABEL.test(text.trimStart());
    const isBelow = indent > own || (from > own && indent >= from);
    if (isBlank || !(isBelow || (isWrapped && !OPENING_MARK.test(text)))) break;
    last = next;
  }
  return last;
}

const OPENING_MARK = /^[ \t]*(?:[-*+>|#]|\d{1,9}[.)] |```|~~~)/;

function linesOf(text: string): Line[] {
  let start = 0;
  return text.split('\n').map((line) => {
    const trimmed = line.trimStart().length;
    const own = {
      text: line.endsWith('\r') ? line.slice(0, -1) : line,
      start,
      indent: line.length - trimmed,
      isBlank: trimmed === 0,
    };
    start += line.length + 1;
    return own;
  });
}
