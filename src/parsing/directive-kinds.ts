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

const KINDS: Readonly<Record<Exclude<DirectiveKind, 'definition'>, string>> = {
  admonition:
    'note warning caution attention danger error hint important tip seealso todo admonition topic sidebar info success question example',
  change: 'versionadded versionchanged versionremoved deprecated',
  code: 'code code-block code-cell sourcecode parsed-literal prompt doctest testcode testoutput ipython math graphviz digraph graph mermaid uml plantuml productionlist',
  included: 'include literalinclude',
  language: 'highlight',
  'list-table': 'list-table',
  'csv-table': 'csv-table',
  picture: 'image figure',
  rubric: 'rubric centered',
  skipped:
    'toctree contents index currentmodule raw meta role default-role default-domain sectnum sectionauthor codeauthor moduleauthor tabularcolumns testsetup testcleanup title header footer target-notes acks autosummary unicode',
  transparent:
    'only ifconfig container compound hlist glossary epigraph highlights pull-quote rst-class table line-block tab-set tabs tab tab-item group-tab dropdown details grid grid-item grid-item-card card',
};
const KIND_OF: ReadonlyMap<string, DirectiveKind> = new Map(
  Object.entries(KINDS).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind as DirectiveKind] as const),
  ),
);

/** A directive's name without its domain, in lower case, and what it is read as. */
export function directiveKindOf(fullName: string): { readonly name: string; readonly kind: DirectiveKind } {
  const name = fullName.slice(fullName.lastIndexOf(':') + 1).toLowerCase();
  return { name, kind: KIND_OF.get(name) ?? 'definition' };
}

/** Containers whose argument is a title; that of others is a condition or a class. */
export const TITLED: ReadonlySet<string> = new Set([
  'table',
  'tab',
  'tab-item',
  'group-tab',
  'dropdown',
  'details',
  'card',
  'grid-item-card',
]);

/** Admonitions whose argument is their title, not their text. */
export const OWN_TITLE = /^(?:admonition|topic|sidebar)$/;
const TITLES: Readonly<Record<string, string>> = { seealso: 'See also', todo: 'To do' };

/** "Warning" of `warning`. */
export const admonitionTitle = (name: string): string =>
  TITLES[name] ?? name.charAt(0).toUpperCase() + name.slice(1);

/** What a change says in front of its version. */
export const CHANGES: Readonly<Record<string, string>> = {
  versionadded: 'Added in version',
  versionchanged: 'Changed in version',
  versionremoved: 'Removed in version',
  deprecated: 'Deprecated since version',
};
