/** Links of Markdown, with or without an address; images are none. */
const LINK = /(?<!!)\[([^\][]*)\]\(\s*<?([^\s)>]*)[^)]*\)|<?\bhttps?:\/\/[^\s<>)]+>?/gu;
/** Items of a tracker and changes: what they are called tells what was done. */
const CHANGE = /(?:issues?|pull|pulls|commits?|compare|merge_requests|browse)\/[\w-]+/;
/** Words of a longer link may be a sentence. */
const LONGEST_NAME = 8;

/** A question that a link answers. */
const ASKS_FOR_LINK =
  /\b(?:where|links?|urls?|address|site|websites?|pages?|docs|documentation|documents?|guides?|resources?|references?|reading|learn more|wo|lien|enlace)\b/i;

/** What is said of a link that only leads on: `[Logs and metrics](x.md) covers when to use which`, `For details see [x](y)`. */
const LEADS_ON =
  /^(?:this page |the page |the document |the section )?(?:\(?see(?: also)?\b|refer to\b|(?:please )?(?:check|read|visit|consult)\b|for (?:more|further|additional|detailed|details|information|a full)\b|more (?:information|details|about|on)\b|(?:covers?|describes?|explains?|discusses|outlines?|documents|lists|details) )/i;

const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

export const asksForLink = (question: string): boolean => ASKS_FOR_LINK.test(question);

/** Whether a sentence or item is the name of something that stands elsewhere, and nothing else. */
export function isLinkAlone(text: string): boolean {
  const links = [...text.matchAll(LINK)];
  if (links.length === 0 || wordsIn(text.replaceAll(LINK, ' ')) > links.length) return false;
  return links.every(
    ([whole, name = '', address = '']) =>
      !CHANGE.test(address === '' ? whole : address) && wordsIn(name) <= LONGEST_NAME,
  );
}

/** Share of its words that a passage has outside of links, below which it tells nothing itself, and links that make a list. */
const [LEAST_OUTSIDE, LEAST_LINKS] = [0.3, 3];

/** Whether a passage is a list of links, as under "Resources" or "Contents". */
export function isLinkList(text: string): boolean {
  const links = text.match(LINK)?.length ?? 0;
  if (links < LEAST_LINKS) return false;
  const names = text.replaceAll(LINK, (_, name = '') => ` ${name} `);
  return wordsIn(text.replaceAll(LINK, ' ')) < LEAST_OUTSIDE * Math.max(1, wordsIn(names));
}

/** Whether a sentence only says where something is told. */
export function leadsOn(text: string): boolean {
  if (text.search(LINK) < 0) return false;
  const rest = text
    .replaceAll(LINK, ' ')
    .replace(/^[\s*+\-\d.)(>]+/, '')
    .replace(/\s+/g, ' ');
  return LEADS_ON.test(rest);
}
