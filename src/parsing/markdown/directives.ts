import type { TextRange } from '../../core/document.js';
import {
  admonitionTitle,
  CHANGES,
  type DirectiveKind,
  directiveKindOf,
  OWN_TITLE,
  TITLED,
} from '../directive-kinds.js';
import { roleText } from '../roles.js';
import { withoutCode } from './comments.js';

/** Text that stands in place of another one; none of them holds a line end. */
export interface Edit extends TextRange {
  readonly text: string;
}

export interface Directives {
  /** In order and without overlap. */
  readonly edits: readonly Edit[];
  /** 0-based lines of admonitions `[startLine, endLine)`, outer ones first: what one says belongs together. */
  readonly boxes: readonly { readonly startLine: number; readonly endLine: number }[];
  /** Files that are included, as they are named, and not read. */
  readonly included: readonly string[];
  readonly pictures: number;
}

const FENCE = /^((?:[ \t>]|[-*+] +|\d{1,9}[.)] +){0,20})(`{3,}|~{3,}|:{3,})(.*)$/;
/** Deeper ones stay as they are written. */
const MAX_DEPTH = 32;
const MAY_HOLD = /:::|^[^`~\n]{0,40}(?:`{3,}|~{3,})\{/m;

/** A fence that is open. */
interface Open {
  readonly mark: string;
  /** What is written where it is closed. */
  readonly close?: (line: number) => void;
  /** What stands in it is no markup. */
  readonly isVerbatim: boolean;
}

/**
 * Directives of MyST (`:::{note}`, fences that name one) and containers of Docusaurus, VuePress and Pandoc (`:::note Title`, `::: {.note}`) as
 * the words that they show, line for line. One that is never closed stays as it is, and so does a fence of code. Linear time.
 *
 * @param source text whose only line end is a line feed
 */
export function readDirectives(source: string): Directives {
  const reader = new DirectiveReader(MAY_HOLD.test(source) ? source.split('\n') : []);
  reader.read();
  const boxes = reader.boxes.toSorted((one, other) => one.startLine - other.startLine);
  return { edits: reader.edits(), boxes, included: reader.included, pictures: reader.pictures };
}

class DirectiveReader {
  readonly boxes: { startLine: number; endLine: number }[] = [];
  readonly included: string[] = [];
  pictures = 0;
  readonly #lines: readonly string[];
  /** Lines that say something else now. */
  readonly #written = new Map<number, string>();
  readonly #open: Open[] = [];

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  edits(): Edit[] {
    let start = 0;
    return this.#lines.flatMap((line, at) => {
      const text = this.#written.get(at);
      const edit = { start, end: start + line.trimEnd().length, text: text ?? '' };
      start += line.length + 1;
      return text === undefined ? [] : [edit];
    });
  }

  read(): void {
    for (const [at, line] of this.#lines.entries()) {
      const [, prefix = '', mark, rest = ''] = FENCE.exec(line) ?? [];
      if (mark === undefined) continue;
      const inner = this.#open.at(-1);
      const isColon = mark.startsWith(':');
      if (inner !== undefined && rest.trim() === '' && closes(mark, inner)) {
        inner.close?.(at);
        this.#open.pop();
      } else if (inner?.isVerbatim !== true && this.#open.length < MAX_DEPTH) {
        const directive = this.#directiveAt(at, { prefix, mark, rest: rest.trim() });
        if (directive !== undefined) this.#open.push(this.#opened(directive));
        else if (!isColon && !(mark.startsWith('`') && rest.includes('`')))
          this.#open.push({ mark, isVerbatim: true });
      }
    }
  }

  #directiveAt(
    line: number,
    { prefix, mark, rest }: { readonly prefix: string; readonly mark: string; readonly rest: string },
  ): Directive | undefined {
    const isColon = mark.startsWith(':');
    const [, fullName, argument = ''] = MYST_HEAD.exec(rest) ?? [];
    if (fullName === undefined) {
      const container = isColon ? containerOf(rest) : undefined;
      return container && { ...container, prefix, mark, line, bodyStart: line + 1, options: new Map() };
    }
    const { name, kind } = directiveKindOf(fullName);
    // A fence of a language that is written so (`{r}`), and what is read only as it is.
    if (!isColon && /^(?:definition|csv-table|language)$/.test(kind)) return undefined;
    const { options, bodyStart } = this.#optionsBelow(line + 1);
    const shown =
      kind === 'definition' && /^auto|:/.test(fullName) && argument !== '' ? `\`${argument}\`` : argument;
    return { name, kind, prefix, mark, line, bodyStart, options, isMyst: true, argument: shown };
  }

  /** `:name: value`, or what a block of YAML states. */
  #optionsBelow(from: number): Pick<Directive, 'options' | 'bodyStart'> {
    const options = new Map<string, string>();
    let at = from;
    const lineAt = (): string => this.#lines[at]?.trim() ?? '';
    const isYaml = lineAt() === '---';
    if (isYaml) at += 1;
    for (; at < this.#lines.length; at += 1) {
      const [, name, value = ''] = (isYaml ? YAML_OPTION : OPTION).exec(lineAt()) ?? [];
      if (name === undefined) break;
      options.set(name, value);
    }
    if (!isYaml) return { options, bodyStart: at };
    return lineAt() === '---' ? { options, bodyStart: at + 1 } : { options: new Map(), bodyStart: from };
  }

  #opened(directive: Directive): Open {
    const { kind, mark, line, prefix, bodyStart, argument } = directive;
    // Below the first line a list's mark is no mark of it any more.
    const below = prefix.replace(/[^\s>]/g, ' ');
    const write = (at: number, text: string): void =>
      void this.#written.set(at, ((at === line ? prefix : below) + text).trimEnd());
    const isLeftOut = kind === 'skipped' || kind === 'included';
    const isCode = kind === 'code' || kind === 'csv-table';
    const fence = '`'.repeat(mark.length);
    const close = (end: number): void => {
      for (let at = line; at < (isLeftOut ? end : bodyStart); at += 1) write(at, '');
      if (!isLeftOut) write(line, shownTitle(directive));
      // Where nothing stands above it code begins behind its options, so that no blank lines open it.
      if (isCode) write(bodyStart - 1, fence + languageOf(directive));
      write(end, isCode ? fence : '');
      if (kind === 'included') this.included.push(argument);
      if (kind === 'picture') this.pictures += 1;
      if (kind === 'admonition' || kind === 'change') this.boxes.push({ startLine: line, endLine: end });
    };
    return { mark, isVerbatim: isLeftOut || isCode, close };
  }
}

