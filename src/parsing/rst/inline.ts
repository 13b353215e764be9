import { ExpansionRoom } from '../expansion-room.js';
import { EXPLICIT_TARGET, lineEndsIn, roleText } from '../roles.js';

/** What a document defines elsewhere and its text refers to. */
export interface References {
  /** Addresses of external targets by name, in lower case; an internal target has the empty address. */
  readonly targets: ReadonlyMap<string, string>;
  /** Texts of `|name|`. */
  readonly substitutions: ReadonlyMap<string, string>;
  readonly room: ExpansionRoom;
}

const TARGET = /^\s*\.\. _(`[^`]{1,200}`|[^:`\n]{1,200}):(?:\s+(\S+))?\s*$/;
const SUBSTITUTION = /^(\s*)\.\. \|([^|\n]{1,80})\| (replace|unicode):: +([^ ].*)$/s;
/** Code points as a file may write them (docutils, directive `unicode`). */
const CODE_POINT = /^(?:0x|x|\\x|U\+|u|\\u|&#x)([\da-f]{1,6});?$|^(\d{1,7})$/i;

/** Looks through all lines once, for targets may be defined behind their references. */
export function readReferences(lines: readonly string[]): References {
  const targets = new Map<string, string>();
  const substitutions = new Map<string, string>();
  for (const [at, line] of lines.entries()) {
    if (!line.includes('.. ')) continue;
    const [, name, address = ''] = TARGET.exec(line) ?? [];
    if (name !== undefined) targets.set(nameOf(name.replaceAll('`', '')), address);
    const [, indent = '', shortName, kind, first] = SUBSTITUTION.exec(line) ?? [];
    if (shortName === undefined || first === undefined) continue;
    const text = [first, ...continued(lines, at + 1, indent.length)].join(' ');
    substitutions.set(shortName, kind === 'unicode' ? unicodeText(text) : text);
  }
  return { targets, substitutions, room: new ExpansionRoom() };
}

const MOST_CONTINUED = 20;

/** Lines of a definition behind its first, without fields. */
function continued(lines: readonly string[], from: number, indent: number): string[] {
  const rest = lines.slice(from, from + MOST_CONTINUED);
  const end = rest.findIndex((line) => line.trim() === '' || line.search(/\S/) <= indent);
  return rest
    .slice(0, end < 0 ? undefined : end)
    .map((line) => line.trim())
    .filter((line) => !/^:[\w-]+:/.test(line));
}

/** Signs by their code, and words as they are, up to a comment. */
const unicodeText = (definition: string): string =>
  (definition.split(/\s\.\.\s/)[0] ?? '')
    .split(/\s+/)
    .map((word) => {
      const [, hex, decimal] = CODE_POINT.exec(word) ?? [];
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : word;
    })
    .join('');

const nameOf = (reference: string): string => reference.replace(/\s+/g, ' ').trim().toLowerCase();

/**
 * Every alternative ends at the next mark of its kind, so that the time is linear: a literal, a role with its content, a
 * reference in marks, a target inside a text, a footnote, a substitution, a reference of one word, an escaped blank, the end of
 * markup inside a word.
 */
const MARKUP =
  /``([^`]+)``|(?<![\w`:]):((?:[a-zA-Z][\w+.-]{0,30}:){0,2}[a-zA-Z][\w+.-]{0,30}):`([^`]+)`|_?`([^`]+)`(?::([a-zA-Z][\w+.-]{0,30}):|__?(?!\w))?|\[(#?[\w.-]{0,40}|\*)\]_(?!\w)|\|([^|\s][^|\n]{0,80})\|(?:__?(?!\w))?|(?<![\w`])([A-Za-z\d][A-Za-z\d.+-]{0,60})__?(?!\w)|\\(\s|(?<=`\\)(?=\w))/g;

/** Punctuation that is left alone on a line, where what stood before it is gone. */
const STRAY_PUNCTUATION = /\n([,.;:!?)]{1,3})(?= |$)/g;

/** Text as a person reads it, in Markdown; no line end is added or lost. */
export function readInline(text: string, references: References): string {
  const read = text.replace(
    MARKUP,
    (match, literal?: string, role?: string, content?: string, marked?: string, ...rest: unknown[]) => {
      const [roleBehind, footnote, substitution, word, blank] = rest as (string | undefined)[];
      if (literal !== undefined) return `\`${literal}\``;
      if (role !== undefined && content !== undefined) return roleText(role, content);
      if (marked !== undefined && roleBehind !== undefined) return roleText(roleBehind, marked);
      if (marked !== undefined) return referenceText(match, marked, references);
      if (footnote !== undefined) return `[${footnote}]`;
      if (substitution !== undefined) return substituted(substitution, match, references);
      if (word !== undefined) return references.targets.has(nameOf(word)) ? named(word, references) : match;
      return blank === '\n' ? '\n' : '';
    },
  );
  return read.replace(STRAY_PUNCTUATION, '$1\n');
}

function substituted(name: string, match: string, { substitutions, room }: References): string {
  const text = substitutions.get(name);
  return text !== undefined && room.take(text) ? text : match;
}

function referenceText(match: string, marked: string, references: References): string {
  if (match.startsWith('_')) return marked;
  if (!match.endsWith('_')) return match;
  const [, title, blank = '', target = ''] = EXPLICIT_TARGET.exec(marked) ?? [];
  if (title === undefined) return named(marked, references);
  const link = target.endsWith('_') ? named(title, references, target.slice(0, -1)) : linked(title, target);
  return link + lineEndsIn(blank + target);
}

/** A reference to what is defined elsewhere, as often as there is room for its address. */
function named(text: string, { targets, room }: References, name = text): string {
  const address = targets.get(nameOf(name)) ?? '';
  return room.take(address) ? linked(text, address) : text;
}

/** A link where the address leads out of the documentation. */
function linked(text: string, address: string): string {
  const target = address.replace(/\s+/g, '');
  return /^(?:https?|mailto):[^()]*$/.test(target) ? `[${text}](${target})` : text;
}
