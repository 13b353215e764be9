import type { GraphReference } from '../graph.js';
import { pageName, pathName, resolvePath, urlName, withoutExtension } from '../names.js';

/** `](target)` and `](<target> "title")`; a target may hold parentheses in pairs. */
const INLINE =
  /\]\(\s{0,20}(?:<([^<>\n]{1,1000})>|((?:[^\s()<>]|\([^\s()]{0,200}\)){1,1000}))(?:\s{1,20}(?:"[^"]{0,500}"|'[^']{0,500}'|\([^()]{0,500}\)))?\s{0,20}\)/g;
/** `[label]: target` at the beginning of a line. */
const DEFINITION =
  /^[ >]{0,8}\[[^\]\n]{1,500}\]:[ \t]{0,20}\n?[ \t]{0,20}(?:<([^<>\n]{1,1000})>|(\S{1,1000}))/gm;
const HTML = /<a\s[^<>]{0,500}?href\s{0,5}=\s{0,5}(?:"([^"]{1,1000})"|'([^']{1,1000})')/gi;
/** Addresses that stand in the text. */
const BARE = /\bhttps?:\/\/[^\s<>"'`|\\^{}[\]]{1,1000}/gi;
/** reStructuredText: `` `text <target>`_ ``, and `:doc:` with or without a text. */
const RST =
  /`[^`<>\n]{0,500}<([^<>`\n]{1,1000})>`_|:doc:`(?:[^`<>\n]{0,500}<([^<>`\n]{1,1000})>|([^`<>\n]{1,500}))`/g;
/** AsciiDoc: `xref:target[text]`, `link:target[text]`. */
const ASCIIDOC = /\b(?:xref|link):([^\s[\]]{1,1000})\[/g;

const PATTERNS = [INLINE, DEFINITION, HTML, RST, ASCIIDOC];

/**
 * Links of a text in Markdown, HTML, reStructuredText or AsciiDoc. What stands in code is no link. A relative one is resolved against
 * the path of its document; a path that leads out of the source, and what is no page (`mailto:`), is none.
 */
export function linksOf(
  text: string,
  { source, path }: { readonly source: string; readonly path: string },
): GraphReference[] {
  const prose = withoutCode(text);
  const targets = PATTERNS.flatMap((pattern) =>
    Array.from(prose.matchAll(pattern), (match) => match.slice(1).find((group) => group !== undefined) ?? ''),
  );
  const bare = Array.from(prose.matchAll(BARE), ([address]) => trimmedAddress(address));
  return [...targets, ...bare].flatMap((target) => linkTo(target, { source, path }));
}

function linkTo(
  target: string,
  { source, path }: { readonly source: string; readonly path: string },
): GraphReference[] {
  const address = unescaped(target).trim();
  if (/^[a-z][a-z0-9+.-]*:/i.test(address) || address.startsWith('//')) {
    const url = urlName(address.startsWith('//') ? `https:${address}` : address);
    return url === undefined ? [] : [{ kind: 'link', target: url }];
  }
  const relative = decoded(address.replace(/[?#].*$/s, ''));
  if (relative === '') return [];
  const resolved = resolvePath(path, relative);
  if (resolved === undefined) return [];
  const names = [pathName(source, resolved)];
  if (withoutExtension(resolved) === resolved) names.push(pageName(source, resolved));
  return names.map((name) => ({ kind: 'link', target: name }));
}

/** Markdown escapes punctuation, HTML the ampersand. */
const unescaped = (target: string): string =>
  target.replace(/\\([!-/:-@[-`{-~])/g, '$1').replaceAll('&amp;', '&');

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Punctuation that ends the sentence and not the address. */
const trimmedAddress = (address: string): string => {
  const plain = address.replace(/[.,;:!?*_~]+$/, '');
  return plain.includes('(') ? plain : plain.replace(/\)+$/, '');
};

/** Of HTML, which Markdown takes too. */
const COMMENT = /<!--(?:(?!<!--)[\s\S]){0,20000}?-->/g;

const FENCE = /^[ \t>]*(?:[-*+] +|\d+[.)] +)?(`{3,}|~{3,})/;

/** The text without comments, fenced blocks and code spans. A fence that nobody closes goes to the end, as in Markdown. */
function withoutCode(given: string): string {
  const text = given.replace(COMMENT, ' ');
  if (!text.includes('`') && !text.includes('~~~')) return text;
  let fence: string | undefined;
  const lines = text.split('\n').filter((line) => {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined) {
      // Three backticks and more of them in one line are a span.
      if (
        mark === undefined ||
        (mark.startsWith('`') && line.slice(line.indexOf(mark) + mark.length).includes('`'))
      )
        return true;
      fence = mark;
      return false;
    }
    if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length && isBare(line))
      fence = undefined;
    return false;
  });
  return withoutSpans(lines.join('\n'));
}

const isBare = (line: string): boolean => /^[\s>]*[`~]+\s*$/.test(line);

/** Spans of one paragraph: an opening run of backticks and the next run that is as long. A link's own text may be code. */
const withoutSpans = (text: string): string =>
  // A link of reStructuredText stands between backticks.
  text.replace(/(?<![`:])(`{1,3})(?!`)((?:(?!\n\s*\n)[^`]){1,2000})\1(?![`_])/g, (span, _, code: string) =>
    /<[^<>]+>$/.test(code) ? span : ' ',
  );