/** Of colons the innermost container is closed by any. */
const closes = (mark: string, { mark: opened, isVerbatim }: Open): boolean =>
  mark[0] === opened[0] && (mark.length >= opened.length || (mark.startsWith(':') && !isVerbatim));

interface Directive {
  readonly kind: DirectiveKind;
  readonly name: string;
  readonly argument: string;
  /** Whether it is written as MyST has it: behind `{note}` stands text of a note, behind `note` its title. */
  readonly isMyst: boolean;
  readonly options: ReadonlyMap<string, string>;
  /** What its lines begin with: a list's item, a quotation. */
  readonly prefix: string;
  readonly mark: string;
  readonly line: number;
  readonly bodyStart: number;
}

const MYST_HEAD = /^\{([A-Za-z][\w:+.-]*)\}[ \t]*(.*)$/;
const OPTION = /^:([\w-]{1,40}):(?:[ \t]+(.*))?$/;
const YAML_OPTION = /^([\w-]{1,40}):(?:[ \t]+(.*))?$/;
/** `note Title`, `note[Title]{#id}`. */
const NAMED_HEAD = /^([A-Za-z][\w-]*)(?:\[([^\]]*)\])?(?:\{[^{}]*\})?(?:[ \t]+(.*))?$/;
/** Pandoc: `{#id .note title="Title"}`. */
const CLASSED_HEAD = /^\{([^{}]*)\}$/;

