import type { Area } from './area.js';
import { fieldOf } from './marks.js';
import type { SourceLines } from './source-lines.js';

/** What a directive is read as; all that are not known define something. */
export type DirectiveKind =
  | 'admonition'
  | 'change'
  | 'code'
  | 'definition'
  | 'included'
  | 'language'
  | 'list-table'
  | 'csv-table'
  | 'picture'
  | 'rubric'
  | 'skipped'
  | 'transparent';

export interface Directive {
  readonly kind: DirectiveKind;
  /** Without its domain, in lower case. */
  readonly name: string;
  /** Behind the name, and on the lines below it. */
  readonly argument: string;
  readonly options: ReadonlyMap<string, { readonly line: number; readonly text: string }>;
  readonly line: number;
  /** First line below the argument and the options. */
  readonly bodyStart: number;
  readonly to: number;
}

const KINDS: Readonly<Record<Exclude<DirectiveKind, 'definition'>, string>> = {
  admonition:
    'note warning caution attention danger error hint important tip seealso todo admonition topic sidebar',
  change: 'versionadded versionchanged versionremoved deprecated',
  code: 'code code-block sourcecode parsed-literal prompt doctest testcode testoutput ipython math graphviz digraph graph mermaid uml plantuml productionlist',
  included: 'include literalinclude',
  language: 'highlight',
  'list-table': 'list-table',
  'csv-table': 'csv-table',
  picture: 'image figure',
  rubric: 'rubric centered',
  skipped:
    'toctree contents index currentmodule raw meta role default-role default-domain sectnum sectionauthor codeauthor moduleauthor tabularcolumns testsetup testcleanup title header footer target-notes acks autosummary unicode',
  transparent:
    'only ifconfig container compound hlist glossary epigraph highlights pull-quote rst-class table line-block tab-set tabs tab tab-item group-tab dropdown details grid card',
};
const KIND_OF: ReadonlyMap<string, DirectiveKind> = new Map(
  Object.entries(KINDS).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind as DirectiveKind] as const),
  ),
);

const DIRECTIVE = /^\.\. +([A-Za-z][\w:.+-]{0,60}?) ?::(?:\s+(\S.*))?$/s;

/** The directive that begins at a line; undefined for other explicit markup. */
export function directiveAt(
  lines: SourceLines,
  area: Area,
  { line, to }: { line: number; to: number },
): Directive | undefined {
  const [, fullName, first = ''] = DIRECTIVE.exec(lines.at(area, line)) ?? [];
  if (fullName === undefined) return undefined;
  const name = fullName.slice(fullName.lastIndexOf(':') + 1).toLowerCase();
  const argument = [first];
  const options = new Map<string, { line: number; text: string }>();
  let bodyStart = line + 1;
  for (; bodyStart < to && lines.at(area, bodyStart) !== ''; bodyStart += 1) {
    const text = lines.at(area, bodyStart).trim();
    const option = fieldOf(text);
    if (option !== undefined) options.set(option.name, { line: bodyStart, text: option.text });
    // What follows an option goes on with it.
    else if (options.size === 0) argument.push(text);
  }
  return {
    ...{ kind: KIND_OF.get(name) ?? 'definition', name, options, line, bodyStart, to },
    argument: argument.filter((part) => part !== '').join('\n'),
  };
}
