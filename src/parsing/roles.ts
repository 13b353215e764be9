import { scriptText } from './raised-text.js';

/** Roles whose content is prose; that of all others names something in code. */
const PROSE_ROLE =
  /^(?:ref|doc|term|numref|abbr|emphasis|strong|title|title-reference|sub|sup|guilabel|menuselection|dfn|any|download|issue|pr|user|gh\w*)$/;
/** Roles of documentation tools (`extlinks`, `sphinx-issues`) whose number is that of an issue or a change. */
const ISSUE_ROLE =
  /^(?:(?:\w*[-_])?(?:issues?|prs?|pulls?|pull-?request|bugs?|bpo|tickets?|gh|mr|merge-?request)|gh-?(?:issue|pr|pull)s?|bz|lp|jira)$/;
const PREFIXES: Readonly<Record<string, string>> = { pep: 'PEP ', rfc: 'RFC ' };

/** `text <target>`. */
export const EXPLICIT_TARGET = /^([^<]*[^<\s])(\s*)<([^<>]*)>$/;

/** Line ends of a text, and nothing else of it. */
export const lineEndsIn = (text: string): string => text.replace(/[^\n]/g, '');

/** A page of the same documentation: neither one of another (`python:library/os`) nor what a link in Markdown cannot hold. */
const OWN_PAGE = /^[^\s:()<>]+$/;

/** A link where a page of the same documentation is named, a title in place of another target, a name in code without the marks that shorten it. */
export function roleText(fullRole: string, content: string): string {
  const role = fullRole.slice(fullRole.lastIndexOf(':') + 1).toLowerCase();
  const [, title, blank = '', target = ''] = EXPLICIT_TARGET.exec(content) ?? [];
  const name = title ?? content.replace(/^[!~]\.?/, '');
  const page = title === undefined ? name : target;
  if (/^(?:std:)?doc$/.test(fullRole) && OWN_PAGE.test(page)) return `[${name}](${page})${lineEndsIn(blank)}`;
  if (title !== undefined) return title + lineEndsIn(blank + target);
  if (role === 'sup' || role === 'superscript') return scriptText('sup', name);
  if (role === 'sub' || role === 'subscript') return scriptText('sub', name);
  if (/^\d+$/.test(name) && ISSUE_ROLE.test(role)) return `#${name}`;
  if (PREFIXES[role] !== undefined) return PREFIXES[role] + name;
  return PROSE_ROLE.test(role) ? name : `\`${name}\``;
}
