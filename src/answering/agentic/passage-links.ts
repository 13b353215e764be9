import { contentTerms } from '../../core/analysis/question-parts.js';
import type { StoredChunk } from '../../core/chunk.js';

/** A link that stands in a passage. */
export interface PassageLink {
  readonly from: StoredChunk;
  readonly href: string;
  /** What stands for it in the text. */
  readonly anchor: string;
  /** How much of the question stands in it and around it; above 0. */
  readonly weight: number;
}

/** Links of one passage that are looked at; a table of contents has hundreds. */
const MOST_LINKS = 40;
const MOST_CHARACTERS = 20_000;
const LINK = /\[([^[\]]{1,200})\]\(\s*<?([^()\s<>]{1,400})>?(?:\s+"[^"]{0,200}")?\s*\)/g;

/** How much a word counts in what stands for the link, in its address, and beside it in the line. */
const ANCHOR = 2;
const ADDRESS = 1;
const BESIDE = 0.5;

/**
 * Links of a passage that may lead to what a question asks for, by the words that they share with it, best first; each address once. A
 * link that shares none is left out.
 */
export function linksTo(question: string, from: StoredChunk): PassageLink[] {
  const wanted = new Set(contentTerms(question));
  const found = new Map<string, PassageLink>();
  const text = from.content.slice(0, MOST_CHARACTERS);
  for (const [count, match] of [...text.matchAll(LINK)].entries()) {
    if (count >= MOST_LINKS) break;
    const [, anchor = '', address = ''] = match;
    const [href = ''] = address.split('#');
    if (href === '' || !mayLead(href, from)) continue;
    const weight = weightOf({ anchor, href, line: lineAround(text, match.index) }, wanted);
    const before = found.get(href);
    if (weight > 0 && (before === undefined || before.weight < weight))
      found.set(href, { from, href, anchor: anchor.replace(/\s+/g, ' ').trim(), weight });
  }
  return [...found.values()].sort((a, b) => b.weight - a.weight);
}

/** Within the source, or, of documents that have addresses, at their host. */
function mayLead(href: string, { metadata: { url } }: StoredChunk): boolean {
  if (/\.(?:png|jpe?g|gif|svg|webp|mp4|zip)$/i.test(href)) return false;
  if (!/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(href)) return true;
  return typeof url === 'string' && originOf(url) !== undefined && originOf(url) === originOf(href);
}

const originOf = (address: string): string | undefined =>
  /^https?:/i.test(address) && URL.canParse(address) ? new URL(address).origin : undefined;

function weightOf(
  { anchor, href, line }: { readonly anchor: string; readonly href: string; readonly line: string },
  wanted: ReadonlySet<string>,
): number {
  const shared = (text: string): number => contentTerms(text).filter((term) => wanted.has(term)).length;
  const named = ANCHOR * shared(anchor) + ADDRESS * shared(href.replace(/[-_/.]+/g, ' '));
  const beside = shared(line);
  // One shared word beside a link tells nothing.
  return named > 0 || beside > 1 ? named + BESIDE * beside : 0;
}

function lineAround(text: string, index: number): string {
  const start = text.lastIndexOf('\n', index) + 1;
  const end = text.indexOf('\n', index);
  return text.slice(start, end < 0 ? undefined : end);
}

/**
 * Ids that documents of the same source may have where a link of a passage leads: relative to its path, or to the root of the source,
 * with what addresses leave out (`.md`, `index.md`, `README.md`). Empty where it leads out of the source.
 */
export function linkedIds(path: string, href: string): string[] {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('//')) return [];
  const folder = href.startsWith('/') ? [] : path.split('/').slice(0, -1);
  const parts = [...folder];
  for (const part of decoded(href).split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return [];
  }
  const target = parts.join('/').replace(/\.html?$/i, '');
  const inFolder = target === '' ? '' : `${target}/`;
  const names = [
    ...(target === ''
      ? []
      : [target, ...(/\.[a-z]{1,8}$/i.test(target) ? [] : [`${target}.md`, `${target}.mdx`])]),
    `${inFolder}index.md`,
    `${inFolder}README.md`,
  ];
  return names.filter((name) => name !== path);
}

function decoded(href: string): string {
  const [plain = ''] = href.split('?');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