function containerOf(head: string): Pick<Directive, 'kind' | 'name' | 'argument' | 'isMyst'> | undefined {
  const plain = head.replace(/[ \t]+:+$/, '');
  const attributes = CLASSED_HEAD.exec(plain)?.[1];
  const [, named, label, behind = ''] = NAMED_HEAD.exec(plain) ?? [];
  const title =
    attributes === undefined ? (label ?? behind) : (/\btitle="([^"]*)"/.exec(attributes)?.[1] ?? '');
  const fullName = attributes === undefined ? named : (/\.([\w-]+)/.exec(attributes)?.[1] ?? 'container');
  if (fullName === undefined) return undefined;
  const { name, kind } = directiveKindOf(fullName.replace(/^callout-/, ''));
  // Attributes are no title.
  const argument = /^[^={}[\]]*$/.test(title) ? title.trim() : '';
  return { kind: kind === 'admonition' ? kind : 'transparent', name, argument, isMyst: false };
}

const announced = (title: string): string => (/^$|[.!?:]$/.test(title) ? title : `${title}:`);

/** The words of a directive that stand above what is in it. */
function shownTitle({ kind, name, argument, isMyst, options }: Directive): string {
  switch (kind) {
    case 'admonition':
      if (argument !== '' && (!isMyst || OWN_TITLE.test(name))) return announced(argument);
      return OWN_TITLE.test(name) ? '' : `${admonitionTitle(name)}: ${argument}`;
    case 'change': {
      const [version = ''] = /^\S+/.exec(argument) ?? [];
      return `${CHANGES[name]} ${version}: ${argument.slice(version.length).trim()}`;
    }
    case 'code':
      return announced(options.get('caption') ?? '');
    case 'picture':
      return options.get('alt') ?? '';
    case 'rubric':
      return argument === '' ? '' : `**${argument}**`;
    case 'transparent':
      return isMyst && !TITLED.has(name) ? '' : announced(argument);
    case 'definition':
    case 'list-table':
    case 'csv-table':
      return announced(argument);
    default:
      return '';
  }
}

const languageOf = ({ kind, argument }: Directive): string =>
  kind === 'code' ? (/^[\w+#-]{1,30}/.exec(argument)?.[0] ?? '') : '';

/** A role with its content; no template such as `${name}`. */
const ROLE = /(?<![\\${])\{([A-Za-z][\w:+.-]{0,60})\}(`{1,2})(?!`)([^`\n]{1,1000})\2(?!`)/g;
/** A target that references name: `(label)=`. */
const TARGET = /^ {0,3}\([^()\n]{1,200}\)=[ \t]*$/gm;

/**
 * Roles of MyST as the text that they show, and targets as nothing.
 *
 * @param source text whose only line end is a line feed
 */
export function readRoles(source: string): Edit[] {
  if (!/\}`|\)=[ \t]*$/m.test(source)) return [];
  const prose = withoutCode(source);
  const roles = Array.from(source.matchAll(ROLE), ({ 0: whole, 1: role = '', 3: content = '', index }) => ({
    start: index,
    end: index + whole.length,
    text: roleText(role, content),
  })).filter(({ start }) => prose[start] === '{');
  const targets = Array.from(prose.matchAll(TARGET), ({ 0: whole, index }) => ({
    start: index,
    end: index + whole.trimEnd().length,
    text: '',
  }));
  return [...roles, ...targets].sort((a, b) => a.start - b.start);
}

/** A text with other text in place of some. */
export function edited(text: string, edits: readonly Edit[]): string {
  let at = 0;
  const parts = edits.map(({ start, end, text: other }) => {
    const before = text.slice(at, start);
    at = end;
    return before + other;
  });
  return edits.length === 0 ? text : parts.join('') + text.slice(at);
}
