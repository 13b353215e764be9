import { replaceComments } from './comments.js';
import { withoutHiddenCharacters } from './hidden-characters.js';

// Attack: a retrieved text pretends to be something else than text. It closes the block it stands in, opens a turn of the
// conversation, carries marks that look like citations, or renders as an image that tells its server what was asked.
// All of it is made inert here; the exact text stays in the entry's pieces.

/** Marks of chat templates (ChatML, Llama, Mistral) and of our own blocks. */
const TEMPLATE_MARK =
  /<\s*(\/?)\s*(\|[^|<>\n]{1,40}\||passage\b|context\b|sources?\b|system\b|instructions?\b|s\s*>|<\s*\/?SYS)/gi;
const INSTRUCTION_MARK = /\[(\/?)(INST|SYSTEM|SYS)\]/gi;

/** Tags that load, link or run something: shown as text. */
const ACTIVE_TAG =
  /<(?=\/?(?:a|img|image|iframe|script|style|object|embed|link|meta|base|form|input|button|svg|video|audio|source)\b)/gi;
const IMAGE =
  /!\[([^\]\n]{0,300})\](?:\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?\)|\[[^\]\n]{0,200}\])?/g;
const LINK = /\[([^\]\n]{1,300})\]\(\s*<?([^()<>\s]{1,2000})>?[^()\n]{0,300}\)/g;
const LINK_DEFINITION = /^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*\S.*$/gm;
const CITATION_MARK = /(?<![\w\])])\[(\d{1,3}(?:\s*[,;-]\s*\d{1,3})*)\](?![([:])/g;
const AUTOLINK = /<?\b(https?:\/\/[^\s<>`"'\])]{1,2000})>?/gi;

/** Retrieved text as it may stand in a prompt or be shown: no hidden characters, no marks, no links, images or comments. */
export function neutralise(text: string): string {
  const inertProse = (prose: string) => inert(prose).replace(CITATION_MARK, '($1)');
  return outsideFences(withoutHiddenCharacters(text), inertProse, breakMarks);
}

/** A model's answer as it may be shown: as `neutralise`, but its citations stay. */
export const neutraliseAnswer = (text: string): string =>
  outsideFences(withoutHiddenCharacters(text), inert, breakMarks);

function inert(prose: string): string {
  return breakMarks(
    replaceComments(prose, '[comment left out]')
      .replace(LINK_DEFINITION, '[link left out]')
      .replace(IMAGE, (_, alt: string) => (alt.trim() === '' ? '[image]' : `[image: ${alt.trim()}]`))
      .replace(LINK, (_, label: string, target: string) => `${label} (${shownTarget(target)})`)
      .replace(ACTIVE_TAG, '‹')
      .replace(AUTOLINK, (whole, url: string, at: number, all: string) =>
        all[at - 1] === '`' ? whole : codeSpan(url),
      ),
  );
}

const breakMarks = (text: string): string =>
  text.replace(TEMPLATE_MARK, '‹$1$2').replace(INSTRUCTION_MARK, '($1$2)');

/** A link's target as text that no renderer turns into a link; without the query, where data would leave. */
function shownTarget(target: string): string {
  const [place = target] = target.split(/[?#]/);
  return codeSpan(place);
}

const codeSpan = (text: string): string => `\`${text.replaceAll('`', '')}\``;

const FENCED = /^( {0,3})(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ {0,3}\2[`~]*[ \t]*$/gm;

/** Closed code blocks are shown as they are: nothing in them is rendered. */
function outsideFences(
  text: string,
  prose: (text: string) => string,
  code: (text: string) => string,
): string {
  let result = '';
  let at = 0;
  for (const match of text.matchAll(FENCED)) {
    result += prose(text.slice(at, match.index)) + code(match[0]);
    at = match.index + match[0].length;
  }
  return result + prose(text.slice(at));
}
