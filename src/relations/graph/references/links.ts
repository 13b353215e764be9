import type { GraphReference } from '../graph.js';
import {
  MAX_NAME,
  noteName,
  pageName,
  pathName,
  resolvePath,
  sectionName,
  urlName,
  withoutEnd,
  withoutExtension,
} from '../names.js';

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
/** AsciiDoc: `xref:target[text]`, `link:target[text]`. All of a word is taken, so that one without a bracket is not looked at from each place in it. */
const ASCIIDOC = /\b(?:xref|link):([^\s[\]]+)(\[)?/g;

/**
 * Links between notes: `[[Note]]`, `[[folder/Note#Heading|text]]`, `![[Note]]`, and of Org mode `[[file:note.org][text]]`. With a blank or a
 * bracket behind it is a test of a shell, with a parenthesis a link whose text is in brackets.
 */
const NOTE = /\[\[(?![\s[])([^[\]\n|]{1,300})(?:\|[^[\]\n]{0,300}|\]\[[^[\]\n]{1,300})?\]\](?!\()/g;

const PATTERNS = [INLINE, DEFINITION, HTML, RST];

/**
 * Links of a text in Markdown, HTML, reStructuredText or AsciiDoc, without its code: what stands there is no link. A relative one is resolved
 * against the path of its document; a path that leads out of the source, and what is no page (`mailto:`), is none. A link to a section is one to
 * its page too.
 */
export function linksOf(
  prose: string,
  { source, path }: { readonly source: string; readonly path: string },
): GraphReference[] {
  const targets = PATTERNS.flatMap((pattern) =>
    Array.from(prose.matchAll(pattern), (match) => match.slice(1).find((group) => group !== undefined) ?? ''),
  );
  const bare = Array.from(prose.matchAll(BARE), ([address]) => trimmedAddress(address));
  const asciidoc = Array.from(prose.matchAll(ASCIIDOC), ([, target = '', bracket]) =>
    bracket === undefined || target.length > MAX_NAME ? '' : target,
  );
  const notes = /\.(?:adoc|asciidoc|rst)$/i.test(path)
    ? []
    : Array.from(prose.matchAll(NOTE), ([, target = '']) => target);
  return [
    ...[...targets, ...asciidoc.filter((target) => target !== ''), ...bare].flatMap((target) =>
      linkTo(target, { source, path }),
    ),
    ...notes.flatMap((target) => noteLink(target, { source, path })),
  ];
}

/** By the name of a note, wherever it lies, or the end of its path. */
function noteLink(
  target: string,
  place: { readonly source: string; readonly path: string },
): GraphReference[] {
  const address = target.trim();
  if (/^(?:file:|https?:|\.{1,2}\/)/i.test(address)) return linkTo(address.replace(/^file:/i, ''), place);
  // A heading or a block of the same page, or an id of Org mode.
  if (/^[#^*]|^id:/i.test(address)) return [];
  const [note = '', section] = address.replace(/\^[^#]*$/, '').split('#');
  const name = noteName(place.source, note);
  return [
    { kind: 'link', target: name },
    ...(section === undefined || section === ''
      ? []
      : [{ kind: 'link' as const, target: sectionName(name, section) }]),
  ];
}

function linkTo(target: string, place: { readonly source: string; readonly path: string }): GraphReference[] {
  const address = unescaped(target).trim();
  const names = namesOf(address, place);
  const section = /#(.+)$/s.exec(address)?.[1];
  const sections = section === undefined ? [] : names.map((name) => sectionName(name, decoded(section)));
  return [...names, ...sections].map((name) => ({ kind: 'link', target: name }));
}

function namesOf(
  address: string,
  { source, path }: { readonly source: string; readonly path: string },
): string[] {
  if (/^[a-z][a-z0-9+.-]*:/i.test(address) || address.startsWith('//')) {
    const url = urlName(address.startsWith('//') ? `https:${address}` : address);
    return url === undefined ? [] : [url];
  }
  const relative = decoded(address.replace(/[?#].*$/s, ''));
  if (relative === '') return [];
  const resolved = resolvePath(path, relative);
  if (resolved === undefined) return [];
  // A number behind a dot is no extension but that of a version: `releases/1.11`.
  const isWhole = withoutExtension(resolved) !== resolved && !/\.\d+$/.test(resolved);
  return [pathName(source, resolved), ...(isWhole ? [] : [pageName(source, resolved)])];
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
  const plain = withoutEnd(address, '.,;:!?*_~');
  return plain.includes('(') ? plain : withoutEnd(plain, ')');
};
